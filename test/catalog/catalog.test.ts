import { pino } from 'pino';
import { afterEach, describe, expect, test } from 'vitest';
import {
  type Catalog,
  type CatalogSettings,
  createCatalog,
  createPriceStore,
  memoryPriceStore,
  type PriceStore,
} from '../../src/catalog/index.ts';
import { eachServer, useDatabase } from '../support/database.ts';

const log = pino({ level: 'silent' });
const open: Catalog[] = [];
afterEach(async () => {
  for (const catalog of open.splice(0)) await catalog.close();
});

async function catalogOf(store: PriceStore, settings: Partial<CatalogSettings>, now?: () => number): Promise<Catalog> {
  const catalog = await createCatalog({
    store,
    settings: { models: [], ...settings },
    enabledProviders: ['p'],
    log,
    ...(now ? { clock: { now, monotonic: now } } : {}),
  });
  open.push(catalog);
  return catalog;
}

function modelAt(inputPerMillionUsd: string, more: object = {}) {
  return {
    id: 'm',
    provider: 'p',
    quality: 50,
    contextTokens: 8_000,
    price: { inputPerMillionUsd, outputPerMillionUsd: '2' },
    ...more,
  };
}

describe('the catalog', () => {
  test('offers a model only after its price is in the book, and only with every dimension', async () => {
    const store = memoryPriceStore();
    const catalog = await catalogOf(store, {
      models: [
        modelAt('1'),
        modelAt('1', { id: 'half', price: { inputPerMillionUsd: '1' } }),
        modelAt('1', { id: 'x', price: undefined }),
      ],
    });
    expect(catalog.models('acc_1')).toEqual([]);
    await catalog.importPrices();
    expect(catalog.models('acc_1').map(({ model }) => model.name)).toEqual(['p/m']);
  });

  test('offers a model that takes audio only where its price has a rate for that, in every tier', async () => {
    const capabilities = ['audio'];
    const rates = { inputPerMillionUsd: '1', outputPerMillionUsd: '2' };
    const heard = { ...rates, audioInputPerMillionUsd: '9' };
    const tier = { ...rates, aboveInputTokens: 1_000 };
    const catalog = await catalogOf(memoryPriceStore(), {
      models: [
        modelAt('1', { id: 'deaf', price: rates }),
        modelAt('1', { id: 'none', price: rates, capabilities }),
        modelAt('1', { id: 'half', price: { ...heard, tiers: [tier] }, capabilities }),
        modelAt('1', { id: 'free', price: { ...rates, audioInputPerMillionUsd: '0' }, capabilities }),
        modelAt('1', {
          id: 'whole',
          price: { ...heard, tiers: [{ ...tier, audioInputPerMillionUsd: '9' }] },
          capabilities,
        }),
      ],
    });
    await catalog.importPrices();
    expect(catalog.models('acc_1').map(({ model }) => model.id)).toEqual(['deaf', 'free', 'whole']);
    expect(catalog.unoffered()).toEqual(
      ['p/none', 'p/half'].map((name) => ({ name, reason: expect.stringContaining('audioInputPerMillionUsd') })),
    );
  });

  test('a first rate for audio, or for an hour, is no change: nobody paid for that before', async () => {
    const store = memoryPriceStore();
    const price = { inputPerMillionUsd: '1', outputPerMillionUsd: '2' };
    const more = { ...price, audioInputPerMillionUsd: '9', cacheWrite1hInputPerMillionUsd: '8' };
    await (await catalogOf(store, { models: [modelAt('1', { price })] })).importPrices();
    const first = await catalogOf(store, { models: [modelAt('1', { price: more })] });
    expect((await first.importPrices()).problems).toEqual([]);
    const dearer = { ...more, audioInputPerMillionUsd: '19', cacheWrite1hInputPerMillionUsd: '17' };
    const plan = await (await catalogOf(store, { models: [modelAt('1', { price: dearer })] })).planPrices();
    expect(plan.problems).toEqual([
      'model:p/m: cacheWrite1hInputPerMillion changes more than two times, from 8.00 to 17.00',
      'model:p/m: audioInputPerMillion changes more than two times, from 9.00 to 19.00',
    ]);
    const cost = { ...price, audioInputPerMillionUsd: '2', cacheWrite1hInputPerMillionUsd: '3' };
    const lossy = await catalogOf(memoryPriceStore(), { models: [modelAt('1', { price, cost })] });
    expect((await lossy.planPrices()).problems).toEqual([
      'model:p/m: cacheWrite1hInputPerMillion 1.00 is below the cost of 3.00',
      'model:p/m: audioInputPerMillion 1.00 is below the cost of 2.00',
    ]);
  });

  test('refuses changes of more than two times, prices below cost and prices in the past', async () => {
    const store = memoryPriceStore();
    await (await catalogOf(store, { models: [modelAt('1')] })).importPrices();
    const dear = await catalogOf(store, { models: [modelAt('2.01')] });
    expect((await dear.importPrices()).problems[0]).toContain('more than two times');
    expect(dear.models('acc_1')[0]?.price.inputPerMillion).toBe(1_000_000_000n);
    expect((await dear.importPrices({ allowLargeChanges: true })).problems).toEqual([]);
    expect(dear.models('acc_1')[0]?.price.inputPerMillion).toBe(2_010_000_000n);

    const lossy = await catalogOf(store, { models: [modelAt('2', { cost: { inputPerMillionUsd: '2.02' } })] });
    expect((await lossy.planPrices()).problems[0]).toContain('below the cost');
  });

  test('compares what is charged at every length of input', async () => {
    const store = memoryPriceStore();
    const base = { inputPerMillionUsd: '1', cachedInputPerMillionUsd: '0.50', outputPerMillionUsd: '2' };
    const tier = {
      aboveInputTokens: 200_000,
      inputPerMillionUsd: '2',
      cachedInputPerMillionUsd: '1',
      outputPerMillionUsd: '3',
    };
    const planOf = async (price: object, more: object = {}) =>
      (await catalogOf(store, { models: [modelAt('1', { price, ...more })] })).planPrices();
    await (await catalogOf(store, { models: [modelAt('1', { price: base })] })).importPrices();

    // Two times is not more than two times.
    const long = await planOf({ ...base, tiers: [tier] });
    expect(long.problems).toEqual([]);
    expect(long.difference).toEqual([
      expect.stringContaining('inputPerMillion above 200000 input tokens 1.00 -> 2.00'),
    ]);
    // Without a rate of its own, cached input there costs four times what it did.
    const { cachedInputPerMillionUsd: _, ...bare } = tier;
    expect((await planOf({ ...base, tiers: [{ ...bare, inputPerMillionUsd: '2.01' }] })).problems).toEqual([
      'model:p/m: inputPerMillion above 200000 input tokens changes more than two times, from 1.00 to 2.01',
      'model:p/m: cachedInputPerMillion above 200000 input tokens changes more than two times, from 0.50 to 2.01',
    ]);
    expect((await planOf({ ...base, cacheWriteInputPerMillionUsd: '2.01' })).problems).toEqual([
      'model:p/m: cacheWriteInputPerMillion changes more than two times, from 1.00 to 2.01',
    ]);
    const same = {
      aboveInputTokens: 9,
      inputPerMillionUsd: '1',
      cachedInputPerMillionUsd: '0.5',
      outputPerMillionUsd: '2',
    };
    expect((await planOf({ ...base, tiers: [same] })).additions).toEqual([]);

    const cost = { ...base, cacheWriteInputPerMillionUsd: '1.25', tiers: [{ ...bare, outputPerMillionUsd: '2.50' }] };
    expect((await planOf({ ...base, outputPerMillionUsd: '2.40' }, { cost })).problems).toEqual([
      'model:p/m: cacheWriteInputPerMillion 1.00 is below the cost of 1.25',
      'model:p/m: inputPerMillion above 200000 input tokens 1.00 is below the cost of 2.00',
      'model:p/m: outputPerMillion above 200000 input tokens 2.40 is below the cost of 2.50',
    ]);
    expect((await planOf({ ...cost, tiers: [{ ...tier, outputPerMillionUsd: '2.50' }] }, { cost })).problems).toEqual(
      [],
    );
  });

  test('imports nothing twice: the same prices are the same version', async () => {
    const catalog = await catalogOf(memoryPriceStore(), { models: [modelAt('1')] });
    expect((await catalog.importPrices()).additions).toHaveLength(1);
    expect((await catalog.importPrices()).additions).toHaveLength(0);
    expect(catalog.version).toBe(1);
  });

  test('gives one account its own price', async () => {
    const catalog = await catalogOf(memoryPriceStore(), {
      models: [modelAt('1')],
      services: { 'workflow:risk.check': { perRequestUsd: '0.002' } },
      markups: [{ accountId: 'acc_2', percent: 12.5 }],
    });
    await catalog.importPrices();
    expect(catalog.models('acc_1')[0]?.price.inputPerMillion).toBe(1_000_000_000n);
    expect(catalog.models('acc_2')[0]?.price.inputPerMillion).toBe(1_125_000_000n);
    expect(catalog.price('workflow:risk.check', 'acc_2')?.perRequest).toBe(2_250_000n);
    expect(catalog.price('workflow:other', 'acc_2')).toBeUndefined();
  });

  test('charges a later price only from its time on', async () => {
    let now = 1_800_000_000_000;
    const store = memoryPriceStore(() => now);
    const catalog = await catalogOf(store, { models: [modelAt('1')] }, () => now);
    await catalog.importPrices();
    await store.add([
      {
        item: 'model:p/m',
        accountId: '',
        version: 2,
        effectiveAt: now + 1_000,
        inputPerMillion: 5n,
        outputPerMillion: 5n,
      },
    ]);
    await catalog.refresh();
    expect(catalog.models('acc_1')[0]?.price.inputPerMillion).toBe(1_000_000_000n);
    now += 1_001;
    expect(catalog.models('acc_1')[0]?.price.inputPerMillion).toBe(5n);
  });
});

