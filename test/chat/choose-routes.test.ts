import { describe, expect, test } from 'vitest';
import type { Capability, PricedModel } from '../../src/catalog/index.ts';
import { chooseRoutes, type Wanted } from '../../src/chat/choose-routes.ts';
import type { RouteStatus } from '../../src/chat/circuit-breaker.ts';

interface Entry {
  /** USD for a million input and output tokens. */
  price?: [number, number];
  /** USD for a million input tokens that the provider had cached. */
  cached?: number;
  /** USD for a million input tokens of audio. */
  audio?: number;
  quality?: number;
  context?: number;
  can?: Capability[];
  embedded?: boolean;
  lastResort?: boolean;
  status?: Partial<RouteStatus>;
}

const entries: Record<string, Entry> = {
  'a/cheap': { price: [0.1, 0.4], quality: 50, can: [], status: { firstTokenMs: 800, tokensPerSecond: 40 } },
  'a/good': {
    price: [3, 15],
    quality: 90,
    can: ['tools', 'json', 'images'],
    status: { firstTokenMs: 900, tokensPerSecond: 60 },
  },
  'b/middle': {
    price: [0.3, 1.2],
    quality: 75,
    can: ['tools', 'json'],
    status: { firstTokenMs: 400, tokensPerSecond: 90 },
  },
  'b/quick': { price: [1, 3], quality: 60, can: ['tools'], status: { firstTokenMs: 100, tokensPerSecond: 400 } },
};

function choose(wanted: Partial<Wanted>, catalog: Record<string, Entry> = entries, random = () => 0) {
  const models = Object.entries(catalog).map(([name, entry]) => pricedModel(name, entry));
  const statusOf = (name: string): RouteStatus => ({ available: true, inFlight: 0, ...catalog[name]?.status });
  const choice = chooseRoutes(
    {
      mode: 'economy',
      fallback: true,
      allow: [],
      deny: [],
      needs: new Set(),
      inputTokens: 500,
      images: 0,
      ...wanted,
    },
    models,
    statusOf,
    random,
  );
  return choice.ok ? choice.routes.map(({ model }) => model.name) : choice;
}

function pricedModel(name: string, entry: Entry): PricedModel {
  const [provider = '', id = ''] = name.split('/');
  const [input, output] = entry.price ?? [1, 2];
  return {
    model: {
      name,
      id,
      provider,
      upstreamModel: id,
      quality: entry.quality ?? 50,
      contextTokens: entry.context ?? 100_000,
      maxOutputTokens: 8_000,
      imageTokens: 1_000,
      capabilities: new Set(entry.can ?? []),
      embedded: entry.embedded ?? false,
      lastResort: entry.lastResort ?? false,
    },
    price: {
      version: 1,
      inputPerMillion: BigInt(Math.round(input * 1e9)),
      ...(entry.cached !== undefined && { cachedInputPerMillion: BigInt(Math.round(entry.cached * 1e9)) }),
      ...(entry.audio !== undefined && { audioInputPerMillion: BigInt(Math.round(entry.audio * 1e9)) }),
      outputPerMillion: BigInt(Math.round(output * 1e9)),
      perRequest: 0n,
    },
  };
}

const needs = (...can: Capability[]): Partial<Wanted> => ({ needs: new Set(can) });
const down = { available: false };
const cheap = entries['a/cheap'] ?? {};

