import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { outputTokensWithin, type PricedUsage, priceOf, type Rates, worstPriceOf } from '../../src/catalog/index.ts';
import { anyKinds, anyLength, anyRates, usageWithin } from './rates.ts';

const rates = { inputPerMillion: 150_000_000n, cachedInputPerMillion: 75_000_000n, outputPerMillion: 600_000_000n };

describe('the price of a usage', () => {
  test('is exact: cached input costs its own rate, reasoning is part of the output', () => {
    expect(priceOf({ inputTokens: 1_000, cachedInputTokens: 400, outputTokens: 10 }, rates)).toBe(
      600n * 150n + 400n * 75n + 10n * 600n,
    );
  });

  test('is rounded up once, not once for each dimension', () => {
    const tiny = { inputPerMillion: 1n, outputPerMillion: 1n };
    expect(priceOf({ inputTokens: 1, outputTokens: 1 }, tiny)).toBe(1n);
    expect(priceOf({ inputTokens: 500_000, outputTokens: 500_000 }, tiny)).toBe(1n);
    expect(priceOf({ inputTokens: 500_000, outputTokens: 500_001 }, tiny)).toBe(2n);
  });

  test('is at least 1 nano-USD when what was used has a price', () => {
    fc.assert(
      fc.property(fc.nat(1_000_000), fc.bigInt(1n, 10n ** 12n), (inputTokens, rate) => {
        const cost = priceOf({ inputTokens, outputTokens: 1 }, { inputPerMillion: rate, outputPerMillion: rate });
        expect(cost).toBeGreaterThanOrEqual(1n);
      }),
    );
  });

  test('never falls when more is used, and never differs from the exact sum by a nano-USD or more', () => {
    const tokens = fc.nat(4_000_000_000);
    const rate = fc.bigInt(0n, 10n ** 12n);
    fc.assert(
      fc.property(tokens, tokens, tokens, rate, rate, (input, cached, output, inputPerMillion, outputPerMillion) => {
        const price = { inputPerMillion, outputPerMillion };
        const usage = { inputTokens: input, cachedInputTokens: Math.min(cached, input), outputTokens: output };
        const cost = priceOf(usage, price);
        const exact = BigInt(input) * inputPerMillion + BigInt(output) * outputPerMillion;
        expect(cost * 1_000_000n - exact).toBeGreaterThanOrEqual(0n);
        expect(cost * 1_000_000n - exact).toBeLessThan(1_000_000n);
        expect(priceOf({ ...usage, outputTokens: output + 1 }, price)).toBeGreaterThanOrEqual(cost);
      }),
    );
  });

  test('counts requests, events and search units', () => {
    expect(priceOf({ searchUnits: 3, requests: 1 }, { perThousandSearchUnits: 2_000_000_001n, perRequest: 5n })).toBe(
      6_000_006n,
    );
    expect(() => priceOf({ searchUnits: 1 }, { inputPerMillion: 1n })).toThrow('no price');
    expect(priceOf({ requests: 1 }, { perRequest: 2_000_000n })).toBe(2_000_000n);
    expect(priceOf({ events: 3 }, { perThousandEvents: 1_000n })).toBe(3n);
    expect(priceOf({ events: 1 }, { perThousandEvents: 1n })).toBe(1n);
  });

  test('without a rate for what was used is a fault, never free', () => {
    expect(() => priceOf({ outputTokens: 1 }, { inputPerMillion: 1n })).toThrow();
  });
});

