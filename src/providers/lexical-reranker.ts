import { createSharedTurns } from '../base/shared-turns.ts';
import { ownTurn } from '../base/turn.ts';
import type { Ranked, RerankCall, RerankUpstream } from './rerank-upstream.ts';

/** The usual Okapi BM25 constants: how quickly repeats of a word stop counting, and how strongly long documents are penalised. */
const saturation = 1.2;
const lengthWeight = 0.75;
/** What is computed before other work gets a turn, in units of some 10 ns: 2.5 ms. */
const unitsInTurn = 250_000;
/** Reading a character is a unit. Looking a word up, counting it or weighing it takes as long as this many. */
const unitsOfWord = 12;
const unitsOfDocument = 64;
/** Rankings of fewer characters take a few milliseconds and wait for nobody. */
const largeCharacters = 65_536;
/**
 * Large rankings computed at once. The largest take half a second of processor time each; if all were computed in parallel, each
 * would take as long as all of them, and keep its words in memory meanwhile. An owner's eight take about 4 s, and twice as long beside
 * others: who has more is asked to come back, before a caller's patience ends.
 */
const rankings = createSharedTurns({ all: 4, each: 2, waitingMax: 6 });

/**
 * The embedded reranking model, which needs no network: Okapi BM25 over the words of the query, as a share of the highest
 * possible score. It knows no synonyms and no languages. Its tokens are runs of letters or digits.
 */
export function createLexicalReranker(): RerankUpstream {
  return { rerank: (call) => (isLarge(call) ? rankings(call.owner, () => rank(call)) : rank(call)) };
}

function isLarge({ query, documents }: RerankCall): boolean {
  let characters = query.length;
  return documents.some((document) => {
    characters += document.length;
    return characters >= largeCharacters;
  });
}

async function rank({ query, documents, signal }: RerankCall): Promise<{ ranking: Ranked[]; tokens: number }> {
  let unitsLeft = 0;
  const spend: Spend = (units) => {
    unitsLeft -= units;
    return unitsLeft > 0 ? undefined : giveWay();
  };
  const giveWay = async () => {
    unitsLeft = unitsInTurn;
    await ownTurn();
    signal.throwIfAborted();
  };
  await giveWay();
  const asked = await numberWords(query, spend);
  const having = new Uint32Array(asked.places.size);
  const counted: Counted[] = [];
  for (const document of documents) {
    const found = await count(document, asked.places, spend);
    for (const place of found.words) having[place] = (having[place] ?? 0) + 1;
    counted.push(found);
    const others = spend(unitsOfDocument + found.words.length);
    if (others) await others;
  }
  const tokens = counted.reduce((sum, { length }) => sum + length, asked.length);
  const found = await scores(counted, weigh(having, documents.length), spend);
  const ranking = found.map((score, index) => ({ index, score }));
  // A request of punctuation alone has no words, but no request has 0 tokens.
  return { ranking: ranking.sort((a, b) => b.score - a.score || a.index - b.index), tokens: Math.max(tokens, 1) };
}

/** Says that this many units were computed; to be awaited when it returns a promise, because others are to have a turn. */
type Spend = (units: number) => Promise<void> | undefined;

/** The query words that a text contains, by index, and how often; in arrays, because there may be a million. */
interface Counted {
  words: Uint32Array;
  times: Uint32Array;
  /** The total number of words in the text. */
  length: number;
}

/** Each distinct word of a query, with its index. */
async function numberWords(
  query: string,
  spend: Spend,
): Promise<{ places: ReadonlyMap<string, number>; length: number }> {
  const places = new Map<string, number>();
  const length = await readWords(query, spend, (word) => {
    if (!places.has(word)) places.set(word, places.size);
  });
  return { places, length };
}

async function count(text: string, places: ReadonlyMap<string, number>, spend: Spend): Promise<Counted> {
  const counts = new Map<number, number>();
  const length = await readWords(text, spend, (word) => {
    const place = places.get(word);
    if (place !== undefined) counts.set(place, (counts.get(place) ?? 0) + 1);
  });
  return { words: Uint32Array.from(counts.keys()), times: Uint32Array.from(counts.values()), length };
}

/** Calls `told` with each word of a text; returns how many there are. */
async function readWords(text: string, spend: Spend, told: (word: string) => void): Promise<number> {
  const lower = text.toLowerCase();
  let length = 0;
  let readTo = 0;
  for (let at = 0; at < lower.length; ) {
    const start = at;
    for (let size = sizeInWord(lower, at); size > 0; size = sizeInWord(lower, at)) at += size;
    if (at === start) {
      at += 1;
      continue;
    }
    length += 1;
    told(lower.slice(start, at));
    const others = spend(unitsOfWord + at - readTo);
    readTo = at;
    if (others) await others;
  }
  return length;
}

const letterOrDigit = /[\p{L}\p{N}]/u;
/** Whether each UTF-16 unit is a letter or digit, found out when it is first met. */
const kinds = new Uint8Array(0x10000);
const ofWord = 1;
const betweenWords = 2;

/** How many UTF-16 units the letter or digit at this place takes; 0 if there is none. */
function sizeInWord(text: string, at: number): number {
  if (at >= text.length) return 0;
  const unit = text.charCodeAt(at);
  const known = kinds[unit];
  if (known) return known === ofWord ? 1 : 0;
  const letter = String.fromCodePoint(text.codePointAt(at) ?? 0);
  const isOfWord = letterOrDigit.test(letter);
  // Half of a pair says nothing of a pair.
  if (unit < 0xd800 || unit > 0xdfff) kinds[unit] = isOfWord ? ofWord : betweenWords;
  return isOfWord ? letter.length : 0;
}

/** The weight of each word: the rarer it is among the documents, the higher. */
function weigh(having: Uint32Array, documents: number): Float64Array {
  return Float64Array.from(having, (among) => Math.log(1 + (documents - among + 0.5) / (among + 0.5)));
}

async function scores(documents: readonly Counted[], weights: Float64Array, spend: Spend): Promise<number[]> {
  const average = documents.reduce((sum, { length }) => sum + length, 0) / documents.length || 1;
  const most = weights.reduce((sum, weight) => sum + weight, 0) * (saturation + 1);
  const found: number[] = [];
  for (const { words, times, length } of documents) {
    let score = 0;
    const held = saturation * (1 - lengthWeight + (lengthWeight * length) / average);
    for (let at = 0; at < words.length; at++) {
      const word = words[at] ?? 0;
      const often = times[at] ?? 0;
      score += ((weights[word] ?? 0) * often * (saturation + 1)) / (often + held);
    }
    found.push(most === 0 ? 0 : score / most);
    const others = spend(unitsOfDocument + words.length);
    if (others) await others;
  }
  return found;
}
