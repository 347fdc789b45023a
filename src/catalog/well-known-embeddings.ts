import type { ModelSettings } from './model.ts';

/**
 * Well-known embedding models, used in the same way as `wellKnownModels`, at their list prices. `dimensionsMin` is absent if
 * the provider does not shorten vectors.
 */
export const wellKnownEmbeddings: Readonly<Record<string, readonly Omit<ModelSettings, 'provider'>[]>> = {
  openai: [
    known('text-embedding-3-large', 80, 8_192, { dimensions: 3_072, dimensionsMin: 1 }),
    known('text-embedding-3-small', 60, 8_192, { dimensions: 1_536, dimensionsMin: 1 }),
    known('text-embedding-ada-002', 40, 8_192, { dimensions: 1_536 }),
  ],
  google: [known('gemini-embedding-001', 78, 2_048, { dimensions: 3_072, dimensionsMin: 128 })],
};

function known(
  id: string,
  quality: number,
  contextTokens: number,
  embedding: NonNullable<ModelSettings['embedding']>,
): Omit<ModelSettings, 'provider'> {
  return { id, quality, contextTokens, embedding };
}
