import { fold, foldText } from '../../base/text/fold.ts';
import { detect } from '../text/detect.ts';
import { indexPhrases, plain } from '../text/phrases.ts';

/** What a model may draw on: texts that are known to hold. Whatever numbers, names and addresses it uses are in there. */
export interface Source {
  numbers: ReadonlySet<string>;
  folded: string;
}

export function sourceOf(...texts: readonly string[]): Source {
  const text = texts.join('\n');
  return { numbers: new Set(numbersIn(text)), folded: ` ${foldText(text)} ` };
}

const stringsMax = 10_000;

/** All texts, numbers and names of fields in a value, as they stand in it. */
export function textsIn(value: unknown): string[] {
  const texts: string[] = [];
  const open: unknown[] = [value];
  while (open.length > 0 && texts.length < stringsMax) {
    const next = open.pop();
    if (typeof next === 'string' || typeof next === 'number') texts.push(String(next));
    else if (typeof next === 'object' && next !== null)
      for (const [name, inner] of Object.entries(next)) {
        // Names of fields are words that may be said, but for those of protobuf.
        if (!Array.isArray(next) && !name.startsWith('$')) texts.push(name);
        open.push(inner);
      }
  }
  return texts;
}

/** What in a model's words does not come from the source: numbers, addresses and links; empty when all of it holds. */
export function inventedIn(words: string, source: Source): string[] {
  return [...inventedNumbers(words, source), ...inventedAddresses(words, source)];
}

export function inventedNumbers(words: string, source: Source): string[] {
  return [...new Set(numbersIn(words).filter((number) => !source.numbers.has(number)))];
}

// Links as people write them besides: "shop.example/x", "t.me/abc".
const bareLink = /(?<![\p{L}\p{N}@./])[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63})*\.\p{L}{2,24}(?:\/\S{0,200})?/gu;

export function inventedAddresses(words: string, source: Source): string[] {
  const detected = detect(words).map(({ start, end }) => words.slice(start, end));
  const bare = (words.match(bareLink) ?? []).filter((link) => !/^\p{Lu}?\p{Ll}+\.\p{Lu}/u.test(link));
  return [...new Set([...detected, ...bare].filter((found) => !source.folded.includes(foldText(found))))];
}

/** Where a quote stands in a text (UTF-16 units): as it is, else compared as risk phrases are; undefined when nowhere. */
export function locate(text: string, quote: string): { start: number; end: number } | undefined {
  const wanted = quote.trim();
  if (wanted === '') return undefined;
  const at = text.indexOf(wanted);
  if (at >= 0 && isWhole(text, at, at + wanted.length)) return { start: at, end: at + wanted.length };
  const [match] = indexPhrases([{ phrase: plain(wanted), entry: 0 }]).find(fold(text), 1);
  return match && { start: match.start, end: match.end };
}

/** Whether a stretch cuts no word of letters and digits into pieces. */
function isWhole(text: string, start: number, end: number): boolean {
  const cuts = (at: number) => /[\p{L}\p{N}]/u.test(text[at - 1] ?? ' ') && /[\p{L}\p{N}]/u.test(text[at] ?? ' ');
  return !cuts(start) && !cuts(end);
}

/** Numbers as they are compared: without separators of thousands and trailing zeros. */
export function numbersIn(text: string): string[] {
  return numbersAt(text).map(({ number }) => number);
}

/** The same, with where each begins. */
export function numbersAt(text: string): { number: string; start: number }[] {
  const found = text.normalize('NFKC').matchAll(/\d+(?:[.,]\d+)*/g);
  return [...found].map(({ 0: digits, index }) => {
    const plainNumber = digits.replace(/[.,](?=\d{3}(?:\D|$))/g, '').replace(',', '.');
    const number = plainNumber.includes('.')
      ? plainNumber.replace(/0+$/, '').replace(/\.$/, '')
      : plainNumber.replace(/^0+(?=\d)/, '');
    return { number, start: index };
  });
}
