import { type Folded, fold, originOf } from '../../../base/text/fold.ts';
import { isUnspacedUnit, isWordUnit } from '../../../base/text/words.ts';
import { lookAlikes } from './look-alikes.ts';
import { arabicForms, inItsScript, simplified } from './scripts.ts';

/** A word of a text in the form that signs compare. */
export interface Token {
  /** The folded word; for a disguised word also what it stands for ("p1stol": "pistol", "plstol"). At most four. */
  forms: string[];
  /** Its place in the original text, in UTF-16 units. */
  start: number;
  end: number;
  /** The index of its sentence in the text, from 0. */
  sentence: number;
  /** Whether a comma, a bracket or another sign that ends no sentence comes right before it. */
  afterBreak: boolean;
}

export interface Tokens {
  text: string;
  /** Not all of the text was read. */
  isCut: boolean;
  tokens: Token[];
  /** For each sentence, whether it ends with a question mark. */
  questions: boolean[];
}

// Characters that stand for letters in words: "f3e", "P@yP@l", "st*pid", "B!tcoin".
const letterSigns: ReadonlyMap<number, string> = new Map(
  Object.entries({ '@': 'a', $: 's', '!': 'i', '|': 'l', '*': '*', '€': 'e', '£': 'l' }).map(([sign, letter]) => [
    sign.charCodeAt(0),
    letter,
  ]),
);
const letterDigits: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '8': 'b',
};
const wordUnitsMax = 40;
// Text beyond this many words or UTF-16 units is not judged, and the reply says so.
const wordsMax = 12_000;
const unitsMax = 100_000;
const spelledMin = 3;

/** The words of a text in order. Linear in its length; bounded. `known` is the folded text, if there is one already. */
export function tokensOf(text: string, known?: Folded): Tokens {
  const folded = known && text.length <= unitsMax ? known : fold(text.slice(0, unitsMax));
  const state: Reading = { folded, tokens: [], questions: [], sentence: 0, afterBreak: false, inSentence: false };
  let at = 0;
  while (at < folded.length && state.tokens.length < wordsMax) at = readNext(state, at);
  state.questions[state.sentence] ??= false;
  const isCut = text.length > unitsMax || at < folded.length;
  return { text, isCut, tokens: joinSpelled(folded, state.tokens), questions: state.questions };
}

/** A pattern's words, read like a text's. */
export function wordsOf(text: string): string[] {
  return tokensOf(text).tokens.map(({ forms }) => forms[0] as string);
}

interface Reading {
  folded: Folded;
  tokens: Token[];
  questions: boolean[];
  sentence: number;
  afterBreak: boolean;
  inSentence: boolean;
}

function readNext(state: Reading, at: number): number {
  const { units } = state.folded;
  const unit = units[at] as number;
  if (unit === 0x20) return at + 1;
  if (isUnspacedUnit(unit)) return push(state, at, at + 1);
  if (isWordUnit(unit) || opensWord(state.folded, at)) return readWord(state, at);
  const face = laughingUnits(state.folded, at);
  if (face > 0) return pushLaughter(state, at, face);
  if (endsSentence(state.folded, at)) endSentence(state, unit);
  else if (unit !== 0x27) state.afterBreak = true;
  return at + 1;
}

function endSentence(state: Reading, unit: number): void {
  if (!state.inSentence) {
    // "?!" and "...?" belong to the sentence before.
    if ((unit === 0x3f || unit === 0xff1f) && state.sentence > 0) state.questions[state.sentence - 1] = true;
    return;
  }
  state.questions[state.sentence] = unit === 0x3f || unit === 0xff1f || unit === 0x61f;
  state.sentence++;
  state.inSentence = false;
}

function readWord(state: Reading, at: number): number {
  const { units, length } = state.folded;
  const limit = Math.min(length, at + wordUnitsMax);
  let stop = at;
  while (stop < limit && isInWord(state.folded, stop, at)) stop++;
  if (units[stop] === 0x27 && stop + 1 < length && isWordUnit(units[stop + 1] as number))
    return readElision(state, at, stop);
  return push(state, at, Math.max(stop, at + 1));
}

/** "l'argent" is two words, "don't" is one. */
function readElision(state: Reading, at: number, apostrophe: number): number {
  const { folded } = state;
  let stop = apostrophe + 1;
  while (stop < folded.length && stop - at < wordUnitsMax && isWordUnit(folded.units[stop] as number)) stop++;
  const isEnding = stop - apostrophe <= 3 && apostrophe - at > 1;
  if (!isEnding) return push(state, at, apostrophe);
  return push(state, at, stop);
}

