import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import {
  type Catalog,
  createCatalog,
  type ModelSettings,
  memoryPriceStore,
  type PriceStore,
} from '../../src/catalog/index.ts';

const now = Date.UTC(2026, 10, 22);
const open: Catalog[] = [];
afterEach(async () => {
  for (const catalog of open.splice(0)) await catalog.close();
});

async function catalogOf(
  store: PriceStore,
  {
    models = [],
    at = () => now,
    provider = 'anthropic',
  }: { models?: ModelSettings[]; at?: () => number; provider?: string } = {},
): Promise<Catalog> {
  const catalog = await createCatalog({
    store,
    settings: { models, markups: [{ accountId: 'acc_dear', percent: 10 }] },
    enabledProviders: [provider],
    log: pino({ level: 'silent' }),
    clock: { now: at, monotonic: at },
  });
  open.push(catalog);
  return catalog;
}

/** A book in which a model costs what it cost some day. */
async function bookWith(rates: object, store = memoryPriceStore(() => now)): Promise<PriceStore> {
  const price = { inputPerMillion: 1n, outputPerMillion: 1n, ...rates };
  await store.add([{ version: 1, item: 'model:anthropic/claude-opus-5-5', accountId: '', effectiveAt: 0, ...price }]);
  return store;
}

const usd = 1_000_000_000n;
const opusBefore = {
  inputPerMillion: 5n * usd,
  cachedInputPerMillion: usd / 5n,
  cacheWriteInputPerMillion: 5n * usd,
  outputPerMillion: 20n * usd,
};

function inputPriceOf(catalog: Catalog, name: string, account = 'acc_1'): bigint | undefined {
  return catalog.models(account).find(({ model }) => model.name === name)?.price.inputPerMillion;
}

test("a key alone offers today's models at today's list prices, and says why others are off", async () => {
  const catalog = await catalogOf(memoryPriceStore(() => now));
  expect(catalog.models('acc_1')).toEqual([]);
  expect((await catalog.importPrices()).problems).toEqual([]);
  const offered = catalog.models('acc_1').map(({ model }) => model.name);
  expect(offered).toContain('anthropic/claude-fable-5-1');
  expect(offered).toContain('anthropic/claude-haiku-4-5');
  expect(catalog.models('acc_1').find(({ model }) => model.id === 'claude-opus-5-5')?.price).toMatchObject({
    inputPerMillion: 4n * usd,
    cachedInputPerMillion: usd / 5n,
    cacheWriteInputPerMillion: 5n * usd,
    outputPerMillion: 20n * usd,
    perRequest: 0n,
  });
  expect(inputPriceOf(catalog, 'anthropic/claude-opus-5-5', 'acc_dear')).toBe(4_400_000_000n);
  const off = catalog.unoffered();
  expect(off.map(({ name }) => name).filter((name) => offered.includes(name))).toEqual([]);
  expect(off.find(({ name }) => name === 'anthropic/claude-sonnet-5-5')?.reason).toContain('no list price');
  // What is there is not added again.
  expect((await catalog.importPrices()).additions).toEqual([]);
});

test('a price that is there stays until the list is confirmed', async () => {
  const store = await bookWith(opusBefore);
  const catalog = await catalogOf(store);
  await catalog.importPrices();
  expect(inputPriceOf(catalog, 'anthropic/claude-opus-5-5')).toBe(5n * usd);

  const plan = await catalog.planSync();
  expect(plan.difference).toEqual([
    'model:anthropic/claude-opus-5-5: inputPerMillion 5.00 -> 4.00, cacheWrite1hInputPerMillion - -> 8.00',
  ]);
  expect(inputPriceOf(catalog, 'anthropic/claude-opus-5-5')).toBe(5n * usd);

  expect(await catalog.applySync(plan)).toBe(true);
  expect(inputPriceOf(catalog, 'anthropic/claude-opus-5-5')).toBe(4n * usd);
  expect((await catalog.planSync()).additions).toEqual([]);
  // The plan was for the book as it was.
  expect(await catalog.applySync(plan)).toBe(false);
});

test('a plan that waited for its answer begins when it is written, not when it was made', async () => {
  let time = now;
  const store = memoryPriceStore(() => time);
  const catalog = await catalogOf(store, { at: () => time });
  const plan = await catalog.planSync();
  time += 600_000;
  expect(await catalog.applySync(plan)).toBe(true);
  expect(new Set((await catalog.prices()).map(({ effectiveAt }) => effectiveAt))).toEqual(new Set([time]));
});

