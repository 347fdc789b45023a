import { setTimeout as sleep } from 'node:timers/promises';
import type { KyselyPlugin } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database, Queryable } from '../../src/db/index.ts';
import {
  auditLedger,
  createReaper,
  createStatements,
  createUsageCatchUp,
  type Statements,
  type UsageDimension,
  type UsageFilter,
  type UsageRow,
} from '../../src/wallet/index.ts';
import { sumNext } from '../../src/wallet/usage/catch-up-store.ts';
import { eachServer, silent, useDatabase } from '../support/database.ts';
import {
  addCredit,
  addCustomer,
  type Customer,
  drain,
  holdOf,
  mustHold,
  type Node,
  pay,
  query,
  run,
  startNode,
} from './support.ts';

const groupings: readonly (readonly UsageDimension[])[] = [
  [],
  ['day'],
  ['hour'],
  ['key', 'operation'],
  ['provider', 'model'],
  ['subject'],
  ['device', 'hour', 'model'],
  ['day', 'hour', 'operation', 'provider', 'model', 'key', 'device', 'subject'],
  ['provider_key', 'operation'],
];
const counts = [
  'input',
  'cached_input',
  'cache_write_input',
  'cache_write_1h_input',
  'audio_input',
  'output',
  'reasoning',
];

interface Holding {
  /** Resolves when an answer is held. */
  begun: Promise<void>;
  release(): void;
}

/** A database whose next answer can be held back, so that whoever asked waits for as long as the test says. */
function holding(from: Database): { db: Database; holdNext(): Holding } {
  let next: { begun(): void; released: Promise<void> } | undefined;
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      const holding = next;
      next = undefined;
      holding?.begun();
      await holding?.released;
      return result;
    },
  };
  const overHeld = (queryable: Queryable): Queryable => ({
    for: <Tables>() => queryable.for<Tables>().withPlugin(plugin),
  });
  return {
    db: { ...from, ...overHeld(from), snapshot: (work) => from.snapshot((tx) => work(overHeld(tx))) },
    holdNext() {
      const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      next = { begun: begun.resolve, released: released.promise };
      return { begun: begun.promise, release: released.resolve };
    },
  };
}

