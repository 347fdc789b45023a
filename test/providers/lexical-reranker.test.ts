import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLexicalReranker } from '../../src/providers/lexical-reranker.ts';

const { rerank } = createLexicalReranker();

function rank(query: string, documents: string[]) {
  return rerank({ query, documents, owner: 'a', model: 'lexical', signal: new AbortController().signal } as never);
}

/** Every letter and digit of Unicode, whole pairs, their halves, and what is between words. */
const texts = fc.string({
  unit: fc.oneof(
    fc.constantFrom(' ', 'a', 'İ', 'ß', '½', '𝒜', '😀', '\ud835', '\udc9c', '漢', '-'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
  maxLength: 40,
});

test('a word is a run of letters and digits, of any script', () => {
  const wordsIn = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return fc.assert(
    fc.asyncProperty(texts, texts, async (query, document) => {
      const { ranking, tokens } = await rank(query, [document, 'unlike']);
      const asked = new Set(wordsIn(query));
      const found = wordsIn(document);
      expect(tokens).toBe(Math.max(1, wordsIn(query).length + found.length + 1));
      expect((ranking.find(({ index }) => index === 0)?.score ?? 0) > 0).toBe(found.some((word) => asked.has(word)));
    }),
    { numRuns: 2_000 },
  );
});
