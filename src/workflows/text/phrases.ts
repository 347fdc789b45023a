import { atOnce, type Slices } from '../../base/slices.ts';
import { type Folded, fold, foldText, originOf } from '../../base/text/fold.ts';
import { isUnspacedUnit, isWordBoundary, isWordUnit } from '../../base/text/words.ts';
import { addChild, addEnd, createTrieNode, follow, type TrieNode } from './trie.ts';

/** A phrase found in a text; offsets in UTF-16 units of the original text. */
export interface PhraseMatch<Entry> {
  entry: Entry;
  start: number;
  end: number;
}

export interface PhraseIndex<Entry> {
  /** All occurrences, in text order; if several of one entry start at the same place, the longest; at most `max`. */
  find(text: Folded, max?: number): PhraseMatch<Entry>[];
  findInSlices(text: Folded, max?: number): Slices<PhraseMatch<Entry>[]>;
  /** The same, and whether the whole text was searched: the limits may end a search early. */
  search(text: Folded, bounds: SearchBounds): Slices<Searched<Entry>>;
  readonly size: number;
  /** The number of nodes in its trie, each about 70 bytes. */
  readonly nodes: number;
}

export interface Searched<Entry> {
  matches: PhraseMatch<Entry>[];
  isWhole: boolean;
}

/** How far a search goes. */
export interface SearchBounds {
  max: number;
  /** Remaining steps, counted down; several searches may share them. */
  steps: number;
}

// A text takes a few steps per word; only adversarial combinations of phrases and text take this many (about 50 ms).
export const searchStepsMax = 1_200_000;

/**
 * Makes phrases searchable: one walk along a trie from each word start, so that the time is at most the text's length times
 * the longest phrase's, however many phrases there are.
 *
 * The steps are limited: an adversarial combination of text and phrases is searched only that far.
 *
 * Phrase syntax: words and blanks; `*` at the end of a word matches any ending (`guarantee*`); `#` is a number (`12`,
 * `1,000.50`); `..` between words stands for up to four others. Case, accents and invisible characters never matter.
 */
export function indexPhrases<Entry>(phrases: Iterable<IndexedPhrase<Entry>>): PhraseIndex<Entry> {
  return atOnce(indexPhrasesInSlices(phrases));
}

/** Each character of a phrase makes a trie node: about 1 us. */
const unitsOfANode = 20;

/** The same for a possibly large number of phrases. */
export function* indexPhrasesInSlices<Entry>(phrases: Iterable<IndexedPhrase<Entry>>): Slices<PhraseIndex<Entry>> {
  const { add, end } = beginIndex<Entry>();
  for (const phrase of phrases) {
    yield phrase.phrase.length * unitsOfANode;
    add(phrase);
  }
  return end();
}

/** A phrase, and what it stands for. */
export interface IndexedPhrase<Entry> {
  phrase: string;
  entry: Entry;
  /** Does not match if a word right before it negates it. */
  unlessNegated?: boolean;
}

function beginIndex<Entry>() {
  const root = createTrieNode<End<Entry>>();
  let size = 0;
  let nodes = 1;
  let gapped = 0;

  function add({ phrase, entry, unlessNegated }: IndexedPhrase<Entry>): void {
    const segments = phrase.split(/\s+\.\.\s+/).map((segment) => foldText(segment));
    if (segments.some((segment) => segment.replace('*', '') === '')) return;
    size++;
    const chain = segments.length > 1 ? gapped++ : -1;
    for (const [part, segment] of segments.entries())
      nodes += insert(root, segment, {
        entry,
        chain,
        part,
        last: part === segments.length - 1,
        unlessNegated: unlessNegated === true,
      });
  }
  function* findInSlices(text: Folded, max = 1000): Slices<PhraseMatch<Entry>[]> {
    return (yield* findAll(root, gapped, text, { max, steps: searchStepsMax })).matches;
  }
  const end = (): PhraseIndex<Entry> => ({
    ...{ size, nodes, findInSlices },
    find: (text, max) => atOnce(findInSlices(text, max)),
    search: (text, bounds) => findAll(root, gapped, text, bounds, true),
  });
  return { add, end };
}

/** Whether words occur in a text exactly as given (after folding), anywhere. */
export function occursIn(haystack: string, needle: string): boolean {
  const wanted = foldText(needle);
  return wanted !== '' && foldText(haystack).includes(wanted);
}

