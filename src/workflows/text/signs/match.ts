import type { Slices } from '../../../base/slices.ts';
import type { Contraction, Contractions } from './contractions.ts';
import {
  affixMax,
  type Hit,
  type Lexicon,
  mixedAtom,
  numberAtom,
  type Part,
  type Sequence,
  type Step,
} from './patterns.ts';
import type { Token, Tokens } from './tokens.ts';

/** A sequence of words that was found: tokens from `start` to before `end`. */
export interface Occurrence {
  start: number;
  end: number;
  sentence: number;
  /** The tokens matched by its steps; those in its gaps are free for other parts of a rule. */
  matched: readonly number[];
}

export interface Read {
  tokens: Token[];
  questions: boolean[];
  /** What each token is, and the compounds that begin with it. */
  hits: (readonly Hit[])[];
}

// A text of the maximum length takes half of this; only adversarial texts take more.
const stepsMax = 200_000;
const occurrencesMax = 200;
const beginningMin = 2;
const endMin = 3;
const rememberedMax = 20_000;
// How often a rule may try another place for one of its parts.
const triesMax = 2_000;

// The cost of a word, in units of a slice.
const unitsOfAWord = 20;
// Pausing costs more than a word does, so words are counted until they are worth it.
const unitsOfASlice = 2_000;

/** Looks up each word of a text. */
export function* readHits({ text, tokens, questions }: Tokens, lexicon: Lexicon): Slices<Read> {
  const single: (readonly Hit[])[] = [];
  let taken = 0;
  for (const token of tokens) {
    taken += unitsOfAWord;
    if (taken >= unitsOfASlice) {
      yield taken;
      taken = 0;
    }
    single.push(hitsOf(token, lexicon));
  }
  const { contractions } = lexicon;
  if (contractions) addContracted(text, tokens, single, lexicon, contractions);
  const hits: (readonly Hit[])[] = [];
  for (let at = 0; at < single.length; at++) {
    const found = single[at] as readonly Hit[];
    taken += unitsOfAWord;
    if (taken >= unitsOfASlice) {
      yield taken;
      taken = 0;
    }
    const compounds = compoundsAt(at, tokens, single, lexicon);
    hits.push(compounds.length === 0 ? found : [...found, ...compounds]);
  }
  yield taken;
  return { tokens, questions, hits };
}

const none: readonly never[] = [];

/** The compounds that begin with a token, in the order of its atoms and then of the pack. */
function compoundsAt(
  at: number,
  tokens: readonly Token[],
  single: readonly (readonly Hit[])[],
  { compounds, beginsCompound }: Lexicon,
): readonly Hit[] {
  let all: readonly Hit[] = none;
  for (const { atom, words } of single[at] as readonly Hit[]) {
    if (beginsCompound[atom] !== true) continue;
    const bySecond = compounds.get(atom);
    const next = at + words;
    if (bySecond === undefined || tokens[next]?.sentence !== tokens[at]?.sentence) continue;
    let found: (Hit & { order: number })[] | undefined;
    for (const second of single[next] as readonly Hit[])
      for (const { atom: whole, rest, order } of bySecond.get(second.atom) ?? none) {
        const end = endOf(rest, 0, next + second.words, tokens, single);
        if (end > at) found = [...(found ?? none), { atom: whole, words: end - at, order }];
      }
    if (found) all = [...all, ...found.sort((a, b) => a.order - b.order)];
  }
  return all;
}

/** Where a compound ends whose words from one of `rest` on follow in the same sentence; -1 if they do not. */
function endOf(
  rest: readonly number[],
  index: number,
  place: number,
  tokens: readonly Token[],
  single: readonly (readonly Hit[])[],
): number {
  if (index >= rest.length) return place;
  if (tokens[place]?.sentence !== tokens[place - 1]?.sentence) return -1;
  for (const { atom, words } of single[place] as readonly Hit[]) {
    if (atom !== rest[index]) continue;
    const end = endOf(rest, index + 1, place + words, tokens, single);
    if (end >= 0) return end;
  }
  return -1;
}

