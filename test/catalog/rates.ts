import fc from 'fast-check';
import type { PricedUsage, Rates } from '../../src/catalog/index.ts';

/** From free to the dearest that the book takes, with small ones that do not divide a million. */
const rate = fc.oneof(fc.constant(0n), fc.bigInt(1n, 1_000n), fc.bigInt(1n, 100_000n * 1_000_000_000n));
const length = fc.oneof(fc.nat(300), fc.nat(1_100_000));

const tokenRates = {
  inputPerMillion: rate,
  cachedInputPerMillion: fc.option(rate, { nil: undefined }),
  cacheWriteInputPerMillion: fc.option(rate, { nil: undefined }),
  outputPerMillion: rate,
};

/** Whole prices of models: with and without tiers, and tiers that cost less. */
export const anyRates: fc.Arbitrary<Rates> = fc
  .record({
    ...tokenRates,
    perRequest: fc.oneof(fc.constant(0n), fc.bigInt(1n, 10n ** 12n)),
    tiers: fc.uniqueArray(
      fc.record({
        ...tokenRates,
        aboveInputTokens: length.map((tokens) => tokens + 1),
      }),
      { maxLength: 4, selector: ({ aboveInputTokens }) => aboveInputTokens },
    ),
  })
  .map(({ tiers, ...rates }) => {
    const sorted = tiers.toSorted((a, b) => a.aboveInputTokens - b.aboveInputTokens).map(stated);
    return { ...stated(rates), ...(sorted.length > 0 && { tiers: sorted }) } as Rates;
  });

/** A usage as a provider may state it, of at most so many tokens. */
export function usageWithin(inputTokensMost: number, outputTokensMost: number): fc.Arbitrary<Required<PricedUsage>> {
  return fc
    .record({
      inputTokens: fc.nat(inputTokensMost),
      outputTokens: fc.nat(outputTokensMost),
      cached: fc.nat(100),
      written: fc.nat(100),
    })
    .map(({ inputTokens, outputTokens, cached, written }) => {
      const cachedInputTokens = Math.floor((inputTokens * cached) / 100);
      const cacheWriteInputTokens = Math.floor(((inputTokens - cachedInputTokens) * written) / 100);
      return { inputTokens, cachedInputTokens, cacheWriteInputTokens, outputTokens, requests: 1, events: 0 };
    });
}

export const anyLength = length;

function stated<T extends object>(rates: T): T {
  return Object.fromEntries(Object.entries(rates).filter(([, value]) => value !== undefined)) as T;
}
