import { fold, foldText } from '../../base/text/fold.ts';
import { detect } from '../text/detect.ts';
import { indexPhrases, plain } from '../text/phrases.ts';

/** Texts known to be right, which a model may draw on. All numbers, names and addresses that it uses must come from them. */
export interface Source {
  numbers: ReadonlySet<string>;
  folded: string;
}

export function sourceOf(...texts: readonly string[]): Source {
  const text = texts.join('\n');
  return { numbers: new Set(numbersIn(text)), folded: ` ${foldText(text)} ` };
}

const stringsMax = 10_000;

/** All texts, numbers and field names in a value, as written there. */
export function textsIn(value: unknown): string[] {
  const texts: string[] = [];
  const open: unknown[] = [value];
  while (open.length > 0 && texts.length < stringsMax) {
    const next = open.pop();
    if (typeof next === 'string' || typeof next === 'number') texts.push(String(next));
    else if (typeof next === 'object' && next !== null)
      for (const [name, inner] of Object.entries(next)) {
        // Field names may be quoted, except those of protobuf.
        if (!Array.isArray(next) && !name.startsWith('$')) texts.push(name);
        open.push(inner);
      }
  }
  return texts;
}

/** The numbers, addresses and links in a model's words that are not in the source; empty if all of them are. */
export function inventedIn(words: string, source: Source): string[] {
  return [...inventedNumbers(words, source), ...inventedAddresses(words, source)];
}

export function inventedNumbers(words: string, source: Source): string[] {
  return [...new Set(numbersIn(words).filter((number) => !source.numbers.has(number)))];
}

// Other ways in which people write links: "shop.example/x", "t.me/abc".
const bareLink = /(?<![\p{L}\p{N}@./])[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63})*\.\p{L}{2,24}(?:\/\S{0,200})?/gu;

export function inventedAddresses(words: string, source: Source): string[] {
  const detected = detect(words).map(({ start, end }) => words.slice(start, end));
  const bare = (words.match(bareLink) ?? []).filter((link) => !/^\p{Lu}?\p{Ll}+\.\p{Lu}/u.test(link));
  return [...new Set([...detected, ...bare].filter((found) => !source.folded.includes(foldText(found))))];
}

/** Where a quote appears in a text (UTF-16 units): verbatim, else compared like risk phrases; undefined if nowhere. */
export function locate(text: string, quote: string): { start: number; end: number } | undefined {
  const wanted = quote.trim();
  if (wanted === '') return undefined;
  const at = text.indexOf(wanted);
  if (at >= 0 && isWhole(text, at, at + wanted.length)) return { start: at, end: at + wanted.length };
  const [match] = indexPhrases([{ phrase: plain(wanted), entry: 0 }]).find(fold(text), 1);
  return match && { start: match.start, end: match.end };
}

/** Whether a range splits no word of letters and digits. */
function isWhole(text: string, start: number, end: number): boolean {
  const cuts = (at: number) => /[\p{L}\p{N}]/u.test(text[at - 1] ?? ' ') && /[\p{L}\p{N}]/u.test(text[at] ?? ' ');
  return !cuts(start) && !cuts(end);
}

/** Numbers in comparable form: without thousands separators and trailing zeros. */
export function numbersIn(text: string): string[] {
  return numbersAt(text).map(({ number }) => number);
}

/** The same, with the start of each. */
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
