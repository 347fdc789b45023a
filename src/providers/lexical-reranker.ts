import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RerankUpstream } from './rerank-upstream.ts';

/** Okapi BM25's usual constants: how soon more of one word counts no more, and how much a long document is held back. */
const saturation = 1.2;
const lengthWeight = 0.75;
/** Characters that are read, or words that are weighed, before other work comes in between: some 10 ms each. */
const charactersInTurn = 131_072;
const wordsInTurn = 65_536;

/**
 * The embedded model that ranks documents, which needs no network: Okapi BM25 over the words of the query, as shares of the most
 * that a document could have. It knows no synonyms and no languages. Its tokens are runs of letters or digits.
 */
export function createLexicalReranker(): RerankUpstream {
  return {
    async rerank({ query, documents, signal }) {
      const giveWay = async () => {
        await nextTurn();
        signal.throwIfAborted();
      };
      const asked = await count(query, undefined, giveWay);
      const having = new Map<string, number>();
      const counted: Counted[] = [];
      let read = 0;
      for (const document of documents) {
        const found = await count(document, asked.counts, giveWay);
        for (const word of found.counts.keys()) having.set(word, (having.get(word) ?? 0) + 1);
        counted.push(found);
        // A word costs about as much as two of its characters, and each document something.
        read += Math.min(document.length, charactersInTurn) + 2 * found.counts.size + 64;
        if (read < charactersInTurn) continue;
        read = 0;
        await giveWay();
      }
      const tokens = counted.reduce((sum, { length }) => sum + length, asked.length);
      const found = await scores(counted, weigh([...asked.counts.keys()], having, documents.length), giveWay);
      const ranking = found.map((score, index) => ({ index, score }));
      // A request of marks alone has no word, and no request has 0 tokens.
      return { ranking: ranking.sort((a, b) => b.score - a.score || a.index - b.index), tokens: Math.max(tokens, 1) };
    },
  };
}

/** How often words are in a text, and how many words it has in all. */
interface Counted {
  counts: ReadonlyMap<string, number>;
  length: number;
}

/** Counts the words of a text that are among some; all words where none are named. */
async function count(
  text: string,
  among: ReadonlyMap<string, number> | undefined,
  giveWay: () => Promise<void>,
): Promise<Counted> {
  const counts = new Map<string, number>();
  let length = 0;
  let turnAt = charactersInTurn;
  for (const { 0: word, index } of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
    length += 1;
    if (!among || among.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
    if (index < turnAt) continue;
    turnAt = index + charactersInTurn;
    await giveWay();
  }
  return { counts, length };
}

/** What each word is worth: the rarer among the documents, the more. */
function weigh(words: readonly string[], having: ReadonlyMap<string, number>, documents: number): Map<string, number> {
  return new Map(
    words.map((word) => {
      const among = having.get(word) ?? 0;
      return [word, Math.log(1 + (documents - among + 0.5) / (among + 0.5))];
    }),
  );
}

async function scores(
  documents: readonly Counted[],
  weights: ReadonlyMap<string, number>,
  giveWay: () => Promise<void>,
): Promise<number[]> {
  const average = documents.reduce((sum, { length }) => sum + length, 0) / documents.length || 1;
  const most = [...weights.values()].reduce((sum, weight) => sum + weight, 0) * (saturation + 1);
  const found: number[] = [];
  let weighed = 0;
  for (const { counts, length } of documents) {
    let score = 0;
    const held = saturation * (1 - lengthWeight + (lengthWeight * length) / average);
    for (const [word, times] of counts) score += ((weights.get(word) ?? 0) * times * (saturation + 1)) / (times + held);
    found.push(most === 0 ? 0 : score / most);
    weighed += counts.size;
    if (weighed < wordsInTurn) continue;
    weighed = 0;
    await giveWay();
  }
  return found;
}
