import { fold, foldText } from '../../base/text/fold.ts';
import { detect } from '../text/detect.ts';
import { indexPhrases, plain } from '../text/phrases.ts';

/** What a model may draw on: texts that are known to hold. Whatever numbers and addresses it uses have to be in there. */
export interface Source {
  numbers: ReadonlySet<string>;
  folded: string;
}

export function sourceOf(...texts: readonly string[]): Source {
  const text = texts.join('\n');
  return { numbers: new Set(numbersIn(text)), folded: foldText(text) };
}

/** What in a model's words does not come from the source: numbers, addresses and links; empty when all of it holds. */
export function inventedIn(words: string, source: Source): string[] {
  const numbers = numbersIn(words).filter((number) => !source.numbers.has(number));
  const addresses = detect(words)
    .map(({ start, end }) => words.slice(start, end))
    .filter((found) => !source.folded.includes(foldText(found)));
  return [...new Set([...numbers, ...addresses])];
}

/** Where a phrase stands in a text (UTF-16 units), compared as risk phrases are; undefined when it does not occur. */
export function locate(text: string, phrase: string): { start: number; end: number } | undefined {
  const [match] = indexPhrases([{ phrase: plain(phrase), entry: 0 }]).find(fold(text), 1);
  return match && { start: match.start, end: match.end };
}

/** Whether words speak of the same thing as others: one word of five letters or more is in both, but for its ending. */
export function isAboutTheSame(words: string, others: string): boolean {
  const known = stems(others);
  if (known.size === 0) return true;
  for (const stem of stems(words)) if (known.has(stem)) return true;
  return false;
}

function stems(words: string): Set<string> {
  const found = foldText(words).match(/[\p{L}]{4,}/gu) ?? [];
  return new Set(found.map((word) => word.slice(0, 5)));
}

/** Numbers as they are compared: without separators of thousands and trailing zeros. */
function numbersIn(text: string): string[] {
  const found = text.normalize('NFKC').match(/\d+(?:[.,]\d+)*/g) ?? [];
  return found.map((number) => {
    const plainNumber = number.replace(/[.,](?=\d{3}(?:\D|$))/g, '').replace(',', '.');
    return plainNumber.includes('.')
      ? plainNumber.replace(/0+$/, '').replace(/\.$/, '')
      : plainNumber.replace(/^0+(?=\d)/, '');
  });
}