eachServer((server) => {
  const database = useDatabase(server);

  test('the price book outlives the process, exactly, and every node reads the same', async () => {
    const settings = {
      models: [modelAt('0.123456789', { price: { inputPerMillionUsd: '0.123456789', outputPerMillionUsd: '100000' } })],
    };
    const one = await catalogOf(createPriceStore(database().database), settings);
    const other = await catalogOf(createPriceStore(database().database), settings);
    const plans = await Promise.all([one.importPrices(), other.importPrices()]);
    expect(plans.map(({ additions }) => additions.length).sort()).toEqual([0, 1]);
    await other.refresh();
    expect(other.models('acc_1')[0]?.price).toMatchObject({
      version: 1,
      inputPerMillion: 123_456_789n,
      outputPerMillion: 100_000_000_000_000n,
    });
    expect(await other.prices()).toEqual(await one.prices());
  });

  test('writes for an hour and audio too, in tiers as well', async () => {
    const rates = {
      inputPerMillionUsd: '1',
      cacheWrite1hInputPerMillionUsd: '2',
      audioInputPerMillionUsd: '3',
      outputPerMillionUsd: '4',
    };
    const price = {
      ...rates,
      tiers: [{ ...rates, aboveInputTokens: 9, audioInputPerMillionUsd: '5', cacheWrite1hInputPerMillionUsd: '6' }],
    };
    const settings = { models: [modelAt('1', { id: 'heard', price })] };
    expect((await (await catalogOf(createPriceStore(database().database), settings)).importPrices()).problems).toEqual(
      [],
    );
    const read = await catalogOf(createPriceStore(database().database), settings);
    expect(read.models('acc_1').find(({ model }) => model.id === 'heard')?.price).toMatchObject({
      cacheWrite1hInputPerMillion: 2_000_000_000n,
      audioInputPerMillion: 3_000_000_000n,
      tiers: [{ audioInputPerMillion: 5_000_000_000n, cacheWrite1hInputPerMillion: 6_000_000_000n }],
    });
  });

  test('cache writes and tiers too, in every version, and marked up for one account', async () => {
    const tiers = [
      { aboveInputTokens: 400_000, inputPerMillionUsd: '3', outputPerMillionUsd: '4', cachedInputPerMillionUsd: '0' },
      { aboveInputTokens: 200_000, inputPerMillionUsd: '2', outputPerMillionUsd: '3' },
    ];
    const price = { inputPerMillionUsd: '1', cacheWriteInputPerMillionUsd: '1.25', outputPerMillionUsd: '2' };
    const settings = {
      models: [modelAt('1', { id: 'long', price: { ...price, tiers } })],
      markups: [{ accountId: 'acc_2', percent: 10 }],
    };
    const catalog = await catalogOf(createPriceStore(database().database), settings);
    expect((await catalog.importPrices()).problems).toEqual([]);
    expect((await catalog.importPrices()).additions).toEqual([]);
    const read = await catalogOf(createPriceStore(database().database), settings);
    expect(read.models('acc_1')[0]?.price).toMatchObject({
      cacheWriteInputPerMillion: 1_250_000_000n,
      tiers: [
        { aboveInputTokens: 200_000, inputPerMillion: 2_000_000_000n, outputPerMillion: 3_000_000_000n },
        {
          aboveInputTokens: 400_000,
          inputPerMillion: 3_000_000_000n,
          cachedInputPerMillion: 0n,
          outputPerMillion: 4_000_000_000n,
        },
      ],
    });
    expect(read.models('acc_2')[0]?.price).toMatchObject({
      cacheWriteInputPerMillion: 1_375_000_000n,
      tiers: [{ inputPerMillion: 2_200_000_000n }, { inputPerMillion: 3_300_000_000n, cachedInputPerMillion: 0n }],
    });
    const [first] = read.models('acc_1');
    expect(first?.price.tiers?.[0]).not.toHaveProperty('cachedInputPerMillion');
  });
});