/** Adds what each contraction stands for, and what two words are as one: patterns have either. */
function addContracted(
  text: string,
  tokens: readonly Token[],
  single: (readonly Hit[])[],
  lexicon: Lexicon,
  { apart, together, ends }: Contractions,
): void {
  const add = (at: number, word: string, words: number) => {
    const more = hitsOfForm(word, lexicon).map(({ atom }) => ({ atom, words }));
    if (more.length > 0) single[at] = [...(single[at] as readonly Hit[]), ...more];
  };
  for (let at = 0; at < tokens.length; at++) {
    const { forms, start, end, sentence } = tokens[at] as Token;
    const word = forms[0] as string;
    const one = apart.get(word);
    if (one && (!one.needsApostrophe || end - start > word.length || beginsClause(tokens, at, one))) {
      // Of no width: its second word stands at the same place.
      add(at, one.first, 0);
      add(at, one.second, 1);
      for (const other of one.others) add(at, other, 1);
    }
    const next = tokens[at + 1];
    if (next?.sentence !== sentence || next.afterBreak) continue;
    const written = next.forms[0] as string;
    const ended = ends.get(word)?.get(written);
    if (ended !== undefined && text[next.start - 1] !== ' ') add(at + 1, ended, 1);
    for (const joined of together.get(word)?.get(ended ?? written) ?? none) add(at, joined, 2);
  }
}

/** "Ill find you": at the beginning of a clause it is a pronoun with a verb. */
function beginsClause(tokens: readonly Token[], at: number, { opensClauses }: Contraction): boolean {
  if (!opensClauses) return false;
  const before = tokens[at - 1];
  const { sentence, afterBreak } = tokens[at] as Token;
  return afterBreak || before?.sentence !== sentence || conjunctions.has(before.forms[0] as string);
}

const conjunctions: ReadonlySet<string> = new Set(['and', 'or', 'but', 'then', 'else', 'because', 'otherwise']);

function hitsOf({ forms }: Token, lexicon: Lexicon): readonly Hit[] {
  if (forms.length === 1) return hitsOfForm(forms[0] as string, lexicon);
  const byAtom = new Map(forms.flatMap((form) => hitsOfForm(form, lexicon)).map((hit) => [hit.atom, hit]));
  return [...byAtom.values()];
}

/** The hits of a word. Words recur often, so results are cached, up to a limit. */
function hitsOfForm(form: string, lexicon: Lexicon): readonly Hit[] {
  const known = lexicon.remembered.get(form);
  if (known) return known;
  const atoms = new Set(lexicon.whole.get(form));
  const take = (found: readonly number[] | undefined) => {
    for (const atom of found ?? []) atoms.add(atom);
  };
  const limit = Math.min(form.length, affixMax);
  for (let size = beginningMin; size <= limit; size++) take(lexicon.beginnings.get(form.slice(0, size)));
  for (let size = endMin; size <= limit; size++) take(lexicon.ends.get(form.slice(form.length - size)));
  if (form.includes('*')) for (const one of unmasked(form)) take(lexicon.whole.get(one));
  const first = form.charCodeAt(0);
  if (first >= 0x30 && first <= 0x39) atoms.add(numberAtom);
  if (mixed.test(form)) atoms.add(mixedAtom);
  const found = atoms.size === 0 ? none : [...atoms].map((atom) => ({ atom, words: 1 }));
  if (lexicon.remembered.size < rememberedMax) lexicon.remembered.set(form, found);
  return found;
}

// Three letters and a digit at least, in either order: "b2" and "4th" are no passwords.
const mixed = /^(?=.*\d)(?=(?:.*\p{L}){3})/u;

// "st*pid": most often a vowel is masked.
function unmasked(form: string): string[] {
  return ['a', 'e', 'i', 'o', 'u', 'c', 's', 't'].map((letter) => form.replace('*', letter));
}

/** Finds the sequences in a text; `negator` is the atom that no gap may pass over. */
export function* findSequences(
  read: Read,
  sequences: readonly Sequence[],
  starts: ReadonlyMap<number, ReadonlySet<number>>,
  negator: number,
): Slices<Map<number, Occurrence[]>> {
  const found = new Map<number, Occurrence[]>();
  const budget = { steps: stepsMax };
  let taken = 0;
  for (let at = 0; at < read.tokens.length && budget.steps > 0; at++) {
    const before = budget.steps;
    let tried = 0;
    for (const { atom, words } of read.hits[at] as readonly Hit[])
      for (const id of starts.get(atom) ?? none) {
        tried++;
        const known = found.get(id);
        // Do not search for what could not be kept.
        if (known && (known.length >= occurrencesMax || known.at(-1)?.start === at)) continue;
        const { steps } = sequences[id] as Sequence;
        const { sentence } = read.tokens[at] as Token;
        const end = at + words;
        const ends: number[] = [];
        const stop = follow({ read, steps, sentence, negator, budget, ends }, 1, end);
        if (stop < 0) continue;
        // A contraction's first word is of no width.
        const one = {
          start: at,
          end: Math.max(stop, at + 1),
          sentence,
          matched: matchedBy(at, Math.max(end, at + 1), ends),
        };
        if (known) known.push(one);
        else found.set(id, [one]);
      }
    taken += unitsOfAWord + tried + before - budget.steps;
    if (taken >= unitsOfASlice) {
      yield taken;
      taken = 0;
    }
  }
  yield taken;
  return found;
}

