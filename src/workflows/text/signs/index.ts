import { atOnce, type Slices } from '../../../base/slices.ts';
import type { Contractions } from './contractions.ts';
import { combine, findSequences, type Occurrence, type Read, readHits } from './match.ts';
import { charactersOfAWord, createCompiler, isUnspaced, type Part } from './patterns.ts';
import { createScreen } from './screen.ts';
import type { Tokens } from './tokens.ts';

export { english } from './contractions.ts';
export { type Token, type Tokens, tokensOf } from './tokens.ts';

/** The contents of a pack of signs, as written. */
export interface SignWords {
  /** How words are written together in its language. */
  contractions?: Contractions | undefined;
  classes: Readonly<Record<string, readonly string[]>>;
  signs: readonly {
    patterns: readonly string[];
    harmlessInQuestions: boolean;
    countsInQuotes: boolean;
    /** No sign if one of its words is in a quotation that a word such as "said" introduces: the rest tells who was told so. */
    isOneVoice?: boolean | undefined;
    /** Counts next to a word of warning, like threats that begin with one. */
    countsInWarnings: boolean;
    /** Counts among words of a report, too, like sentences that excuse something. */
    countsInReports?: boolean | undefined;
    /** A word of a report or a warning that the sign itself rests on does not make it one. */
    mayRestOnReports: boolean;
    /** Only words in its own sentence can frame it; the surrounding text cannot. */
    framedInItsSentence: boolean;
    /** A negation before a list ("no transfer, gift cards or cheques") counts for each of its members. */
    negatedInLists: boolean;
    /** The negation in a condition ("if you do not pay") is not one of the sign. */
    mayFollowConditions: boolean;
  }[];
}

/** A sign that was found: its index in the pack, and its place in UTF-16 units of the text. */
export interface SignMatch {
  sign: number;
  /** The index of the pattern that found it, from 0. */
  pattern: number;
  start: number;
  end: number;
}

export interface SignIndex {
  read(tokens: Tokens): SignMatch[];
  readInSlices(tokens: Tokens): Slices<SignMatch[]>;
  readonly size: number;
}

/** A part of a text, in UTF-16 units. */
interface Place {
  start: number;
  end: number;
}

// Word classes that negate a sign or turn it into talk about it; packs define them.
const negatorClass = 'not';
const warningClass = 'warning';
const contextClasses = ['report', 'about'] as const;
// Words before a quotation that somebody else said; packs define them.
const quotingClass = 'quoting';
const quotingWithinUnits = 40;
// Words of a report or a tale that also appear in other texts: they affect only their own sentence.
const mentionClass = 'mention';
// Deciding which rules can match a text that has all words of a pack takes some 50 us.
const unitsOfAScreen = 1_000;
const negatedWithin = 4;
// A negation before a list is for all of it, if "or" joins the list and no word says what is wanted instead; packs define both.
const orClass = 'or';
const insteadClass = 'instead';
// "If you do not pay I ..." and "do not move or I ...": the negation is of the condition, not of what follows it; packs define both.
const conditionClass = 'condition';
const orElseClass = 'orelse';
const conditionWithin = 5;
const listedWithin = 14;
const listGoesOnWithin = 8;
// Looking at what is around a match, in units of a slice.
const unitsOfAMatch = 20;
// A warning refers to what is in the sentences around it.
const contextReach = 2;