/** A text without the characters that have a meaning in phrases. */
export function plain(text: string): string {
  return text.replace(/[*#]/g, ' ').replace(/\.\./g, ' ');
}

export function find<Entry>(index: PhraseIndex<Entry>, text: string): PhraseMatch<Entry>[] {
  return index.find(fold(text));
}

type Node<Entry> = TrieNode<End<Entry>>;

interface End<Entry> {
  entry: Entry;
  /** The phrase with gaps that this is a part of; -1: none. */
  chain: number;
  part: number;
  last: boolean;
  /** The word may continue. */
  open: boolean;
  unlessNegated: boolean;
}

interface Progress {
  part: number;
  start: number;
  end: number;
}

// On the trie, these stand for a number and for the rest of a word: folded texts never contain them.
const numberUnit = 0;
const restUnit = 1;
const gapUnitsMax = 60;
const gapWordsMax = 4;

/** Returns the number of new nodes. */
function insert<Entry>(root: Node<Entry>, segment: string, end: Omit<End<Entry>, 'open'>): number {
  const open = segment.endsWith('*');
  const text = open ? segment.slice(0, -1) : segment;
  let node = root;
  let made = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text[at] === '#' ? numberUnit : text[at] === '*' ? restUnit : text.charCodeAt(at);
    if (unit <= restUnit) node.forks = true;
    const next = follow(node, unit);
    if (!next) made++;
    node = next ?? addChild(node, unit);
  }
  addEnd(node, { ...end, open });
  return made;
}

/** Units of a slice: characters and steps. */
const unitsOfASlice = 20_000;

function* findAll<Entry>(
  root: Node<Entry>,
  chains: number,
  text: Folded,
  bounds: SearchBounds,
  countsLookUps = false,
): Slices<Searched<Entry>> {
  const { units, length } = text;
  const words = wordBoundariesOf(text);
  let taken = 0;
  const matches: PhraseMatch<Entry>[] = [];
  const progress: Progress[][] = Array.from({ length: chains }, () => []);
  let start = 0;
  const visit = (end: End<Entry>, stop: number) => {
    const whole = accept(text, start, stop, end, progress);
    if (whole === undefined) return;
    if (end.unlessNegated && isNegated(text, whole)) return;
    keepLongest(matches, { entry: end.entry, ...originOf(text, whole, stop) });
  };
  let wasWord = false;
  for (; start < length; start++) {
    if (++taken >= unitsOfASlice) {
      yield taken;
      taken = 0;
    }
    const unit = units[start] as number;
    const isWord = isWordUnit(unit);
    const goesOn = isWord && wasWord && !isUnspacedUnit(unit);
    wasWord = isWord;
    if (goesOn) continue;
    if (matches.length >= bounds.max || bounds.steps <= 0) return { matches, isWhole: false };
    // No phrase begins with a blank, and with most signs none does.
    if (!root.forks && follow(root, unit) === undefined) {
      bounds.steps--;
      taken++;
      continue;
    }
    const before = words.lookUps;
    const steps = walk(root, text, words, start, visit);
    const looked = (words.lookUps - before) * stepsPerLookUp;
    bounds.steps -= countsLookUps ? steps + looked : steps;
    taken += steps + looked;
  }
  return { matches, isWhole: true };
}

/** Follows the trie from one place; reaches each node at most once. Returns the number of steps. */
function walk<Entry>(
  root: Node<Entry>,
  text: Folded,
  words: WordBoundaries,
  start: number,
  visit: (end: End<Entry>, stop: number) => void,
): number {
  const { units, length } = text;
  let steps = 0;
  let branches: { node: Node<Entry>; at: number }[] | undefined;
  let node: Node<Entry> | undefined = root;
  let at = start;
  for (;;) {
    while (node) {
      steps += 1 + node.ends.length;
      for (const end of node.ends) {
        const stop = end.open ? wordEnd(units, length, at) : at;
        if (boundaries(text, words, start, stop)) visit(end, stop);
      }
      if (at >= length) break;
      const unit = units[at] as number;
      if (node.forks) branches = fork(node, text, at, branches);
      node = follow(node, unit);
      at++;
    }
    const branch = branches?.pop();
    if (!branch) return steps;
    node = branch.node;
    at = branch.at;
  }
}

/** Where a number or the rest of a word may come, the walk also continues after it. */
function fork<Entry>(
  node: Node<Entry>,
  { units, length }: Folded,
  at: number,
  branches: { node: Node<Entry>; at: number }[] = [],
): { node: Node<Entry>; at: number }[] {
  const number = follow(node, numberUnit);
  if (number && isDigit(units[at] as number)) branches.push({ node: number, at: numberEnd(units, length, at) });
  const rest = follow(node, restUnit);
  if (rest) branches.push({ node: rest, at: wordEnd(units, length, at) });
  return branches;
}

/** Where the whole phrase starts if this was its last part; undefined if it is incomplete. */
function accept<Entry>(
  text: Folded,
  start: number,
  stop: number,
  end: End<Entry>,
  progress: Progress[][],
): number | undefined {
  if (end.chain < 0) return start;
  const parts = progress[end.chain] as Progress[];
  const before = end.part === 0 ? undefined : parts[end.part - 1];
  if (end.part > 0 && (before === undefined || !isNear(text, before.end, start))) return undefined;
  const whole = before?.start ?? start;
  if (end.last) return whole;
  parts[end.part] = { part: end.part, start: whole, end: stop };
  return undefined;
}

function isNear({ units }: Folded, from: number, to: number): boolean {
  if (to < from || to - from > gapUnitsMax) return false;
  let words = 0;
  for (let at = from + 1; at < to; at++) {
    const unit = units[at] as number;
    // A gap never crosses the end of a sentence.
    if (unit === 0x2e || unit === 0x21 || unit === 0x3f || unit === 0x3002) return false;
    if (isWordUnit(unit) && !isWordUnit(units[at - 1] as number)) words++;
  }
  return words <= gapWordsMax;
}

function keepLongest<Entry>(found: PhraseMatch<Entry>[], match: PhraseMatch<Entry>): void {
  for (let index = found.length - 1; index >= 0 && index >= found.length - 8; index--) {
    const other = found[index] as PhraseMatch<Entry>;
    if (other.entry !== match.entry || other.end <= match.start) continue;
    if (match.end - match.start > other.end - other.start) found[index] = match;
    return;
  }
  found.push(match);
}

/** Word boundaries in a text without blanks, computed lazily and once per place. */
interface WordBoundaries {
  at(place: number): boolean;
  /** How many places were looked up; for each, the segmenter takes about as long as `stepsPerLookUp` steps of a walk. */
  lookUps: number;
}

const stepsPerLookUp = 600;
const wordBoundaries = new WeakMap<Folded, WordBoundaries>();
const [isBoundary, isNone] = [1, 2];

function wordBoundariesOf(text: Folded): WordBoundaries {
  let boundariesOfText = wordBoundaries.get(text);
  if (boundariesOfText) return boundariesOfText;
  let known: Uint8Array | undefined;
  boundariesOfText = {
    lookUps: 0,
    at(place) {
      known ??= new Uint8Array(text.length + 1);
      if (known[place] === 0) {
        this.lookUps++;
        known[place] = isWordBoundary(text.original, text.origins[place] as number) ? isBoundary : isNone;
      }
      return known[place] === isBoundary;
    },
  };
  wordBoundaries.set(text, boundariesOfText);
  return boundariesOfText;
}

function boundaries(text: Folded, words: WordBoundaries, start: number, stop: number): boolean {
  const { units, length } = text;
  if (stop <= start) return false;
  const last = units[stop - 1] as number;
  if (stop < length && isWordUnit(last) && isWordUnit(units[stop] as number) && !isUnspacedUnit(last)) return false;
  const first = units[start] as number;
  if (start > 0 && isUnspacedUnit(first) && isUnspacedUnit(units[start - 1] as number))
    if (!words.at(start)) return false;
  if (stop < length && isUnspacedUnit(last) && isUnspacedUnit(units[stop] as number)) return words.at(stop);
  return true;
}

function wordEnd(units: Uint16Array, length: number, at: number): number {
  // Anything longer is not a word.
  const limit = Math.min(length, at + 40);
  let stop = at;
  while (stop < limit && isWordUnit(units[stop] as number)) stop++;
  return stop;
}

function numberEnd(units: Uint16Array, length: number, at: number): number {
  const limit = Math.min(length, at + 30);
  let stop = at;
  while (stop < limit) {
    const unit = units[stop] as number;
    const separates = (unit === 0x2e || unit === 0x2c) && isDigit(units[stop + 1] as number);
    if (!isDigit(unit) && !separates) break;
    stop++;
  }
  return stop;
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

// In the languages of the shipped packs; a phrase right after one of these is negated.
const negators = new Set(
  'not no never without cannot nicht kein keine keinen keiner niemals ohne pas sans jamais aucun aucune sin nunca ningun ninguna nao sem nenhum nenhuma non senza nie ne bez не без никогда нет'.split(
    ' ',
  ),
);

function isNegated(text: Folded, start: number): boolean {
  const from = Math.max(0, start - 32);
  const before = String.fromCharCode(...text.units.subarray(from, start));
  // Only within the same clause, and only the two words before.
  const clause = before.split(/[.,;:!?。，！？]/u).at(-1) ?? '';
  const words = clause.trim().split(/\s+/).slice(-2);
  return words.some((word) => negators.has(word) || word.endsWith("n't"));
}
