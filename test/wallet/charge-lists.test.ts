import type { Kysely } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import type { Queryable } from '../../src/db/index.ts';
import type { Charge, ChargesFilter } from '../../src/wallet/index.ts';
import { findCharges } from '../../src/wallet/wallets/charges-store.ts';
import { eachServer, useDatabase } from '../support/database.ts';
import { addCustomer, type Customer, holdOf, mustHold, type Node, run, startNode } from './support.ts';

eachServer((server) => {
  const database = useDatabase(server);
  let node: Node;
  let customer: Customer;
  beforeAll(async () => {
    node = startNode(database().url);
    customer = await addCustomer(node, database().url, 100n);
  });
  afterAll(() => node.close());

  const list = async (filter: ChargesFilter & { pageSize?: number; pageToken?: string }, of = customer) => {
    const page = await node.wallets.listCharges(of.accountId, filter);
    if (!page.ok) throw new Error(page.failure.kind);
    return page.value;
  };
  const idsOf = (charges: Charge[]) => charges.map(({ chargeId }) => chargeId);

  test('every filter finds its charges alone, with others and over pages, the newest first', async () => {
    const made: Charge[] = [];
    const make = async (change: Parameters<typeof holdOf>[1], end?: 'settle' | 'release') => {
      const hold = await mustHold(node, holdOf(customer, change));
      if (end === 'settle') await node.ledger.settle(hold, { cost: 7n, usage: { inputTokens: 3 } });
      if (end === 'release') await node.ledger.release(hold, 'test');
      const charge = await node.wallets.getCharge(customer.accountId, hold.chargeId);
      if (!charge.ok) throw new Error('No charge.');
      made.unshift(charge.value);
    };
    const oneOfOurs = newId('req');
    for (let round = 0; round < 4; round++) {
      await make({ subject: 'ada', model: 'm1', requestId: 'r-1', metadata: { project: 'a' } }, 'settle');
      await make({ subject: 'bob', deviceId: 'dev_1', operation: 'pulse', metadata: { project: 'a' } }, 'release');
      await make({ subject: 'ada', deviceId: 'dev_2', model: 'm2' }, 'settle');
      await make({ model: 'm1', requestId: round < 2 ? oneOfOurs : 'r-1', metadata: { project: 'b' } });
    }
    const filters: ChargesFilter[] = [
      {},
      { subject: 'ada' },
      { deviceId: 'dev_1' },
      { keyId: customer.keyId },
      { keyId: 'key_other' },
      { state: 'held' },
      { state: 'released', operation: 'pulse' },
      { operation: 'chat' },
      { model: 'm1' },
      { requestId: 'r-1' },
      { requestId: 'r-1', state: 'held' },
      { requestId: oneOfOurs },
      { requestId: newId('req') },
      { subject: 'ada', model: 'm2', state: 'settled', keyId: customer.keyId },
      { metadata: { key: 'project', value: 'a' } },
      { metadata: { key: 'project', value: 'a' }, state: 'settled', subject: 'ada' },
      { start: made[9]?.createdAt.getTime() ?? 0 },
      { end: made[3]?.createdAt.getTime() ?? 0, model: 'm1' },
      { start: made[12]?.createdAt.getTime() ?? 0, end: made[2]?.createdAt.getTime() ?? 0 },
    ];
    const wanted = (filter: ChargesFilter) =>
      made.filter(
        (charge) =>
          (['subject', 'deviceId', 'keyId', 'state', 'operation', 'model', 'requestId'] as const).every(
            (name) => filter[name] === undefined || filter[name] === charge[name],
          ) &&
          (!filter.metadata || charge.metadata[filter.metadata.key] === filter.metadata.value) &&
          charge.createdAt.getTime() >= (filter.start ?? 0) &&
          charge.createdAt.getTime() < (filter.end ?? Number.POSITIVE_INFINITY),
      );
    for (const filter of filters) {
      const expected = idsOf(wanted(filter));
      expect(idsOf((await list(filter)).items), JSON.stringify(filter)).toEqual(expected);
      const paged: string[] = [];
      for (let pageToken = '', more = true; more; more = pageToken !== '') {
        const page = await list({ ...filter, pageSize: 3, pageToken });
        paged.push(...idsOf(page.items));
        pageToken = page.nextPageToken;
      }
      expect(paged, JSON.stringify(filter)).toEqual(expected);
    }
    const { nextPageToken } = await list({ subject: 'ada', pageSize: 1 });
    await expect(list({ subject: 'bob', pageSize: 1, pageToken: nextPageToken })).rejects.toThrow('invalid');
  });

  test('what no index leads to is looked for in windows, and a page says how far it has come', {
    timeout: 120_000,
  }, async () => {
    const requestId = newId('req');
    const busy = await addCustomer(node, database().url, 100n);
    const first = await mustHold(node, holdOf(busy, { model: 'rare', subject: 'rare', requestId }));
    const { walletId } = first;
    // Created later according to their ids, so that the one searched for comes last.
    const columns =
      'state, hold, settled, key_id, key_version, operation, price_version, node_id, created_at_us, ended_at_us';
    await run(
      database().url,
      `INSERT INTO charge (wallet_id, id, ${columns})
       SELECT c.wallet_id, CONCAT('chg_7', LPAD(n.n, 25, '0')), 'released', c.hold, 0, c.key_id, 1, c.operation, 1, c.node_id,
         c.created_at_us, c.created_at_us
       FROM charge c JOIN (
         WITH RECURSIVE d (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM d WHERE n < 349)
         SELECT a.n * 350 + b.n AS n FROM d a JOIN d b) n
       WHERE c.id = '${first.chargeId}';
       ANALYZE TABLE charge`,
    );
    const one = await list({ model: 'rare' }, busy);
    expect(one.items).toEqual([]);
    expect(one.nextPageToken).not.toBe('');
    const two = await list({ model: 'rare', pageToken: one.nextPageToken }, busy);
    expect(idsOf(two.items)).toEqual([first.chargeId]);
    expect(two.nextPageToken).toBe('');
    expect(idsOf((await list({ subject: 'rare' }, busy)).items)).toEqual([first.chargeId]);
    // The id of a request made here says when to look.
    expect(idsOf((await list({ requestId }, busy)).items)).toEqual([first.chargeId]);
    expect((await list({ requestId: 'made-elsewhere' }, busy)).nextPageToken).not.toBe('');

    for (const [filter, index] of [
      [{}, 'PRIMARY'],
      [{ model: 'rare' }, 'PRIMARY'],
      [{ start: 1 }, 'PRIMARY'],
      [{ requestId }, 'PRIMARY'],
      [{ requestId, subject: 'rare' }, 'charge_subject'],
      [{ keyId: busy.keyId, state: 'held' }, 'charge_key'],
      [{ deviceId: 'dev_1', keyId: busy.keyId }, 'charge_device'],
      [{ subject: 'rare', deviceId: 'dev_1', start: 1 }, 'charge_subject'],
    ] as const) {
      const plans = await plansOf((db) => findCharges(db, { walletId, filter, before: 'chg_8', limit: 10 }));
      expect(plans.length).toBeGreaterThan(0);
      for (const { type, key, Extra } of plans) {
        expect([JSON.stringify(filter), key]).toEqual([JSON.stringify(filter), index]);
        expect(['range', 'ref']).toContain(type);
        expect(String(Extra)).not.toContain('filesort');
      }
    }
  });

  test('an account that looks for many charges waits for itself and for nobody else', async () => {
    const other = await addCustomer(node, database().url, 100n);
    const ended: string[] = [];
    const look = async (name: string, { accountId }: Customer) => {
      const page = await node.wallets.listCharges(accountId, { state: 'held', model: 'none' });
      ended.push(page.ok ? name : page.failure.kind);
    };
    const busy = Array.from({ length: 40 }, () => look('busy', customer));
    await Promise.all([...busy, look('other', other)]);
    expect(ended.filter((name) => name === 'busy')).toHaveLength(33);
    expect(ended.filter((name) => name === 'overloaded')).toHaveLength(7);
    const read = ended.filter((name) => name !== 'overloaded');
    expect(read.indexOf('other')).toBeLessThan(20);
  });

  /** How the server runs the statements of a call. */
  async function plansOf(call: (db: Queryable) => Promise<unknown>) {
    const explain = /mysql/i.test(server.name) ? 'EXPLAIN FORMAT=TRADITIONAL' : 'EXPLAIN';
    const plans: Record<string, unknown>[] = [];
    await call({
      for: <Tables>() => {
        const executor = node.db.for<Tables>().getExecutor();
        const explaining: Partial<typeof executor> = {
          transformQuery: (node, id) => executor.transformQuery(node, id),
          compileQuery: (node, id) => executor.compileQuery(node, id),
          executeQuery: async (compiled) => {
            const explained = { ...compiled, sql: `${explain} ${compiled.sql}` };
            plans.push(...(await executor.executeQuery<Record<string, unknown>>(explained)).rows);
            return executor.executeQuery(compiled);
          },
        };
        return { getExecutor: () => explaining } as unknown as Kysely<Tables>;
      },
    });
    return plans;
  }
});
