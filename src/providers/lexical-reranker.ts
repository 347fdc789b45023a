import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RerankUpstream } from './rerank-upstream.ts';

/** Okapi BM25's usual constants: how soon more of one word counts no more, and how much a long document is held back. */
const saturation = 1.2;
const lengthWeight = 0.75;
/** Characters that are looked at before other work comes in between: about 10 ms. */
const charactersInTurn = 262_144;

/**
 * The embedded model that ranks documents, which needs no network: Okapi BM25 over the words of the query, as shares of the most
 * that a document could have. It knows no synonyms and no languages. Its tokens are runs of letters or digits.
 */
export function createLexicalReranker(): RerankUpstream {
  return {
    async rerank({ query, documents, signal }) {
      const asked = new Set(wordsOf(query));
      const counted: { counts: Map<string, number>; length: number }[] = [];
      let looked = 0;
      for (const document of documents) {
        counted.push(count(wordsOf(document), asked));
        looked += document.length;
        if (looked < charactersInTurn) continue;
        looked = 0;
        await nextTurn();
        signal.throwIfAborted();
      }
      const tokens = counted.reduce((sum, { length }) => sum + length, wordsOf(query).length);
      const ranking = scores(counted, asked).map((score, index) => ({ index, score }));
      // A request of marks alone has no word, and no request has 0 tokens.
      return { ranking: ranking.sort((a, b) => b.score - a.score || a.index - b.index), tokens: Math.max(tokens, 1) };
    },
  };
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function count(words: readonly string[], asked: ReadonlySet<string>): { counts: Map<string, number>; length: number } {
  const counts = new Map<string, number>();
  for (const word of words) if (asked.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return { counts, length: words.length };
}

function scores(
  documents: readonly { counts: ReadonlyMap<string, number>; length: number }[],
  asked: ReadonlySet<string>,
): number[] {
  const average = documents.reduce((sum, { length }) => sum + length, 0) / documents.length || 1;
  const weights = new Map<string, number>();
  for (const word of asked) {
    const having = documents.filter(({ counts }) => counts.has(word)).length;
    weights.set(word, Math.log(1 + (documents.length - having + 0.5) / (having + 0.5)));
  }
  const most = [...weights.values()].reduce((sum, weight) => sum + weight, 0) * (saturation + 1);
  return documents.map(({ counts, length }) => {
    let score = 0;
    const held = saturation * (1 - lengthWeight + (lengthWeight * length) / average);
    for (const [word, found] of counts) score += ((weights.get(word) ?? 0) * found * (saturation + 1)) / (found + held);
    return most === 0 ? 0 : score / most;
  });
}
