import fc from 'fast-check';
import { expect, test } from 'vitest';
import { priceLines, priceOf, type Rates } from '../../src/catalog/index.ts';

const rate = fc.bigInt(0n, 10n ** 12n);
const rates: fc.Arbitrary<Rates> = fc.record(
  {
    inputPerMillion: rate,
    outputPerMillion: rate,
    perRequest: rate,
    perThousandEvents: rate,
    perThousandSearchUnits: rate,
    cachedInputPerMillion: rate,
    cacheWriteInputPerMillion: rate,
    cacheWrite1hInputPerMillion: rate,
    audioInputPerMillion: rate,
    tiers: fc
      .record({ aboveInputTokens: fc.integer({ min: 1, max: 5_000 }), inputPerMillion: rate, outputPerMillion: rate })
      .map((tier) => [tier]),
  },
  {
    requiredKeys: ['inputPerMillion', 'outputPerMillion', 'perRequest', 'perThousandEvents', 'perThousandSearchUnits'],
  },
);
const tokens = fc.nat({ max: 10_000 });
const usage = fc.record(
  {
    inputTokens: tokens,
    cachedInputTokens: tokens,
    cacheWriteInputTokens: tokens,
    cacheWrite1hInputTokens: tokens,
    audioInputTokens: tokens,
    outputTokens: tokens,
    requests: fc.nat({ max: 3 }),
    events: tokens,
    searchUnits: tokens,
  },
  { requiredKeys: [] },
);

const sum = (lines: { amount: bigint }[]) => lines.reduce((total, { amount }) => total + amount, 0n);

test('the lines of any usage at any rates add up to its price, and each is its quantity times its rate', () => {
  fc.assert(
    fc.property(usage, rates, (used, price) => {
      const lines = priceLines([[used, price]], priceOf(used, price));
      expect(sum(lines)).toBe(priceOf(used, price));
      expect(lines.some(({ kind }) => kind === 'limit' || kind === 'other')).toBe(false);
      for (const { quantity, perMillion, amount } of lines)
        if (quantity !== undefined) expect(amount).toBe((quantity * (perMillion ?? -1n)) / 1_000_000n);
      const input = lines.filter(({ kind }) => kind.endsWith('input'));
      expect(input.reduce((total, { quantity = 0n }) => total + quantity, 0n)).toBe(BigInt(used.inputTokens ?? 0));
    }),
  );
});

test('what was not charged, and what no rate explains, are lines of their own', () => {
  const price = { inputPerMillion: 2_000_000_000n, outputPerMillion: 12_000_000_000n };
  const used = { inputTokens: 612, cachedInputTokens: 112, outputTokens: 88 };
  const full = priceOf(used, price);
  expect(priceLines([[used, price]], full - 5n).at(-1)).toEqual({ kind: 'limit', amount: -5n });
  expect(priceLines([[used, price]], full + 7n).at(-1)).toEqual({ kind: 'other', amount: 7n });
  expect(priceLines([], 9n)).toEqual([{ kind: 'other', amount: 9n }]);
  expect(priceLines([[used, { ...price, cachedInputPerMillion: 500_000_000n }]], 0n).slice(0, 3)).toEqual([
    { kind: 'input', quantity: 500n, perMillion: 2_000_000_000n, amount: 1_000_000n },
    { kind: 'cached_input', quantity: 112n, perMillion: 500_000_000n, amount: 56_000n },
    { kind: 'output', quantity: 88n, perMillion: 12_000_000_000n, amount: 1_056_000n },
  ]);
});

test('search units are a line with the price of a million of them', () => {
  const price = { perThousandSearchUnits: 2_000_000_000n };
  expect(priceLines([[{ searchUnits: 3 }, price]], 6_000_000n)).toEqual([
    { kind: 'search_units', quantity: 3n, perMillion: 2_000_000_000_000n, amount: 6_000_000n },
  ]);
});
