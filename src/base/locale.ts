/** What a locale (BCP 47; an underscore counts as a hyphen) says of its language and region. Undefined for what is no locale. */
export function readLocale(locale: string): { language: string; region: string | undefined } | undefined {
  try {
    const { language, region } = new Intl.Locale(locale.replaceAll('_', '-'));
    return { language, region };
  } catch {
    return undefined;
  }
}

/** The tag for a language with the region, if there is one. */
export function tagOf({ language, region }: { language: string; region: string | undefined }): string {
  return region === undefined ? language : `${language}-${region}`;
}
