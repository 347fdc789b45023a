/** Words that are frequent in one language of the service's messages and absent from the others. */
const common = {
  en: 'the is are not and of to that with this has be or by was it'.split(' '),
  de: 'der die das und ist nicht ein eine den mit auf für wird werden oder von dem sind'.split(' '),
  es: 'el los las y del por una para con sin está son como más'.split(' '),
  fr: 'le les et est une pour avec sans pas du dans sont cette ou'.split(' '),
} as const;

/** The language of the service's texts; empty, as HTML says "unknown", if it cannot be determined. */
export function languageOf(texts: readonly (string | undefined)[]): keyof typeof common | '' {
  const words =
    texts
      .join(' ')
      .toLowerCase()
      .match(/\p{L}+/gu) ?? [];
  const languages = Object.keys(common) as (keyof typeof common)[];
  const [first, second] = languages
    .map((language) => ({ language, count: words.filter((word) => common[language].includes(word)).length }))
    .sort((one, other) => other.count - one.count);
  return first && first.count > (second?.count ?? 0) ? first.language : '';
}
