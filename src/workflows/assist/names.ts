import { foldText } from '../../base/text/fold.ts';
import type { Source } from './verify.ts';
import type { Words } from './words.ts';

interface Written {
  word: string;
  isFirst: boolean;
  /** Whether only a blank, or a full stop after a title, separates this word from the previous one. */
  follows: boolean;
}

// Abbreviations that name no person, firm or product.
const shortForms: ReadonlySet<string> = new Set(
  'iban bic vat pdf eu url gdpr cites eur usd gbp chf ust nif nie cif tva siret dsgvo rgpd id'.split(' '),
);

/**
 * Names in a text that the source does not contain. In English, Spanish and French, a capital inside a sentence marks a name;
 * German capitalizes all nouns, so there a name is what follows a title, or two such words in a row. Words in all capitals, or
 * with a capital inside, are names in every language. A lone word at the beginning of a sentence cannot be recognised as a
 * name, nor can a lone noun in German.
 */
export function inventedNames(text: string, source: Source, { language, pack }: Words): string[] {
  const written = writtenIn(text);
  const common = new Set(pack.words.common.map(foldText));
  const titles = new Set(pack.words.titles.map(foldText));
  const unknown = ({ word }: Written) => {
    const folded = foldText(word);
    return !common.has(folded) && !shortForms.has(folded) && !isKnown(folded, source);
  };
  const isCapital = (one: Written | undefined) => one !== undefined && /^\p{Lu}/u.test(one.word);
  const found = written.filter((one, at) => {
    if (!unknown(one)) return false;
    if (/^\p{Lu}{2,}$/u.test(one.word) || /\p{Ll}\p{Lu}/u.test(one.word)) return true;
    if (!isCapital(one)) return false;
    const before = written[at - 1];
    const after = written[at + 1];
    if (before && one.follows && titles.has(foldText(before.word))) return true;
    const isNextName =
      after?.follows === true && isCapital(after) && unknown(after) && !titles.has(foldText(after.word));
    if (language === 'de') {
      const isLastName = before?.isFirst === false && one.follows && isCapital(before) && unknown(before);
      return (isNextName && !one.isFirst) || isLastName;
    }
    return !one.isFirst || isNextName;
  });
  return [...new Set(found.map(({ word }) => word))];
}

/** A word is known if the source contains it, apart from its ending. */
function isKnown(folded: string, source: Source): boolean {
  const stem = folded.length <= 4 ? folded : folded.slice(0, Math.max(4, folded.length - 2));
  return source.folded.includes(stem);
}

function writtenIn(text: string): Written[] {
  const written: Written[] = [];
  let end = 0;
  for (const { 0: word, index } of text.matchAll(/\p{L}[\p{L}\p{M}\p{N}]*/gu)) {
    const between = text.slice(end, index);
    const isFirst =
      written.length === 0 || /[.!?:;\n…"“„«(]/u.test(between.replace(/^\. ?$/u, isTitle(written) ? '' : '.'));
    written.push({
      word,
      isFirst,
      follows: /^\.?[ \u00a0'’-]+$/u.test(between) && !(isFirst && between.includes('.')),
    });
    end = index + word.length;
  }
  return written;
}

function isTitle(written: readonly Written[]): boolean {
  return /^(?:mr|mrs|ms|dr|prof|sr|sra|mme|m)$/i.test(written.at(-1)?.word ?? '');
}
