import fc from 'fast-check';
import { expect, test } from 'vitest';
import { costOf, fits, readCount } from '../../../console/src/pages/models/calculate.ts';
import { formatUsd } from '../../../src/base/money.ts';
import { priceOf } from '../../../src/catalog/price.ts';

const rate = fc.bigInt({ min: 0n, max: 100_000_000_000n });
const tier = fc.record({
  aboveInputTokens: fc.integer({ min: 1, max: 300_000 }),
  input: rate,
  cached: fc.option(rate),
  output: rate,
});

test('the calculator says what the ledger would charge, to the nano-USD', () => {
  const price = fc.record({ input: rate, cached: fc.option(rate), output: rate, request: rate, tier: fc.option(tier) });
  const usage = fc.record({ input: fc.nat(400_000), cachedShare: fc.nat(100), output: fc.nat(100_000) });
  fc.assert(
    fc.property(price, usage, fc.integer({ min: 0, max: 1_000 }), (p, { input, cachedShare, output }, requests) => {
      const cached = Math.floor((input * cachedShare) / 100);
      const rates = (of: { input: bigint; cached: bigint | null; output: bigint }) => ({
        inputPerMillion: of.input,
        ...(of.cached !== null && { cachedInputPerMillion: of.cached }),
        outputPerMillion: of.output,
      });
      const printed = (of: { input: bigint; cached: bigint | null; output: bigint }) => ({
        inputPerMillionUsd: formatUsd(of.input),
        ...(of.cached !== null && { cachedInputPerMillionUsd: formatUsd(of.cached) }),
        outputPerMillionUsd: formatUsd(of.output),
      });
      const one = priceOf({ inputTokens: input, cachedInputTokens: cached, outputTokens: output, requests: 1 }, {
        ...rates(p),
        perRequest: p.request,
        ...(p.tier && { tiers: [{ ...rates(p.tier), aboveInputTokens: p.tier.aboveInputTokens }] }),
      } as never);
      const shown = costOf(
        {
          ...printed(p),
          perRequestUsd: formatUsd(p.request),
          ...(p.tier && { tiers: [{ ...printed(p.tier), aboveInputTokens: p.tier.aboveInputTokens }] }),
        },
        { input: BigInt(input), cached: BigInt(cached), output: BigInt(output), requests: BigInt(requests) },
      );
      expect(shown).toBe(one * BigInt(requests));
    }),
    { numRuns: 500 },
  );
});

test('a price that is not known is no price of zero', () => {
  const usage = { input: 1n, cached: 0n, output: 1n, requests: 1n };
  expect(costOf({ outputPerMillionUsd: '1.00' }, usage)).toBeUndefined();
  expect(costOf({ inputPerMillionUsd: '1.00', outputPerMillionUsd: '1.00' }, usage)).toBe(2_000n);
});

test('what is longer than a model takes does not fit', () => {
  const model = { contextTokens: 1_000, maxOutputTokens: 100 };
  expect(fits(model, { input: 900n, cached: 0n, output: 100n, requests: 1n })).toBe(true);
  expect(fits(model, { input: 901n, cached: 0n, output: 100n, requests: 1n })).toBe(false);
  expect(fits(model, { input: 1n, cached: 0n, output: 101n, requests: 1n })).toBe(false);
});

test.each([
  ['1,000', 1_000n],
  ['1 000 000', 1_000_000n],
  ['1\u202f000\u202f000', 1_000_000n],
  ['1.000.000', 1_000_000n],
  ["1'000", 1_000n],
  [' 1000 ', 1_000n],
  ['0', 0n],
  ['1,5', undefined],
  ['1.5', undefined],
  ['0.5', undefined],
  ['0.500', undefined],
  ['1.50', undefined],
  ['1,000.5', undefined],
  ['1,000.500', undefined],
  ['1000,000', undefined],
  ['1,,000', undefined],
  [',000', undefined],
  ['', undefined],
  ['-1', undefined],
  ['1e3', undefined],
  ['10000001', undefined],
])('"%s" is read as %s', (text, count) => {
  expect(readCount(text, 10_000_000n)).toBe(count);
});