function push(state: Reading, start: number, end: number): number {
  const { start: from, end: to } = originOf(state.folded, start, end);
  state.tokens.push({
    forms: formsOf(readAs(wordOf(state.folded, start, end), state.folded.original, from)),
    start: from,
    end: to,
    sentence: state.sentence,
    afterBreak: state.afterBreak,
  });
  state.afterBreak = false;
  state.inSentence = true;
  return end;
}

// "MS" is a disease, but "Ms Reed" is a person, "200 ms" a time and "MS Word" a program. Headlines write "Cures Ms In Days", too.
const title =
  /^Ms\.?\s{1,3}(?!(?:In|Within|After|And|Or|Is|Now|By|For|With|Without|Gone|Cured|Patients?|Symptoms?)\b)\p{Lu}/u;
const address = /\b(?:dear|mr\.? (?:and|&))\s{1,3}$/i;
const program =
  /^MS (?:Word|Excel|Office|Teams|Outlook|Access|PowerPoint|Project|Dynamics|Windows|Visio|SQL|Paint|DOS|Edge)\b/i;
const duration = /^\d[\s.,]{0,3}ms\b/;

/** The word as signs know it, where it has another meaning in its place. */
function readAs(word: string, text: string, at: number): string {
  if (word !== 'ms') return word;
  if (title.test(text.slice(at, at + 24)) || address.test(text.slice(Math.max(0, at - 12), at))) return 'mrs';
  if (program.test(text.slice(at, at + 16))) return 'microsoft';
  const number = /\d\s{0,2}$/.exec(text.slice(Math.max(0, at - 4), at));
  return number && duration.test(number[0] + text.slice(at, at + 3)) ? 'milliseconds' : word;
}

// Faces that laugh, grin, wink or stick out their tongue.
const laughing = new Set([...'😀😁😂😃😄😅😆😉😋😛😜😝😸😹🤣🤪🤭🙃']);
/** The word that packs use for a laughing face. */
const laughter = 'haha';

// The same faces as people type them: ":D", ";-)", ":P". A bare smile is none, since menace smiles, too.
const typedFace = /^(?::-?[DdPp]|;-?[)DdPp])(?![\p{L}\p{N}])/u;
const beforeTypedFace: ReadonlySet<number> = new Set([...' .!?,)'].map((sign) => sign.charCodeAt(0)));

/** How many units of the folded text a laughing face at a place has; 0 if there is none. */
function laughingUnits(folded: Folded, at: number): number {
  const { units, original } = folded;
  const unit = units[at] as number;
  if (unit === 0xd83d || unit === 0xd83e) return laughing.has(String.fromCharCode(unit, units[at + 1] ?? 0)) ? 2 : 0;
  if (unit !== 0x3a && unit !== 0x3b) return 0;
  if (at > 0 && !beforeTypedFace.has(units[at - 1] as number)) return 0;
  // Each sign of a face, also its nose, is one unit of the folded text.
  const { start } = originOf(folded, at, at + 1);
  return typedFace.exec(original.slice(start, start + 4))?.[0].length ?? 0;
}

/** A laughing face is a word of the sentence that it is in or follows, and does not start a new one. */
function pushLaughter(state: Reading, at: number, units: number): number {
  const { start, end } = originOf(state.folded, at, at + units);
  const sentence = state.inSentence ? state.sentence : Math.max(0, state.sentence - 1);
  const isNext = state.tokens.at(-1)?.forms[0] === laughter;
  if (!isNext) state.tokens.push({ forms: [laughter], start, end, sentence, afterBreak: true });
  return at + units;
}

/** A span without its apostrophes. */
function wordOf({ units }: Folded, start: number, end: number): string {
  let word = '';
  for (let at = start; at < end; at++) {
    const unit = units[at] as number;
    if (unit !== 0x27) word += String.fromCharCode(unit);
  }
  return word;
}

function isLetter(folded: Folded, at: number): boolean {
  const unit = folded.units[at];
  return at < folded.length && unit !== undefined && isWordUnit(unit) && !(unit >= 0x30 && unit <= 0x39);
}

/** "@ccount", "$ale": a character that stands for a letter, with a letter after it and a blank before it. */
function opensWord(folded: Folded, at: number): boolean {
  const unit = folded.units[at] as number;
  if (unit !== 0x40 && unit !== 0x24) return false;
  return (at === 0 || folded.units[at - 1] === 0x20) && isLetter(folded, at + 1) && isLetter(folded, at + 2);
}