/** Makes the signs of one language searchable. Throws if one is wrong, naming the pattern. */
export function indexSigns({ classes, signs, contractions }: SignWords): SignIndex {
  const compiler = createCompiler(contractions);
  for (const [name, members] of Object.entries(classes)) compiler.defineClass(name, members);
  const rules: (Omit<SignWords['signs'][number], 'patterns'> & { sign: number; pattern: number; parts: Part[] })[] = [];
  for (const [sign, { patterns, ...counts }] of signs.entries())
    for (const [pattern, text] of patterns.entries())
      rules.push({ ...counts, sign, pattern, parts: compiler.compile(text) });
  const wantedOf = createScreen(
    rules.map(({ parts }) => parts),
    compiler.sequences,
    compiler.atomsEnd(),
  );
  const negator = compiler.atomOfClass(negatorClass) ?? -1;
  const list = { negator, or: compiler.atomOfClass(orClass) ?? -1, instead: compiler.atomOfClass(insteadClass) ?? -1 };
  const condition = compiler.atomOfClass(conditionClass) ?? -1;
  const orElse = compiler.atomOfClass(orElseClass) ?? -1;
  const ofConditions = { negator, condition, orElse };
  const ofAll = { negator, condition: -1, orElse: -1 };
  const context = contextClasses.map((name) => compiler.atomOfClass(name) ?? -1);
  const mention = [compiler.atomOfClass(mentionClass) ?? -1];
  const warning = [compiler.atomOfClass(warningClass) ?? -1];
  const quoting = compiler.atomOfClass(quotingClass) ?? -1;

  /** What tells whether words are a report, a warning or somebody else's. */
  function surroundingsOf(words: Read, text: string) {
    const quoted = quotationsOf(text);
    return {
      spoken: placesBySentence(words, context),
      mentioned: sentencesWith(words, mention),
      warned: placesBySentence(words, warning),
      quoted,
      introduced: introducedBy(words, quoted, quoting),
    };
  }

  function* readInSlices(tokens: Tokens): Slices<SignMatch[]> {
    const words = yield* readHits(tokens, compiler.lexicon);
    yield unitsOfAScreen + words.hits.length;
    const wanted = wantedOf(words);
    if (wanted.rules.length === 0) return [];
    const found = yield* findSequences(words, compiler.sequences, wanted.starts, negator);
    yield tokens.text.length;
    const matches: SignMatch[] = [];
    // Most texts have no place where all of a rule is, and then nothing has to be known of what is around it.
    let around: ReturnType<typeof surroundingsOf> | undefined;
    for (const index of wanted.rules) {
      const rule = rules[index] as (typeof rules)[number];
      if (!rule.parts.every(({ sequence, absent }) => absent || found.has(sequence))) continue;
      const { sign, pattern, parts, framedInItsSentence, mayRestOnReports } = rule;
      const { harmlessInQuestions, countsInQuotes, countsInWarnings } = rule;
      const reach = framedInItsSentence ? 0 : contextReach;
      around ??= surroundingsOf(words, tokens.text);
      const { spoken, mentioned, warned, quoted, introduced } = around;
      for (const one of yield* combine(parts, found)) {
        yield unitsOfAMatch;
        const own = mayRestOnReports ? one : { ...one, matched: [] };
        const negating = rule.mayFollowConditions ? ofConditions : ofAll;
        if (isNegated(words, one, negating)) continue;
        if (!rule.countsInReports && isFramed(spoken, own, reach)) continue;
        if (rule.negatedInLists && isNegatedInList(words, one, list)) continue;
        if (!rule.countsInReports && mentioned.has(one.sentence)) continue;
        if (!countsInWarnings && isFramed(warned, own, reach)) continue;
        if (!countsInQuotes && isQuoted(quoted, placeOf(words, one))) continue;
        if (rule.isOneVoice && one.matched.some((at) => isQuoted(introduced, words.tokens[at] as Place))) continue;
        if (harmlessInQuestions && words.questions[one.sentence]) continue;
        matches.push({ sign, pattern, ...placeOf(words, one) });
      }
    }
    return matches;
  }
  return { read: (tokens) => atOnce(readInSlices(tokens)), readInSlices, size: rules.length };
}

function placeOf({ tokens }: Read, { start, end }: Occurrence): { start: number; end: number } {
  return { start: tokens[start]?.start ?? 0, end: tokens[end - 1]?.end ?? 0 };
}

/** A negation up to four words before, in the same clause, unless it is the negation of a condition or of an alternative. */
function isNegated(
  read: Read,
  { start, sentence }: Occurrence,
  { negator, condition, orElse }: { negator: number; condition: number; orElse: number },
): boolean {
  const { tokens, hits } = read;
  const is = (at: number, atom: number) => hits[at]?.some((hit) => hit.atom === atom) === true;
  const reach = isUnspaced(tokens[start]?.forms[0] ?? '') ? negatedWithin * charactersOfAWord : negatedWithin;
  for (let at = start - 1; at >= Math.max(0, start - reach); at--) {
    if (tokens[at]?.sentence !== sentence || tokens[at + 1]?.afterBreak || is(at, orElse)) return false;
    if (is(at, negator)) return !isInClause(read, at, condition);
  }
  return false;
}

