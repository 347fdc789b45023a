import { calcPrice, findProvider } from '@pydantic/genai-prices';
import fc from 'fast-check';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { formatUsd } from '../../src/base/money.ts';
import { createCatalog, memoryPriceStore } from '../../src/catalog/index.ts';
import { announcedPrices, exactUsd, type ListPrice, listPriceOf } from '../../src/catalog/list-prices.ts';
import { priceOf, type Rates } from '../../src/catalog/price.ts';
import { wellKnownModels } from '../../src/catalog/well-known.ts';
import { wellKnownEmbeddings } from '../../src/catalog/well-known-embeddings.ts';

const at = Date.UTC(2026, 10, 22);
const known = Object.entries(wellKnownModels).flatMap(([provider, models]) =>
  models.map(({ id, contextTokens, maxOutputTokens = 0 }) => ({ provider, id, contextTokens, maxOutputTokens })),
);
const priced = known.flatMap((model) => {
  const rates = listPriceOf(model.provider, model.id, at)?.rates;
  return rates ? [{ ...model, rates }] : [];
});

function ratesOf(price: ListPrice | undefined): Rates {
  if (!price?.rates) throw new Error(price?.unpriced ?? 'not named');
  return price.rates;
}

test('most well-known models have a list price, and of each provider some', () => {
  expect(priced.length).toBeGreaterThan(35);
  expect(new Set(priced.map(({ provider }) => provider))).toEqual(new Set(['openai', 'anthropic', 'google']));
});

test('what a request costs is what the calculator of the package says, rounded up to a nano-USD', () => {
  const usage = fc.record({
    model: fc.constantFrom(...priced),
    share: fc.integer({ min: 0, max: 1_000_000 }),
    // Half of the requests are about as long as a tier's edge.
    edge: fc.option(fc.record({ tier: fc.nat(3), off: fc.integer({ min: -2, max: 2 }) })),
    cached: fc.nat(100),
    written: fc.nat(100),
    written1h: fc.nat(100),
    audio: fc.nat(100),
    output: fc.integer({ min: 0, max: 1_000_000 }),
  });
  let [inTiers, withAudio, forHour] = [0, 0, 0];
  fc.assert(
    fc.property(usage, ({ model, share, edge, cached, written, written1h, audio, output }) => {
      const tiers = model.rates.tiers ?? [];
      const tier = edge && tiers[edge.tier % Math.max(tiers.length, 1)];
      const inputTokens = tier
        ? tier.aboveInputTokens + edge.off
        : Math.floor((model.contextTokens * share) / 1_000_000);
      if (tier && edge.off > 0) inTiers++;
      const audioInputTokens = model.rates.audioInputPerMillion ? Math.floor((inputTokens * audio) / 100) : 0;
      const cachedInputTokens = Math.floor(((inputTokens - audioInputTokens) * cached) / 100);
      const rest = inputTokens - audioInputTokens - cachedInputTokens;
      const cacheWriteInputTokens = Math.floor((rest * written) / 100);
      const keepsForHour = model.rates.cacheWrite1hInputPerMillion !== undefined;
      const cacheWrite1hInputTokens = keepsForHour ? Math.floor((cacheWriteInputTokens * written1h) / 100) : 0;
      if (audioInputTokens > 0) withAudio++;
      if (cacheWrite1hInputTokens > 0) forHour++;
      const writes = { cacheWriteInputTokens, cacheWrite1hInputTokens };
      const outputTokens = Math.floor((model.maxOutputTokens * output) / 1_000_000);
      const ours = priceOf(
        { inputTokens, cachedInputTokens, ...writes, audioInputTokens, outputTokens, requests: 1 },
        { perRequest: 0n, ...model.rates },
      );
      const theirs = calcPrice(
        {
          input_tokens: inputTokens,
          cache_read_tokens: cachedInputTokens,
          cache_write_tokens: cacheWriteInputTokens,
          ...(cacheWrite1hInputTokens > 0 && { cache_write_1h_tokens: cacheWrite1hInputTokens }),
          ...(audioInputTokens > 0 && { input_audio_tokens: audioInputTokens, cache_audio_read_tokens: 0 }),
          output_tokens: outputTokens,
        },
        model.id,
        { providerId: model.provider, timestamp: new Date(at) },
      );
      if (!theirs) throw new Error(`The calculator does not know ${model.id}.`);
      // Theirs is a sum of doubles; ours is the exact sum, rounded up by less than one nano-USD.
      const nano = theirs.total_price * 1e9;
      const error = nano * 1e-12 + 1e-6;
      expect(Number(ours)).toBeGreaterThanOrEqual(nano - error);
      expect(Number(ours)).toBeLessThan(nano + 1 + error);
    }),
    { seed: 20261122, numRuns: 8_000 },
  );
  expect(inTiers).toBeGreaterThan(200);
  expect(withAudio).toBeGreaterThan(200);
  expect(forHour).toBeGreaterThan(200);
});