function isInWord(folded: Folded, at: number, start: number): boolean {
  const unit = folded.units[at] as number;
  if (isUnspacedUnit(unit)) return false;
  if (isWordUnit(unit)) return true;
  if (!letterSigns.has(unit)) return false;
  if (at === start) return true;
  // Only before a letter, or a digit except after "@": a character after a word ("now!") ends it.
  if (!isLetter(folded, at + 1) && !(at > start && isWordUnit(folded.units[at + 1] ?? 0) && unit !== 0x40))
    return false;
  // An e-mail address is not a disguise.
  return unit !== 0x40 || !looksLikeAddress(folded, at);
}

function looksLikeAddress({ units, length }: Folded, at: number): boolean {
  for (let next = at + 1; next < Math.min(length, at + 40); next++) {
    const unit = units[next] as number;
    if (unit === 0x2e) return isWordUnit(units[next + 1] ?? 0x20);
    if (!isWordUnit(unit) && unit !== 0x40) return false;
  }
  return false;
}

function endsSentence({ units, length }: Folded, at: number): boolean {
  const unit = units[at] as number;
  if (unit === 0x3f || unit === 0x21 || unit === 0x3002 || unit === 0xff01 || unit === 0xff1f || unit === 0x61f)
    return true;
  if (unit !== 0x2e && unit !== 0x3b && unit !== 0x2026) return false;
  // A full stop inside "shop.example" or "1.50" ends nothing.
  return at + 1 >= length || units[at + 1] === 0x20 || units[at + 1] === 0x2e;
}

function isArabic(unit: number): boolean {
  return unit >= 0x600 && unit < 0x700;
}

// Whatever else has only one form takes longer to find out.
const plainWord = /^(?:[a-z]+|\d+)$/;
const disguised = /[0-9@$!|*€£]/;
const hasLetter = /\p{L}/u;
const plainNumber = /^\d+\p{L}{1,3}$|^\d/u;

function formsOf(word: string): string[] {
  if (plainWord.test(word)) return [word];
  const unit = word.charCodeAt(0);
  if (isUnspacedUnit(unit)) return [simplified.get(word) ?? word];
  if (isArabic(unit)) return arabicForms(word);
  const forms = latinForms(word);
  const own = inItsScript(word);
  return own === undefined ? forms : [...forms, own];
}

function latinForms(word: string): string[] {
  const latin = lookAlikes(word);
  const forms = latin === word ? [word] : [word, latin];
  if (!disguised.test(latin) || !hasLetter.test(latin)) return forms;
  // "25kg", "2nd", "3d" are genuine; "5t0len" is not.
  if (plainNumber.test(latin) && !/^\d\p{L}+[\d@!$]?\p{L}{2,}$/u.test(latin)) return forms;
  let read = '';
  for (const letter of latin) read += letterDigits[letter] ?? letterSigns.get(letter.charCodeAt(0)) ?? letter;
  if (read !== latin) forms.push(read);
  if (latin.includes('1') || latin.includes('!'))
    forms.push(
      read.replaceAll(/(?<=.)i/gu, (match, at: number) => (latin[at] === '1' || latin[at] === '!' ? 'l' : match)),
    );
  return forms.slice(0, 3);
}

/** Joins words spelled letter by letter: "b u y", "p-a-y-p-a-l", "b.a.n.k". */
function joinSpelled(folded: Folded, tokens: Token[]): Token[] {
  const joined: Token[] = [];
  for (let at = 0; at < tokens.length; at++) {
    let stop = at;
    while (stop < tokens.length && stop - at < wordUnitsMax && isSpelled(folded, tokens, stop, at)) stop++;
    if (stop - at < spelledMin) {
      joined.push(tokens[at] as Token);
      continue;
    }
    joined.push(...splitNumbers(tokens.slice(at, stop)));
    at = stop - 1;
  }
  return joined;
}

// One character, or the stroke that lengthens Arabic words.
const betweenLetters = /^(?:[\s.\-_*]| ?\u0640 ?)$/;

function isSpelled({ original }: Folded, tokens: Token[], at: number, first: number): boolean {
  const token = tokens[at] as Token;
  const before = tokens[at - 1];
  const [form] = token.forms;
  if (form === undefined || form.length !== 1 || isUnspacedUnit(form.charCodeAt(0))) return false;
  if (at === first) return true;
  return before !== undefined && betweenLetters.test(original.slice(before.end, Math.min(token.start, before.end + 4)));
}

function splitNumbers(letters: Token[]): Token[] {
  const words: Token[] = [];
  for (const letter of letters) {
    const [form] = letter.forms as [string];
    const last = words.at(-1);
    const isDigit = /\d/.test(form);
    if (last && /\d$/.test(last.forms[0] as string) === isDigit) {
      last.forms[0] += form;
      last.end = letter.end;
    } else words.push({ ...letter, forms: [form] });
  }
  return words.map((word) => ({ ...word, forms: formsOf(word.forms[0] as string) }));
}
