import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { priceOf } from '../../src/catalog/index.ts';

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

  test('counts requests and events', () => {
    expect(priceOf({ requests: 1 }, { perRequest: 2_000_000n })).toBe(2_000_000n);
    expect(priceOf({ events: 3 }, { perThousandEvents: 1_000n })).toBe(3n);
    expect(priceOf({ events: 1 }, { perThousandEvents: 1n })).toBe(1n);
  });

  test('without a rate for what was used is a fault, never free', () => {
    expect(() => priceOf({ outputTokens: 1 }, { inputPerMillion: 1n })).toThrow();
  });
});