test('the price in force is the one that the package takes at that moment', () => {
  const days = ['2026-01-01', '2026-03-13', '2026-07-30', '2026-08-21', '2027-01-01', '2030-01-01'];
  const moments = days.flatMap((day) => [Date.parse(day) - 1, Date.parse(day)]);
  for (const { provider, id } of priced)
    for (const moment of moments) {
      const timestamp = new Date(moment);
      const { inputPerMillion, outputPerMillion } = ratesOf(listPriceOf(provider, id, moment));
      const million = { input_tokens: 1_000, output_tokens: 1_000 };
      const theirs = calcPrice(million, id, { providerId: provider, timestamp });
      expect(formatUsd((inputPerMillion ?? 0n) / 1_000n), `${id} at ${moment}`).toBe(
        formatUsd(BigInt(Math.round((theirs?.input_price ?? 0) * 1e9))),
      );
      expect(formatUsd((outputPerMillion ?? 0n) / 1_000n), `${id} at ${moment}`).toBe(
        formatUsd(BigInt(Math.round((theirs?.output_price ?? 0) * 1e9))),
      );
    }
});

describe('a number of the package', () => {
  test('becomes the decimal that it was written as', () => {
    expect(exactUsd(0.075)).toBe(75_000_000n);
    expect(exactUsd(0.123456789)).toBe(123_456_789n);
    expect(exactUsd(3.125)).toBe(3_125_000_000n);
    expect(exactUsd(0)).toBe(0n);
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 14n), (nano) => {
        expect(exactUsd(Number(formatUsd(nano)))).toBe(
          // What has fewer than seven decimals below a millionth prints with an exponent, and is refused.
          /^0\.000000/.test(formatUsd(nano)) && nano > 0n ? undefined : nano,
        );
      }),
      { seed: 7, numRuns: 5_000 },
    );
  });

  test('is refused where that cannot be told, or is no amount', () => {
    // The decimals of the first are beyond what a double keeps: it was written as something else.
    expect(String(Number('123456789.123456789'))).toBe('123456789.12345679');
    for (const amount of [
      Number('123456789.123456789'),
      0.1 + 0.2,
      1 / 3,
      0.0000000001,
      -1,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      1e21,
    ])
      expect(exactUsd(amount)).toBeUndefined();
  });
});

describe('which model a price is for', () => {
  test('a date after the name changes nothing', () => {
    const sonnet = listPriceOf('anthropic', 'claude-sonnet-4-5', at);
    expect(sonnet?.rates).toBeDefined();
    expect(listPriceOf('anthropic', 'claude-sonnet-4-5-20250929', at)).toEqual(sonnet);
    expect(listPriceOf('openai', 'gpt-5.6-sol-2026-08-01', at)).toEqual(listPriceOf('openai', 'gpt-5.6-sol', at));
    // A date that has a price of its own keeps it.
    expect(listPriceOf('openai', 'gpt-4o-2024-05-13', at)).not.toEqual(listPriceOf('openai', 'gpt-4o', at));
  });

  test('one that only begins like another has none, though the package would take it for that one', () => {
    expect(calcPrice({}, 'claude-sonnet-5-5', { providerId: 'anthropic' })?.model.id).toBe('claude-sonnet-5');
    expect(listPriceOf('anthropic', 'claude-sonnet-5-5', at)).toBeUndefined();
    expect(listPriceOf('openai', 'gpt-6.1-sol', at)).toBeUndefined();
  });

  test('a provider whose name only resembles another has none', () => {
    expect(findProvider({ providerId: 'my-openai-proxy' })?.id).toBe('openai');
    expect(listPriceOf('my-openai-proxy', 'gpt-5', at)).toBeUndefined();
  });
});

