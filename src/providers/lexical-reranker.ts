import { createSharedTurns } from '../base/shared-turns.ts';
import { ownTurn } from '../base/turn.ts';
import type { Ranked, RerankCall, RerankUpstream } from './rerank-upstream.ts';

/** The usual Okapi BM25 constants: how quickly repeats of a word stop counting, and how strongly long documents are penalised. */
const saturation = 1.2;
const lengthWeight = 0.75;
/** Characters read, or words weighed, before other work gets a turn: some 2.5 ms each. */
const charactersInTurn = 32_768;
const wordsInTurn = 16_384;
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
  const giveWay = async () => {
    await ownTurn();
    signal.throwIfAborted();
  };
  await giveWay();
  const asked = await numberWords(query, giveWay);
  const having = new Uint32Array(asked.places.size);
  const counted: Counted[] = [];
  let read = 0;
  for (const document of documents) {
    const found = await count(document, asked.places, giveWay);
    for (const place of found.words) having[place] = (having[place] ?? 0) + 1;
    counted.push(found);
    // A word costs about as much as two of its characters, and each document has a fixed cost.
    read += Math.min(document.length, charactersInTurn) + 2 * found.words.length + 64;
    if (read < charactersInTurn) continue;
    read = 0;
    await giveWay();
  }
  const tokens = counted.reduce((sum, { length }) => sum + length, asked.length);
  const found = await scores(counted, weigh(having, documents.length), giveWay);
  const ranking = found.map((score, index) => ({ index, score }));
  // A request of punctuation alone has no words, but no request has 0 tokens.
  return { ranking: ranking.sort((a, b) => b.score - a.score || a.index - b.index), tokens: Math.max(tokens, 1) };
}

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
  giveWay: () => Promise<void>,
): Promise<{ places: ReadonlyMap<string, number>; length: number }> {
  const places = new Map<string, number>();
  const length = await readWords(query, giveWay, (word) => {
    if (!places.has(word)) places.set(word, places.size);
  });
  return { places, length };
}

async function count(
  text: string,
  places: ReadonlyMap<string, number>,
  giveWay: () => Promise<void>,
): Promise<Counted> {
  const counts = new Map<number, number>();
  const length = await readWords(text, giveWay, (word) => {
    const place = places.get(word);
    if (place !== undefined) counts.set(place, (counts.get(place) ?? 0) + 1);
  });
  return { words: Uint32Array.from(counts.keys()), times: Uint32Array.from(counts.values()), length };
}

/** Calls `told` with each word of a text; returns how many there are. */
async function readWords(text: string, giveWay: () => Promise<void>, told: (word: string) => void): Promise<number> {
  let length = 0;
  let turnAt = charactersInTurn;
  for (const { 0: word, index } of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
    length += 1;
    told(word);
    if (index < turnAt) continue;
    turnAt = index + charactersInTurn;
    await giveWay();
  }
  return length;
}

/** The weight of each word: the rarer it is among the documents, the higher. */
function weigh(having: Uint32Array, documents: number): Float64Array {
  return Float64Array.from(having, (among) => Math.log(1 + (documents - among + 0.5) / (among + 0.5)));
}

async function scores(
  documents: readonly Counted[],
  weights: Float64Array,
  giveWay: () => Promise<void>,
): Promise<number[]> {
  const average = documents.reduce((sum, { length }) => sum + length, 0) / documents.length || 1;
  const most = weights.reduce((sum, weight) => sum + weight, 0) * (saturation + 1);
  const found: number[] = [];
  let weighed = 0;
  for (const { words, times, length } of documents) {
    let score = 0;
    const held = saturation * (1 - lengthWeight + (lengthWeight * length) / average);
    for (const [at, word] of words.entries()) {
      const often = times[at] ?? 0;
      score += ((weights[word] ?? 0) * often * (saturation + 1)) / (often + held);
    }
    found.push(most === 0 ? 0 : score / most);
    weighed += words.length;
    if (weighed < wordsInTurn) continue;
    weighed = 0;
    await giveWay();
  }
  return found;
}