eachServer((server) => {
  const database = useDatabase(server);
  let node: Node;
  let statements: Statements;
  beforeAll(() => {
    node = startNode(database().url);
    statements = createStatements({ db: node.db });
  });
  afterAll(() => node.close());
  const reap = () => createReaper({ db: node.db, ledger: node.ledger, log: silent, restAfterOutageMs: 0 }).runOnce();
  const sql = (text: string) => run(database().url, text);
  const walletOf = async ({ accountId }: Customer) => {
    const wallet = await node.wallets.get(accountId, 'api');
    if (!wallet.ok) throw new Error('No wallet.');
    return wallet.value.walletId;
  };

  const entriesOf = async (customer: Customer) =>
    await query(
      database().url,
      `SELECT p.created_at_us AS time, p.step, p.credit_account = 'wallet' AS back, p.amount, c.* FROM posting p
       JOIN charge c ON c.id = p.source_id WHERE p.source_type = 'charge' AND p.wallet_id = '${await walletOf(customer)}'`,
    );

  /** The expected usage, computed here from every entry. */
  function expected(
    rows: readonly Record<string, unknown>[],
    groupBy: readonly UsageDimension[],
    from = 0,
    to = Number.POSITIVE_INFINITY,
  ) {
    const sums = new Map<string, Record<string, bigint>>();
    for (const row of rows) {
      const ms = Number(BigInt(row.time as bigint) / 1_000n);
      if (ms < from || ms >= to) continue;
      const iso = new Date(ms).toISOString();
      const places: Record<UsageDimension, unknown> = {
        ...{
          day: iso.slice(0, 10),
          hour: `${iso.slice(0, 13)}:00:00Z`,
          operation: row.operation,
          provider: row.provider,
        },
        ...{ model: row.model, key: row.key_id, device: row.device_id, subject: row.subject },
        provider_key: row.provider_key_id,
      };
      const place = JSON.stringify(groupBy.map((name) => String(places[name] ?? '')));
      const sum = sums.get(place) ?? {};
      sums.set(place, sum);
      const add = (name: string, value: bigint) => {
        sum[name] = (sum[name] ?? 0n) + value;
      };
      add('cost', Number(row.back) ? -BigInt(row.amount as bigint) : BigInt(row.amount as bigint));
      const isOwedWhole = BigInt(row.settled as bigint) === 0n;
      const first = [...['capture', 'expiry', 'late'], ...(isOwedWhole ? ['repay:use:1'] : [])].includes(
        String(row.step),
      );
      add('charges', first ? 1n : 0n);
      for (const name of counts) add(name, first ? BigInt((row[`${name}_tokens`] as bigint | null) ?? 0) : 0n);
      add('search', first ? BigInt((row.search_units as bigint | null) ?? 0) : 0n);
    }
    return sums;
  }

  async function told(
    customer: Customer,
    groupBy: readonly UsageDimension[],
    range: { start?: number; end?: number; only?: UsageFilter } = {},
  ) {
    const usage = await statements.allUsage({ accountId: customer.accountId, groupBy, ...range });
    if (!usage.ok) throw new Error(JSON.stringify(usage.failure));
    const names: Record<UsageDimension, keyof UsageRow> = {
      ...{ day: 'day', hour: 'hour', operation: 'operation', provider: 'provider', model: 'model' },
      ...{ key: 'keyId', device: 'deviceId', subject: 'subject', provider_key: 'providerKeyId' },
    };
    return new Map(
      usage.value.map((row) => [
        JSON.stringify(groupBy.map((name) => String(row[names[name]] ?? ''))),
        {
          ...{ cost: row.cost, charges: row.charges, input: row.inputTokens, cached_input: row.cachedInputTokens },
          search: row.searchUnits,
          ...{ cache_write_input: row.cacheWriteInputTokens, cache_write_1h_input: row.cacheWrite1hInputTokens },
          ...{ audio_input: row.audioInputTokens, output: row.outputTokens, reasoning: row.reasoningTokens },
        },
      ]),
    );
  }

  async function expectUsage(customer: Customer, range: { start?: number; end?: number } = {}) {
    const all = await entriesOf(customer);
    await expectUsageOf(customer, all, range);
    const isOf = (name: string, value: string) => all.filter((row) => row[name] === value);
    for (const [only, entries] of [
      [{ model: 'm0' }, isOf('model', 'm0')],
      [{ operation: 'pulse' }, isOf('operation', 'pulse')],
      [{ keyId: customer.keyId, model: 'm2' }, isOf('model', 'm2').filter((row) => row.key_id === customer.keyId)],
    ] as const)
      await expectUsageOf(customer, entries, { ...range, only });
  }

  async function expectUsageOf(
    customer: Customer,
    entries: readonly Record<string, unknown>[],
    range: { start?: number; end?: number; only?: UsageFilter },
  ) {
    for (const groupBy of groupings) {
      const sums = expected(entries, groupBy, range.start, range.end);
      const rows = [...(await told(customer, groupBy, range))].filter(
        ([, row]) => row.charges !== 0n || row.cost !== 0n,
      );
      expect(Object.fromEntries(rows), groupBy.join()).toEqual(Object.fromEntries(sums));
    }
  }

  /** Charges of every kind: of users and devices, with and without models, expired, settled late, owed and repaid. */
  async function spend(customer: Customer, charges: number) {
    await sql(
      `INSERT IGNORE INTO credential_state (id, account_id, state, least_version) VALUES ('${customer.keyId}b', '${customer.accountId}', 'active', 1)`,
    );
    const usage = {
      inputTokens: 11,
      cachedInputTokens: 3,
      outputTokens: 7,
      reasoningTokens: 2,
      cacheWriteInputTokens: 5,
      searchUnits: 3,
    };
    await Promise.all(
      Array.from({ length: charges }, (_, index) =>
        pay(
          node,
          holdOf(customer, {
            ...(index % 3 === 0 && { subject: `user-${index % 6}` }),
            ...(index % 4 === 0 && { deviceId: 'dev_1' }),
            ...(index % 5 === 0 && { keyId: `${customer.keyId}b` }),
            ...(index % 2 === 0 ? { provider: 'up', model: `m${index % 3}` } : { operation: 'pulse' }),
            ...(index % 10 === 0 && { providerKeyId: 'pky_1' }),
          }),
          { cost: BigInt(index * 7), usage: index % 2 === 0 ? { ...usage, inputTokens: 11 + index } : {} },
        ),
      ),
    );
  }

  async function settleLate(customer: Customer) {
    const hold = await mustHold(node, holdOf(customer, { ttlMs: 20, provider: 'up', model: 'first', subject: 'late' }));
    await node.ledger.recordProgress(hold, { cost: 300n, usage: { outputTokens: 3 } });
    await sleep(40);
    await reap();
    await node.ledger.settle(hold, { cost: 500n, usage: { outputTokens: 9 }, provider: 'up', model: 'second' });
  }

  test('the sums that commits keep are those of the entries, late settlements and debts included', {
    timeout: 60_000,
  }, async () => {
    const customer = await addCustomer(node, database().url, 20n);
    await spend(customer, 60);
    await settleLate(customer);
    const hold = await mustHold(node, holdOf(customer, { ttlMs: 20, ceiling: 900n, subject: 'owing', model: 'm' }));
    await sleep(40);
    await reap();
    await drain(node, customer, 5n);
    const owing = { cost: 900n, usage: { outputTokens: 4 }, delivered: true };
    expect(await node.ledger.settle(hold, owing)).toMatchObject({ charged: 5n, owed: 895n });
    await addCredit(node, customer, 5_000_000_000n);
    await reap();
    await expectUsage(customer);
    const [wallet] = await query(
      database().url,
      `SELECT seq, summed FROM wallet WHERE id = '${await walletOf(customer)}'`,
    );
    expect(wallet?.summed).toBe(wallet?.seq);
    const steps = await query(
      database().url,
      `SELECT DISTINCT step FROM posting WHERE wallet_id = '${await walletOf(customer)}'`,
    );
    for (const step of ['expiry', 'rest', 'repay:use:1']) expect(steps.map((row) => row.step)).toContain(step);
    expect(await auditLedger(node.db)).toEqual([]);
  });

  test('a charge of which nothing could be collected is counted once, with its first repayment', async () => {
    const customer = await addCustomer(node, database().url, 5n);
    const late = holdOf(customer, { ttlMs: 20, ceiling: 6_000_000_000n, model: 'm', metadata: { job: 'late' } });
    const hold = await mustHold(node, late);
    await sleep(40);
    await reap();
    await drain(node, customer, 0n);
    const settlement = { cost: 6_000_000_000n, usage: { inputTokens: 8, outputTokens: 4 }, delivered: true };
    expect(await node.ledger.settle(hold, settlement)).toMatchObject({ charged: 0n, owed: 6_000_000_000n });
    // Repaid in two parts.
    for (let time = 0; time < 2; time++) {
      await addCredit(node, customer, 5_000_000_000n);
      await reap();
    }
    const used = { cost: 6_000_000_000n, charges: 1n, inputTokens: 8n, outputTokens: 4n };
    const { accountId } = customer;
    for (const groupBy of [['model'], ['model', 'provider_key']] as const) {
      const usage = await statements.allUsage({ accountId, groupBy: [...groupBy] });
      expect(usage).toMatchObject({ ok: true, value: expect.arrayContaining([expect.objectContaining(used)]) });
    }
    const byLabel = await statements.allUsage({ accountId, groupBy: [], groupByMetadata: 'job' });
    expect(byLabel).toMatchObject({ value: expect.arrayContaining([expect.objectContaining(used)]) });
    await expectUsage(customer);
    expect(await auditLedger(node.db)).toEqual([]);
  });

  test('what was posted without sums is added in steps, exactly, whatever comes between', {
    timeout: 120_000,
  }, async () => {
    const customer = await addCustomer(node, database().url, 20n);
    for (let part = 0; part < 2; part++) await spend(customer, 650);
    const walletId = await walletOf(customer);
    // Spread over three days, starting at a full hour, as if posted by nodes without sums.
    const first = 1_766_000_000_000;
    await sql(
      `UPDATE posting SET created_at_us = ${first}000 + seq * 200000000 WHERE wallet_id = '${walletId}';
       UPDATE charge c JOIN posting p ON p.source_type = 'charge' AND p.source_id = c.id AND p.step = 'capture'
         SET c.ended_at_us = p.created_at_us, c.created_at_us = p.created_at_us WHERE c.wallet_id = '${walletId}';
       DELETE FROM usage_hour WHERE wallet_id = '${walletId}'; DELETE FROM usage_user_hour WHERE wallet_id = '${walletId}';
       UPDATE wallet SET summed = 0 WHERE id = '${walletId}'`,
    );
    const ranges = [
      { start: first, end: first + 400 * 3_600_000 },
      { start: first + 7_777_777, end: first + 55 * 3_600_000 + 999_999 },
      { start: first + 1_900_000, end: first + 40 * 3_600_000 - 100_000 },
    ];
    // Nothing is summed: everything is read from the entries.
    for (const range of ranges) await expectUsage(customer, range);
    for (let step = 0; step < 3; step++) {
      expect(await node.db.transaction((tx) => sumNext(tx, walletId, 350))).toBe(350);
      await expectUsage(customer, ranges[step]);
    }
    // A charge is settled while the wallet is behind, and one that expired earlier is settled late.
    await pay(node, holdOf(customer, { provider: 'up', model: 'between' }), { cost: 9n, usage: { inputTokens: 1 } });
    await settleLate(customer);
    const catchUp = createUsageCatchUp({ db: node.db, log: silent, stepSize: 250 });
    expect(await catchUp.runOnce()).toBeGreaterThan(200);
    expect(await catchUp.runOnce()).toBe(0);
    for (const range of [...ranges, { start: Date.now() - 3_600_000 }]) await expectUsage(customer, range);
    expect((await auditLedger(node.db)).filter(({ invariant }) => invariant.startsWith('usage'))).toEqual([]);
  });

  test('a page token that nobody was given is refused, and one that leads beyond 400 days', async () => {
    const customer = await addCustomer(node, database().url, 20n);
    const [{ accountId }, walletId] = [customer, await walletOf(customer)];
    // The first of them costs nothing, and has no posting.
    await spend(customer, 4);
    const usage = (position: string) =>
      statements.usage(
        { accountId, groupBy: [] },
        { pageToken: Buffer.from(`usage:\n${position}`).toString('base64url') },
      );
    const [{ seq } = {}] = await query(database().url, `SELECT seq FROM wallet WHERE id = '${walletId}'`);
    const next = Number(seq) + 1;
    expect(await usage(`1:${next}:0`)).toMatchObject({ ok: true, value: { items: [{ charges: 3n }] } });
    const refused = { ok: false, failure: { violations: [{ field: 'pageToken' }] } };
    for (const position of ['1:999999999999:0', `1:${next + 1}:0`, `0:${next}:0`, '2:1:0', '2:2:0'])
      expect(await usage(position), position).toMatchObject(refused);
    await sql(
      `UPDATE posting SET created_at_us = created_at_us - 34819200000000 WHERE wallet_id = '${walletId}' AND seq = 1`,
    );
    expect(await usage(`1:${next}:0`)).toMatchObject(refused);
    expect(await usage(`2:${next}:0`)).toMatchObject({ ok: true });
  });

  test('an account that asks for many sums, or exports, waits for itself and for nobody else', async () => {
    const [busy, other] = [await addCustomer(node, database().url, 20n), await addCustomer(node, database().url, 20n)];
    const { db, holdNext } = holding(node.db);
    const held = createStatements({ db });
    const ended: string[] = [];
    const sum = async (name: string, { accountId }: Customer) => {
      const summed = await held.usage({ accountId, groupBy: [] }, {});
      ended.push(summed.ok ? name : summed.failure.kind);
    };
    const many = <T>(length: number, work: (index: number) => T) => Array.from({ length }, (_, index) => work(index));
    const firstSum = holdNext();
    const sums = many(12, () => sum('busy', busy));
    await firstSum.begun;
    await sum('other', other);
    expect(ended.sort()).toEqual(['other', ...many(3, () => 'overloaded')]);
    firstSum.release();
    await Promise.all(sums);
    expect(ended.filter((name) => name === 'busy')).toHaveLength(9);

    ended.length = 0;
    const entriesOfAll = async ({ accountId }: Customer) => {
      const found = await held.entries(accountId, {});
      if (!found.ok) throw new Error(found.failure.kind);
      return found.value;
    };
    const files = await Promise.all(many(20, () => entriesOfAll(busy)));
    const read = async (name: string, batches: AsyncIterable<unknown[]>) => {
      for await (const rows of batches) expect(rows).toHaveLength(1);
      ended.push(name);
    };
    const last = await entriesOfAll(other);
    const firstBatch = holdNext();
    const exports = files.map((file) => read('busy', file));
    await firstBatch.begun;
    await read('other', last);
    expect(ended).toEqual(['other']);
    firstBatch.release();
    await Promise.all(exports);
    expect(ended).toHaveLength(21);
  });

  test('what was summed at an expiry, and said otherwise while the wallet was behind, is moved once', async () => {
    const customer = await addCustomer(node, database().url, 20n);
    const walletId = await walletOf(customer);
    for (const isSummed of [true, false]) {
      const hold = await mustHold(node, holdOf(customer, { ttlMs: 20, provider: 'up', model: 'first' }));
      await node.ledger.recordProgress(hold, { cost: 300n, usage: { outputTokens: 3 } });
      await sleep(40);
      // As if a node without sums had posted this.
      if (!isSummed) await sql(`UPDATE wallet SET summed = summed - 1 WHERE id = '${walletId}'`);
      const [before] = await query(database().url, `SELECT summed FROM wallet WHERE id = '${walletId}'`);
      await reap();
      if (isSummed) await sql(`UPDATE wallet SET seq = seq WHERE id = '${walletId}'`);
      await node.ledger.settle(hold, { cost: 500n, usage: { outputTokens: 9 }, provider: 'up', model: 'second' });
      const [after] = await query(database().url, `SELECT summed, seq FROM wallet WHERE id = '${walletId}'`);
      expect(after?.summed === after?.seq).toBe(isSummed);
      if (!isSummed) expect(after?.summed).toBe(before?.summed);
      await expectUsage(customer);
    }
  });

  test('nodes that settle and nodes that sum do not count twice', async () => {
    const customer = await addCustomer(node, database().url, 20n);
    const walletId = await walletOf(customer);
    await spend(customer, 300);
    await sql(
      `DELETE FROM usage_hour WHERE wallet_id = '${walletId}'; DELETE FROM usage_user_hour WHERE wallet_id = '${walletId}';
       UPDATE wallet SET summed = 0 WHERE id = '${walletId}'`,
    );
    const sweepers = [1, 2].map(() => createUsageCatchUp({ db: node.db, log: silent, stepSize: 20 }));
    const rounds = sweepers.map(async (sweeper) => {
      for (let round = 0; round < 5; round++) await sweeper.runOnce();
    });
    await Promise.all([...rounds, spend(customer, 200)]);
    while ((await sweepers[0]?.runOnce()) ?? 0) {}
    await expectUsage(customer);
    expect(await auditLedger(node.db, {})).toEqual(
      expect.not.arrayContaining([expect.objectContaining({ subject: walletId })]),
    );
  });
});
