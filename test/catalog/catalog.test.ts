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
});