/** Whether a word of a class stands at or shortly before a place, in its clause. */
function isInClause({ tokens, hits }: Read, place: number, atom: number): boolean {
  for (let at = place; at >= Math.max(0, place - conditionWithin); at--) {
    if (tokens[at]?.sentence !== tokens[place]?.sentence) return false;
    if (hits[at]?.some((hit) => hit.atom === atom)) return true;
    if (tokens[at]?.afterBreak) return false;
  }
  return false;
}

/** A negation earlier in the sentence, before a list that the occurrence is a member of. */
function isNegatedInList(
  { tokens, hits }: Read,
  { start, sentence }: Occurrence,
  { negator, or, instead }: { negator: number; or: number; instead: number },
): boolean {
  const is = (at: number, atom: number) => hits[at]?.some((hit) => hit.atom === atom) === true;
  const isIn = (at: number) => tokens[at]?.sentence === sentence;
  let isJoined = is(start - 1, or);
  for (let at = start; isIn(at) && at < start + listGoesOnWithin; at++) {
    // What follows the list may say what is wanted: "no cheques or vouchers, I only use the checkout".
    if (at > start && isJoined && tokens[at]?.afterBreak) break;
    if (is(at, instead)) return false;
    isJoined ||= is(at, or);
  }
  for (let at = start - 1; at >= start - listedWithin && isIn(at); at--) {
    if (is(at, negator)) return isJoined;
    if (is(at, instead)) return false;
    isJoined ||= is(at, or);
  }
  return false;
}

function placesBySentence({ tokens, hits }: Read, atoms: readonly number[]): Map<number, number[]> {
  const places = new Map<number, number[]>();
  for (const [at, found] of hits.entries()) {
    if (!found.some(({ atom }) => atoms.includes(atom))) continue;
    const { sentence } = tokens[at] as { sentence: number };
    const known = places.get(sentence);
    if (known) known.push(at);
    else places.set(sentence, [at]);
  }
  return places;
}

/** Whether words nearby, apart from those it rests on, make it a report. */
function isFramed(
  places: ReadonlyMap<number, readonly number[]>,
  { sentence, matched }: Occurrence,
  reach: number,
): boolean {
  for (let near = sentence - reach; near <= sentence + reach; near++)
    if (places.get(near)?.some((at) => !matched.includes(at))) return true;
  return false;
}

function sentencesWith({ tokens, hits }: Read, atoms: readonly number[]): Set<number> {
  const sentences = new Set<number>();
  for (const [at, found] of hits.entries())
    if (found.some(({ atom }) => atoms.includes(atom))) sentences.add((tokens[at] as { sentence: number }).sentence);
  return sentences;
}

// French puts blanks inside its marks; German books turn them round, and without blanks, so that what stands between two French
// quotations is none.
const quotation =
  /["\u201c\u201e\u00ab](?=\S)[^"\u201c\u201d\u201e\u00ab\u00bb]{2,300}["\u201c\u201d\u00bb]|\u00ab\s[^"\u201c\u201d\u201e\u00ab\u00bb]{2,300}\u00bb|\u00bb(?=\S)[^"\u201c\u201d\u201e\u00ab\u00bb]{2,300}(?<=\S)\u00ab/gu;

/** Text in quotation marks, which is other people's words. Single quotation marks are too often apostrophes. */
export function quotationsOf(text: string): Place[] {
  return [...text.matchAll(quotation)].map(({ 0: words, index }) => ({ start: index, end: index + words.length }));
}

/** Those of the quotations, which are in the order of the text, that come right after a word such as "said". */
function introducedBy({ tokens, hits }: Read, quotations: readonly Place[], quoting: number): Place[] {
  if (quotations.length === 0) return [];
  const ends = tokens.filter((_, at) => hits[at]?.some(({ atom }) => atom === quoting)).map(({ end }) => end);
  let next = 0;
  return quotations.filter(({ start }) => {
    while ((ends[next] ?? Number.POSITIVE_INFINITY) <= start) next++;
    return start - (ends[next - 1] ?? Number.NEGATIVE_INFINITY) <= quotingWithinUnits;
  });
}

/** Whether one of the quotations, which are in the order of the text and apart from each other, is around a place. */
function isQuoted(quotations: readonly Place[], place: Place): boolean {
  // The last one that begins before the place.
  let from = 0;
  let to = quotations.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((quotations[middle] as { start: number }).start < place.start) from = middle + 1;
    else to = middle;
  }
  const around = quotations[from - 1];
  return around !== undefined && place.end < around.end;
}
