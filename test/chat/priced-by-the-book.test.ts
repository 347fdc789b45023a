import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPriceStore, type PriceVersion, priceOf } from '../../src/catalog/index.ts';
import { effectivePrice } from '../../src/catalog/price-book.ts';
import { chatInvariants } from '../../src/chat/index.ts';
import { openConnection } from '../../src/db/index.ts';
import { anyLength, anyRates, usageWithin } from '../catalog/rates.ts';
import { eachServer, useDatabase } from '../support/database.ts';

const day = 86_400_000;
const start = Date.UTC(2026, 0, 1);
const items = ['model:p/a', 'model:p/b', 'model:p/c'];
const accounts = ['acc_1', 'acc_2', 'acc_3'];

const anyVersion = fc.record({
  item: fc.constantFrom(...items),
  accountId: fc.constantFrom('', ...accounts),
  effectiveAt: fc.nat(9).map((days) => start + days * day),
  rates: anyRates,
});

/** Some versions for each model: for everyone, from the first day on, and for accounts that have a price of their own. */
const anyBook: fc.Arbitrary<PriceVersion[]> = fc
  .tuple(fc.array(anyRates, { minLength: 3, maxLength: 3 }), fc.array(anyVersion, { minLength: 40, maxLength: 60 }))
  .map(([first, later]) => [
    ...first.map((rates, index) => ({
      ...rates,
      item: items[index] ?? '',
      accountId: '',
      effectiveAt: start,
      version: 1,
    })),
    ...later.map(({ rates, ...one }, index) => ({ ...rates, ...one, version: index + 2 })),
  ]);

const anyCharge = fc.record({
  item: fc.constantFrom(...items),
  accountId: fc.constantFrom(...accounts),
  createdAt: fc.nat(10).map((days) => start + days * day + 1),
  priceVersion: fc.nat(60).map((version) => version + 1),
  usage: fc.tuple(anyLength, fc.nat(200_000)).chain(([input, output]) => usageWithin(input, output)),
  /** Some cost more than was held. */
  held: fc.oneof({ weight: 9, arbitrary: fc.constant(10n ** 17n) }, fc.bigInt(1n, 10n ** 12n)),
});

eachServer((server) => {
  const database = useDatabase(server);

  test('the audit and the service price every usage alike, in all tiers of all versions', async () => {
    const [book] = fc.sample(anyBook, { numRuns: 1, seed: 20261122 });
    const charges = fc.sample(anyCharge, { numRuns: 2_000, seed: 20261122 });
    if (!book) throw new Error('There is no book.');
    const store = createPriceStore(database().database);
    for (const version of book.filter(({ version }) => version > 1)) expect(await store.add([version])).toBe(true);
    expect(await store.add(book.filter(({ version }) => version === 1))).toBe(true);
    const { versions } = await store.read();
    expect(versions).toHaveLength(book.length);
    expect(versions).toEqual(expect.arrayContaining(book));

    const rows = charges.map(({ item, accountId, createdAt, priceVersion, usage, held }, index) => {
      const known = versions.filter(({ version }) => version <= priceVersion);
      const price = effectivePrice(known, item, accountId, createdAt);
      if (!price) throw new Error('A model has no price.');
      const cost = priceOf(usage, { ...price, perRequest: price.perRequest ?? 0n });
      const settled = cost < held ? cost : held;
      const { inputTokens, audioInputTokens, cachedInputTokens, outputTokens } = usage;
      const { cacheWriteInputTokens, cacheWrite1hInputTokens } = usage;
      const texts = [`wal_${accountId}`, `chg_${index}`, 'settled', 'key_1', 'chat', 'p', item.slice(-1), 'node_1'];
      const numbers = [
        held,
        settled,
        priceVersion,
        inputTokens,
        cachedInputTokens,
        cacheWriteInputTokens,
        cacheWrite1hInputTokens,
        audioInputTokens,
        outputTokens,
      ];
      const times = [createdAt * 1_000, createdAt * 1_000 + 1];
      return `(${[...texts.map((text) => `'${text}'`), ...numbers, ...times].join(',')},1,1)`;
    });
    const connection = await openConnection(database().url, { multipleStatements: true });
    try {
      for (const account of accounts)
        await connection.query(
          `INSERT INTO wallet (id, account_id, kind, created_at_us) VALUES ('wal_${account}', '${account}', 'api', 1)`,
        );
      await connection.query(`INSERT INTO charge (wallet_id, id, state, key_id, operation, provider, model, node_id, hold, settled,
        price_version, input_tokens, cached_input_tokens, cache_write_input_tokens, cache_write_1h_input_tokens, audio_input_tokens,
        output_tokens, created_at_us, ended_at_us, requests, key_version) VALUES ${rows.join(',')}`);
      const sql = chatInvariants.find(({ name }) => name === 'chat-is-priced-by-the-book')?.sql ?? '';
      expect((await connection.query(sql))[0]).toEqual([]);

      // A count that is moved from one kind of input to another is another price, except where both cost the same.
      let before = 0;
      for (const moved of ['audio_input_tokens', 'cache_write_1h_input_tokens', 'cache_write_input_tokens']) {
        await connection.query(`UPDATE charge SET ${moved} = 0 WHERE ${moved} > 0`);
        const noticed = ((await connection.query(sql))[0] as unknown[]).length;
        expect(noticed, moved).toBeGreaterThan(before + 50);
        before = noticed;
      }
      await connection.query('DELETE FROM price_tier');
      expect(((await connection.query(sql))[0] as unknown[]).length).toBeGreaterThan(before);
    } finally {
      await connection.end();
    }
  });
});
