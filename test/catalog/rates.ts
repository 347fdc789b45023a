import fc from 'fast-check';
import type { InputKinds, PricedUsage, Rates } from '../../src/catalog/index.ts';

/** From free to the dearest that the book takes, with small ones that do not divide a million. */
const rate = fc.oneof(fc.constant(0n), fc.bigInt(1n, 1_000n), fc.bigInt(1n, 100_000n * 1_000_000_000n));
const length = fc.oneof(fc.nat(300), fc.nat(1_100_000));

const tokenRates = {
  inputPerMillion: rate,
  cachedInputPerMillion: fc.option(rate, { nil: undefined }),
  cacheWriteInputPerMillion: fc.option(rate, { nil: undefined }),
  cacheWrite1hInputPerMillion: fc.option(rate, { nil: undefined }),
  audioInputPerMillion: fc.option(rate, { nil: undefined }),
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

/** Kinds of input that a request has or has not. */
export const anyKinds: fc.Arbitrary<Required<InputKinds>> = fc.record({
  audio: fc.boolean(),
  cacheWrite1h: fc.boolean(),
});

/** A usage as a provider may state it, of at most so many tokens and of the kinds that the request can have. */
export function usageWithin(
  inputTokensMost: number,
  outputTokensMost: number,
  kinds: InputKinds = { audio: true, cacheWrite1h: true },
): fc.Arbitrary<Required<PricedUsage>> {
  return fc
    .record({
      inputTokens: fc.nat(inputTokensMost),
      outputTokens: fc.nat(outputTokensMost),
      cached: fc.nat(100),
      written: fc.nat(100),
      written1h: kinds.cacheWrite1h ? fc.nat(100) : fc.constant(0),
      audio: kinds.audio ? fc.nat(100) : fc.constant(0),
    })
    .map(({ inputTokens, outputTokens, ...shares }) => {
      const part = (whole: number, share: number) => Math.floor((whole * share) / 100);
      const audioInputTokens = part(inputTokens, shares.audio);
      const cachedInputTokens = part(inputTokens - audioInputTokens, shares.cached);
      const cacheWriteInputTokens = part(inputTokens - audioInputTokens - cachedInputTokens, shares.written);
      const cacheWrite1hInputTokens = part(cacheWriteInputTokens, shares.written1h);
      const written = { cacheWriteInputTokens, cacheWrite1hInputTokens };
      const counts = { requests: 1, events: 0, searchUnits: 0 };
      return { inputTokens, audioInputTokens, cachedInputTokens, ...written, outputTokens, ...counts };
    });
}

export const anyLength = length;

function stated<T extends object>(rates: T): T {
  return Object.fromEntries(Object.entries(rates).filter(([, value]) => value !== undefined)) as T;
}