test('changes of more than two times need their own word', async () => {
  const catalog = await catalogOf(await bookWith({ ...opusBefore, inputPerMillion: 9n * usd }));
  const plan = await catalog.planSync();
  expect(plan.problems).toEqual([expect.stringContaining('more than two times, from 9.00 to 4.00')]);
  expect(await catalog.applySync(plan)).toBe(false);
  const allowed = await catalog.planSync({ allowLargeChanges: true });
  expect(await catalog.applySync(allowed)).toBe(true);
  expect(inputPriceOf(catalog, 'anthropic/claude-opus-5-5')).toBe(4n * usd);
});

test('a model that bills what the book has no price for is off until it has', async () => {
  const { cacheWriteInputPerMillion: _, ...half } = opusBefore;
  const catalog = await catalogOf(await bookWith(half));
  await catalog.importPrices();
  expect(inputPriceOf(catalog, 'anthropic/claude-opus-5-5')).toBeUndefined();
  expect(catalog.unoffered().find(({ name }) => name === 'anthropic/claude-opus-5-5')?.reason).toContain(
    'It bills cacheWriteInputPerMillion',
  );
  expect(await catalog.applySync(await catalog.planSync())).toBe(true);
  expect(inputPriceOf(catalog, 'anthropic/claude-opus-5-5')).toBe(4n * usd);
});

test('a model that takes audio is off until the book has its rate for that; others do not need it, nor one for an hour', async () => {
  const gemini = { provider: 'google', quality: 50, contextTokens: 1_000_000 };
  const heard = { id: 'heard', upstreamModel: 'gemini-2.5-flash', capabilities: ['audio' as const] };
  const store = memoryPriceStore(() => now);
  const rates = { inputPerMillion: 300_000_000n, cachedInputPerMillion: 30_000_000n, outputPerMillion: 2_500_000_000n };
  const before = { ...rates, version: 1, accountId: '', effectiveAt: now };
  await store.add([
    { ...before, item: 'model:google/heard' },
    { ...before, item: 'model:google/gemini-2.5-flash' },
  ]);
  const catalog = await catalogOf(store, {
    provider: 'google',
    models: [
      { ...gemini, ...heard },
      { ...gemini, id: 'gemini-2.5-flash' },
    ],
  });
  const offered = () => catalog.models('acc_1').map(({ model }) => model.id);
  expect(offered()).toEqual(['gemini-2.5-flash']);
  expect(catalog.unoffered()).toEqual([
    { name: 'google/heard', reason: expect.stringContaining('It bills audioInputPerMillion') },
  ]);
  const plan = await catalog.planSync();
  expect(plan.problems).toEqual([]);
  expect(await catalog.applySync(plan)).toBe(true);
  expect(offered()).toEqual(['heard', 'gemini-2.5-flash']);
});

test('a configured price is kept and compared; a configured model without one gets the list price when confirmed', async () => {
  const model = { provider: 'anthropic', quality: 50, contextTokens: 200_000 };
  const price = {
    inputPerMillionUsd: '3',
    cachedInputPerMillionUsd: '0.10',
    cacheWriteInputPerMillionUsd: '1.25',
    outputPerMillionUsd: '5',
  };
  const catalog = await catalogOf(
    memoryPriceStore(() => now),
    {
      models: [
        { ...model, id: 'claude-haiku-4-5', price },
        { ...model, id: 'mine', upstreamModel: 'claude-opus-5-5' },
        { ...model, id: 'unknown' },
      ],
    },
  );
  await catalog.importPrices();
  expect(catalog.models('acc_1').map(({ model }) => model.id)).toEqual(['claude-haiku-4-5']);
  const plan = await catalog.planSync();
  expect(plan.notes).toEqual([
    'model:anthropic/claude-haiku-4-5: the configuration differs from the list: inputPerMillion 3.00 -> 1.00, cacheWrite1hInputPerMillion - -> 2.00',
  ]);
  expect(plan.additions.map(({ item, accountId }) => `${item} ${accountId}`)).toEqual([
    'model:anthropic/mine ',
    'model:anthropic/mine acc_dear',
  ]);
  expect(await catalog.applySync(plan)).toBe(true);
  expect(inputPriceOf(catalog, 'anthropic/claude-haiku-4-5')).toBe(3n * usd);
  expect(inputPriceOf(catalog, 'anthropic/mine')).toBe(4n * usd);
  expect(catalog.unoffered()).toEqual([
    { name: 'anthropic/unknown', reason: expect.stringContaining('give it a price under "models"') },
  ]);
});