describe('what has no price here', () => {
  test('keeps a model without one, and is named', () => {
    expect(listPriceOf('google', 'gemini-2.5-flash-image', at)?.unpriced).toContain('output_image_mtok');
    expect(listPriceOf('openai', 'gpt-realtime', at)?.unpriced).toMatch(/output_audio_mtok.*input_image_mtok/);
    expect(listPriceOf('google', 'gemini-embedding-001', at)?.unpriced).toContain('input and output');
    expect(listPriceOf('google', 'gemma-3', at)?.unpriced).toContain('input and output');
    expect(listPriceOf('deepseek', 'deepseek-reasoner', at)?.unpriced).toContain('time of day');
  });

  test('does not matter for models that are given texts alone and say none', () => {
    const texts = { texts: true };
    for (const [provider, models] of Object.entries(wellKnownEmbeddings))
      for (const { id } of models) {
        const prices = findProvider({ providerId: provider })?.models.find((model) => model.id === id)?.prices;
        const usd = (prices as { input_mtok?: number } | undefined)?.input_mtok;
        expect(listPriceOf(provider, id, at, texts)?.rates).toEqual({ inputPerMillion: exactUsd(usd ?? Number.NaN) });
      }
    expect(listPriceOf('openai', 'text-embedding-3-small', at, texts)?.rates).toEqual({ inputPerMillion: 20_000_000n });
    expect(listPriceOf('openai', 'text-embedding-99', at, texts)).toBeUndefined();
  });

  test('makes models that make vectors or rank be off, and says why', async () => {
    const catalog = await createCatalog({
      store: memoryPriceStore(),
      settings: {
        models: [
          { id: 'v', provider: 'up', quality: 1, contextTokens: 10, embedding: { dimensions: 2 } },
          {
            id: 'r',
            provider: 'up',
            quality: 1,
            contextTokens: 10,
            rerank: { api: 'cohere' },
            price: { inputPerMillionUsd: '1' },
          },
        ],
      },
      enabledProviders: ['openai', 'up'],
      log: pino({ level: 'silent' }),
    });
    await catalog.importPrices();
    expect(catalog.embeddingModels('').map(({ model, price }) => [model.id, price.inputPerMillion])).toEqual([
      ['text-embedding-3-large', 130_000_000n],
      ['text-embedding-3-small', 20_000_000n],
      ['text-embedding-ada-002', 100_000_000n],
    ]);
    expect(catalog.rerankModels('')).toEqual([]);
    const off = Object.fromEntries(catalog.unoffered().map(({ name, reason }) => [name, reason]));
    expect(off['up/v']).toContain('It has no list price');
    expect(off['up/r']).toBe('It has no price for search units.');
    await catalog.close();
  });

  test('does not matter where no request can bring it about', () => {
    expect(listPriceOf('google', 'gemini-2.5-flash', at)?.rates).toEqual({
      inputPerMillion: 300_000_000n,
      cachedInputPerMillion: 30_000_000n,
      // What cached audio costs is left out: it is charged as audio.
      audioInputPerMillion: 1_000_000_000n,
      outputPerMillion: 2_500_000_000n,
    });
  });
});

test('long requests, cache writes and announced prices are there', () => {
  expect(ratesOf(listPriceOf('openai', 'gpt-5.6-sol', at))).toEqual({
    inputPerMillion: 4_000_000_000n,
    cachedInputPerMillion: 400_000_000n,
    cacheWriteInputPerMillion: 5_000_000_000n,
    outputPerMillion: 20_000_000_000n,
    tiers: [
      {
        aboveInputTokens: 271_999,
        inputPerMillion: 8_000_000_000n,
        cachedInputPerMillion: 800_000_000n,
        cacheWriteInputPerMillion: 10_000_000_000n,
        outputPerMillion: 30_000_000_000n,
      },
    ],
  });
  const announced = announcedPrices('google', 'gemini-3.8-flash', at);
  expect(announced.map(({ from }) => new Date(from).toISOString())).toEqual(['2027-01-01T00:00:00.000Z']);
  expect(ratesOf(announced[0]?.price).inputPerMillion).toBe(1_500_000_000n);
  expect(announcedPrices('google', 'gemini-3.8-flash', Date.UTC(2027, 0, 1))).toEqual([]);
});