describe('choosing routes', () => {
  test.each<[string, Partial<Wanted>, string[]]>([
    ['economy: the cheapest first', { mode: 'economy' }, ['a/cheap', 'b/middle', 'b/quick']],
    ['economy among those that can', { mode: 'economy', ...needs('images') }, ['a/good']],
    ['economy with tools', { mode: 'economy', ...needs('tools') }, ['b/middle', 'b/quick', 'a/good']],
    ['quality: the best first', { mode: 'quality' }, ['a/good', 'b/middle', 'b/quick']],
    ['fast: as measured', { mode: 'fast' }, ['b/quick', 'b/middle', 'a/good']],
    ['balanced: good enough, cheap enough, fast enough', { mode: 'balanced' }, ['b/middle', 'b/quick', 'a/good']],
    ['a provider by name', { provider: 'a' }, ['a/cheap', 'a/good']],
    ['auto is no provider', { provider: 'auto', model: 'auto' }, ['a/cheap', 'b/middle', 'b/quick']],
    ['a model by its id', { model: 'good' }, ['a/good']],
    ['a model by its whole name', { model: 'b/quick' }, ['b/quick']],
    ['no fallback: one', { fallback: false }, ['a/cheap']],
    ['allow: only these', { allow: ['b'] }, ['b/middle', 'b/quick']],
    ['allow by model', { allow: ['good', 'b/quick'] }, ['b/quick', 'a/good']],
    ['deny beats allow', { allow: ['b'], deny: ['middle'] }, ['b/quick']],
    ['the token is limited to some models', { tokenModels: ['quick'] }, ['b/quick']],
  ])('%s', (_, wanted, expected) => {
    expect(choose(wanted)).toEqual(expected);
  });

  test.each<[string, Partial<Wanted>, string]>([
    ['an unknown model', { model: 'nope' }, 'model'],
    ['an unknown provider', { provider: 'nope' }, 'provider'],
    ['nothing left by allow and deny', { deny: ['a', 'b'] }, 'routing.allow'],
    ['a capability that nothing named has', { model: 'cheap', ...needs('images') }, 'messages'],
    ['a capability that no model has', needs('reasoning'), 'model'],
    ['a conversation that is too long', { inputTokens: 200_000 }, 'messages'],
  ])('%s says which field to change', (_, wanted, field) => {
    expect(choose(wanted)).toMatchObject({ ok: false, because: 'none', field });
  });

  test('a route whose circuit is open is skipped; when all are, nothing is hammered', () => {
    expect(choose({}, { ...entries, 'a/cheap': { ...cheap, status: down } })).toEqual([
      'b/middle',
      'b/quick',
      'a/good',
    ]);
    const allDown = Object.fromEntries(
      Object.entries(entries).map(([name, entry]) => [name, { ...entry, status: down }]),
    );
    expect(choose({}, allDown)).toMatchObject({ ok: false, because: 'unavailable' });
  });

  test('a recording goes where audio costs least', () => {
    const two: Record<string, Entry> = { 'a/m': { price: [1, 2], audio: 9 }, 'b/m': { price: [2, 2], audio: 3 } };
    expect(choose({ inputTokens: 10_000 }, two)).toEqual(['a/m', 'b/m']);
    expect(choose({ inputTokens: 10_000, audioTokens: 5_000 }, two)).toEqual(['b/m', 'a/m']);
  });

  describe('with prompt caches', () => {
    const two: Record<string, Entry> = {
      'a/m': { price: [1, 2], cached: 0.1 },
      'b/m': { price: [2, 2], cached: 0.2 },
    };
    const warm = (route: string, cachedTokens: number): Partial<Wanted> => ({
      inputTokens: 10_000,
      cachedTokensOn: (name) => (name === route ? cachedTokens : 0),
    });

    test('a cold prompt goes where it costs least', () => {
      expect(choose(warm('', 0), two)).toEqual(['a/m', 'b/m']);
    });

    test('a warm one stays while that costs less than the cheapest cold route, and no longer', () => {
      expect(choose(warm('b/m', 9_000), two)).toEqual(['b/m', 'a/m']);
      // 5,500 at 0.20 and 4,500 at 2 are 10,100; cold they are 10,000 at the other.
      expect(choose(warm('b/m', 5_500), two)).toEqual(['a/m', 'b/m']);
      expect(choose(warm('a/m', 9_000), two)).toEqual(['a/m', 'b/m']);
    });

    test('load is not spread away from a warm route, as it is from a cold one', () => {
      const near: Record<string, Entry> = {
        'a/m': { price: [1, 2], cached: 0.98, status: { inFlight: 5 } },
        'b/m': { price: [1, 2], cached: 0.98, status: { inFlight: 0 } },
      };
      expect(choose(warm('', 0), near)).toEqual(['b/m', 'a/m']);
      expect(choose(warm('a/m', 9_000), near)).toEqual(['a/m', 'b/m']);
      expect(choose({ ...warm('a/m', 9_000), mode: 'balanced' }, near)).toEqual(['a/m', 'b/m']);
    });
  });

  test('the embedded model answers for itself, alone, or as the last resort that the configuration makes it', () => {
    const embedded: Entry = { price: [0.01, 0.01], quality: 1, embedded: true };
    expect(choose({}, { 'builtin/x': embedded })).toEqual(['builtin/x']);
    expect(choose({}, { ...entries, 'builtin/x': embedded })).not.toContain('builtin/x');
    expect(choose({ provider: 'builtin' }, { ...entries, 'builtin/x': embedded })).toEqual(['builtin/x']);
    expect(choose({ model: 'x' }, { ...entries, 'builtin/x': embedded })).toEqual(['builtin/x']);
    expect(choose({}, { ...entries, 'builtin/x': { ...embedded, lastResort: true } })).toEqual([
      'a/cheap',
      'b/middle',
      'builtin/x',
    ]);
  });

  test('a request that needs what the embedded model cannot do is not given to it', () => {
    expect(choose(needs('tools'), { 'builtin/x': { embedded: true } })).toMatchObject({ ok: false, field: 'tools' });
  });

  test('routes that are nearly equal share the load; of two that are drawn the less busy one goes first', () => {
    const twins = {
      'a/one': { price: [1, 2], status: { inFlight: 9 } },
      'a/two': { price: [1, 2], status: { inFlight: 1 } },
      'b/dear': { price: [5, 9] },
    } satisfies Record<string, Entry>;
    for (const value of [0, 0.3, 0.6, 0.99])
      expect(choose({}, twins, () => value)).toEqual(['a/two', 'a/one', 'b/dear']);
  });

  test('a route that was never measured is tried too', () => {
    const fresh = { ...entries, 'c/new': { price: [0.1, 0.4], quality: 74 } satisfies Entry };
    expect(choose({ mode: 'balanced' }, fresh)).toEqual(['c/new', 'b/middle', expect.any(String)]);
  });
});