interface Following {
  read: Read;
  steps: readonly Step[];
  sentence: number;
  negator: number;
  budget: { steps: number };
  /** Where each step matched so far begins and ends; last step first once all match. */
  ends: number[];
}

/** The token after the last of the steps from `step` on, if they match at `at`; else -1. */
function follow(following: Following, step: number, at: number): number {
  const { read, steps, sentence, negator, budget, ends } = following;
  if (step >= steps.length) return at;
  const { atoms, gap, optional } = steps[step] as Step;
  for (let place = at; place <= at + gap; place++) {
    if (budget.steps-- <= 0 || read.tokens[place]?.sentence !== sentence) break;
    let isNegation = false;
    for (const { atom, words } of read.hits[place] as readonly Hit[]) {
      if (atom === negator) isNegation = true;
      if (!atoms.includes(atom)) continue;
      const end = place + words;
      const stop = follow(following, step + 1, end);
      if (stop < 0) continue;
      ends.push(place, end);
      return stop;
    }
    if (isNegation) break;
  }
  return optional ? follow(following, step + 1, at) : -1;
}

/** The words of a first step and of those after it, in the order of the text. */
function matchedBy(start: number, end: number, ends: readonly number[]): number[] {
  const matched: number[] = [];
  for (let at = start; at < end; at++) matched.push(at);
  for (let pair = ends.length - 2; pair >= 0; pair -= 2)
    for (let at = ends[pair] as number; at < (ends[pair + 1] as number); at++) matched.push(at);
  return matched;
}

/** The places where all of a rule's parts match. No two parts rest on the same words: one word is not evidence of two things. */
export function* combine(parts: readonly Part[], found: ReadonlyMap<number, Occurrence[]>): Slices<Occurrence[]> {
  const [first, ...others] = parts as [Part, ...Part[]];
  const needed = others.filter(({ absent }) => !absent);
  const combined: Occurrence[] = [];
  let taken = 0;
  for (const one of found.get(first.sequence) ?? []) {
    const candidates = ({ sequence, reach }: Part) =>
      (found.get(sequence) ?? []).filter((other) => inReach(other, one, reach));
    taken += others.reduce((sum, { sequence }) => sum + (found.get(sequence)?.length ?? 0), unitsOfAWord);
    if (taken >= unitsOfASlice) {
      yield taken;
      taken = 0;
    }
    if (others.some((part) => part.absent && candidates(part).length > 0)) continue;
    const budget = { tries: triesMax };
    const chosen = chooseApart(needed.map(candidates), [one], budget);
    taken += (triesMax - budget.tries) * 2;
    if (!chosen) continue;
    const together = chosen.filter(({ sentence }) => sentence === one.sentence);
    combined.push({
      ...one,
      start: Math.min(...together.map(({ start }) => start)),
      end: Math.max(...together.map(({ end }) => end)),
      matched: chosen.flatMap(({ matched }) => matched),
    });
  }
  yield taken;
  return combined;
}

/** One from each list, so that no two share a word; undefined if that is impossible. */
function chooseApart(
  [next, ...rest]: readonly (readonly Occurrence[])[],
  chosen: readonly Occurrence[],
  budget: { tries: number },
): readonly Occurrence[] | undefined {
  if (!next) return chosen;
  for (const one of next) {
    if (budget.tries-- <= 0) return undefined;
    if (chosen.some((other) => sharesWord(one, other))) continue;
    const all = chooseApart(rest, [...chosen, one], budget);
    if (all) return all;
  }
  return undefined;
}

function sharesWord(one: Occurrence, other: Occurrence): boolean {
  if (one.end <= other.start || other.end <= one.start) return false;
  return one.matched.some((token) => other.matched.includes(token));
}

function inReach(one: Occurrence, other: Occurrence, reach: Part['reach']): boolean {
  const apart = Math.abs(one.sentence - other.sentence);
  return reach === 'near' ? apart <= 2 : apart === 0;
}