describe('cache writes and long requests', () => {
  const tiered: Rates = {
    inputPerMillion: 1_250_000_000n,
    cachedInputPerMillion: 125_000_000n,
    outputPerMillion: 10_000_000_000n,
    tiers: [{ aboveInputTokens: 200_000, inputPerMillion: 2_500_000_000n, outputPerMillion: 15_000_000_000n }],
  };

  test('what was written into the cache costs its own rate, and without one what other input costs', () => {
    const usage = { inputTokens: 1_000, cachedInputTokens: 400, cacheWriteInputTokens: 500, outputTokens: 10 };
    expect(priceOf(usage, { ...rates, cacheWriteInputPerMillion: 187_500_000n })).toBe(
      100n * 150n + 400n * 75n + (500n * 1875n) / 10n + 10n * 600n,
    );
    expect(priceOf(usage, rates)).toBe(600n * 150n + 400n * 75n + 10n * 600n);
  });

  test('what was written for an hour, and audio, cost their own rates; without one as other writes and as other input', () => {
    const written = { cacheWriteInputTokens: 500, cacheWrite1hInputTokens: 200 };
    const usage = { inputTokens: 1_000, cachedInputTokens: 100, audioInputTokens: 300, ...written };
    const price = {
      ...rates,
      cacheWriteInputPerMillion: 190_000_000n,
      cacheWrite1hInputPerMillion: 300_000_000n,
      audioInputPerMillion: 1_000_000_000n,
    };
    expect(priceOf(usage, price)).toBe(100n * 150n + 100n * 75n + 300n * 190n + 200n * 300n + 300n * 1_000n);
    const { cacheWrite1hInputPerMillion: _, audioInputPerMillion: __, ...without } = price;
    expect(priceOf(usage, without)).toBe(400n * 150n + 100n * 75n + 500n * 190n);
  });

  test('the worst price is at the rate of audio, or of an hour, only where the request can have that', () => {
    const price = { ...rates, cacheWrite1hInputPerMillion: 300_000_000n, audioInputPerMillion: 1_000_000_000n };
    const most = { inputTokens: 1_000, outputTokens: 0 };
    expect(worstPriceOf(most, price)).toBe(150_000n);
    expect(worstPriceOf({ ...most, cacheWrite1h: true }, price)).toBe(300_000n);
    expect(worstPriceOf({ ...most, cacheWrite1h: true, audio: true }, price)).toBe(1_000_000n);
    expect(outputTokensWithin(1_000_600n, { inputTokens: 1_000, audio: true }, price)).toBe(1);
  });

  test('the whole request costs the rates of the tier that its input is in', () => {
    expect(priceOf({ inputTokens: 200_000, outputTokens: 10 }, tiered)).toBe(200_000n * 1_250n + 10n * 10_000n);
    expect(priceOf({ inputTokens: 200_001, outputTokens: 10 }, tiered)).toBe(200_001n * 2_500n + 10n * 15_000n);
    // The tier states no rate for cached input, so there it costs what other input costs.
    expect(priceOf({ inputTokens: 200_001, cachedInputTokens: 200_000 }, tiered)).toBe(200_001n * 2_500n);
  });

  test('the worst price covers the tier below, where that is the dearer one', () => {
    const falling: Rates = {
      inputPerMillion: 1_000_000n,
      outputPerMillion: 9_000_000n,
      tiers: [{ aboveInputTokens: 100, inputPerMillion: 1_000_000n, outputPerMillion: 1_000_000n }],
    };
    expect(worstPriceOf({ inputTokens: 150, outputTokens: 50 }, falling)).toBe(100n + 9n * 50n);
    expect(outputTokensWithin(100n + 9n * 50n, { inputTokens: 150 }, falling)).toBe(50);
  });

  test('any price equals the same sum in rationals, rounded up once', () => {
    const anyCase = fc.tuple(anyLength, fc.nat(200_000)).chain(([input, output]) => usageWithin(input, output));
    fc.assert(
      fc.property(anyRates, anyCase, (price, usage) => {
        expect(priceOf(usage, price)).toBe(inRationals(usage, price));
      }),
      { numRuns: 2_000 },
    );
  });

  test('no usage costs more than the worst price of its bounds, and one reaches it', () => {
    const anyCase = fc.tuple(anyLength, fc.nat(200_000), anyKinds).chain(([inputTokens, outputTokens, kinds]) =>
      fc.record({
        most: fc.constant({ inputTokens, outputTokens, ...kinds }),
        usage: usageWithin(inputTokens, outputTokens, kinds),
      }),
    );
    fc.assert(
      fc.property(anyRates, anyCase, (price, { most, usage }) => {
        const worst = worstPriceOf(most, price);
        expect(priceOf(usage, price)).toBeLessThanOrEqual(worst);
        const ends = [most.inputTokens, ...(price.tiers ?? []).map(({ aboveInputTokens }) => aboveInputTokens)];
        const extremes = ends
          .filter((inputTokens) => inputTokens <= most.inputTokens)
          .flatMap((inputTokens) => [
            { inputTokens },
            { inputTokens, cachedInputTokens: inputTokens },
            { inputTokens, cacheWriteInputTokens: inputTokens },
            ...(most.cacheWrite1h
              ? [{ inputTokens, cacheWriteInputTokens: inputTokens, cacheWrite1hInputTokens: inputTokens }]
              : []),
            ...(most.audio ? [{ inputTokens, audioInputTokens: inputTokens }] : []),
          ]);
        const costs = extremes.map((extreme) =>
          priceOf({ ...extreme, outputTokens: most.outputTokens, requests: 1 }, price),
        );
        expect(costs.reduce((a, b) => (a > b ? a : b))).toBe(worst);
      }),
      { numRuns: 2_000 },
    );
  });

  test('an amount pays for exactly so many output tokens that the worst price stays within it', () => {
    fc.assert(
      fc.property(anyRates, anyKinds, anyLength, fc.bigInt(0n, 10n ** 13n), (price, kinds, inputTokens, amount) => {
        const tokens = outputTokensWithin(amount, { inputTokens, ...kinds }, price);
        const worst = (outputTokens: number) => worstPriceOf({ inputTokens, outputTokens, ...kinds }, price);
        if (worst(0) > amount) expect(tokens).toBe(0);
        else {
          expect(worst(tokens)).toBeLessThanOrEqual(amount);
          if (tokens < Number.MAX_SAFE_INTEGER) expect(worst(tokens + 1)).toBeGreaterThan(amount);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

/** A price written again from the words of the contract, in fractions, with nothing of the code under test. */
function inRationals(usage: Required<PricedUsage>, price: Rates): bigint {
  const longer = (price.tiers ?? []).filter(({ aboveInputTokens }) => aboveInputTokens < usage.inputTokens);
  const tier = longer.sort((a, b) => b.aboveInputTokens - a.aboveInputTokens)[0];
  const chosen = tier ?? price;
  const plain = usage.inputTokens - usage.cachedInputTokens - usage.cacheWriteInputTokens - usage.audioInputTokens;
  const input = chosen.inputPerMillion ?? 0n;
  const writeRate = chosen.cacheWriteInputPerMillion ?? input;
  const lines: [number, bigint, bigint][] = [
    [plain, input, 1_000_000n],
    [usage.cachedInputTokens, chosen.cachedInputPerMillion ?? input, 1_000_000n],
    [usage.cacheWriteInputTokens - usage.cacheWrite1hInputTokens, writeRate, 1_000_000n],
    [usage.cacheWrite1hInputTokens, chosen.cacheWrite1hInputPerMillion ?? writeRate, 1_000_000n],
    [usage.audioInputTokens, chosen.audioInputPerMillion ?? input, 1_000_000n],
    [usage.outputTokens, chosen.outputPerMillion ?? 0n, 1_000_000n],
    [usage.requests, price.perRequest ?? 0n, 1n],
  ];
  let [numerator, denominator] = [0n, 1n];
  for (const [quantity, rate, per] of lines) {
    numerator = numerator * per + BigInt(quantity) * rate * denominator;
    denominator *= per;
  }
  return numerator / denominator + (numerator % denominator === 0n ? 0n : 1n);
}
