import type { ModelSettings } from './model.ts';

/**
 * Well-known models that make vectors, with their providers' list prices as of 2025-10-01, used as those of `wellKnownModels` are.
 * `dimensionsMin` is absent where the provider shortens no vectors.
 */
export const wellKnownEmbeddings: Readonly<Record<string, readonly Omit<ModelSettings, 'provider'>[]>> = {
  openai: [
    known('text-embedding-3-large', 80, 8_192, { dimensions: 3_072, dimensionsMin: 1 }, '0.13'),
    known('text-embedding-3-small', 60, 8_192, { dimensions: 1_536, dimensionsMin: 1 }, '0.02'),
    known('text-embedding-ada-002', 40, 8_192, { dimensions: 1_536 }, '0.10'),
  ],
  google: [known('gemini-embedding-001', 78, 2_048, { dimensions: 3_072, dimensionsMin: 128 }, '0.15')],
};

function known(
  id: string,
  quality: number,
  contextTokens: number,
  embedding: NonNullable<ModelSettings['embedding']>,
  inputPerMillionUsd: string,
): Omit<ModelSettings, 'provider'> {
  const price = { inputPerMillionUsd };
  return { id, quality, contextTokens, embedding, price, cost: price };
}
