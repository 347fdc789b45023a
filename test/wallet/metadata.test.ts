import fc from 'fast-check';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { createSeal } from '../../src/base/seal.ts';
import { createLedger } from '../../src/wallet/index.ts';
import { decideHold } from '../../src/wallet/ledger/decide/hold.ts';
import { planWrites } from '../../src/wallet/ledger/store/write-rows-store.ts';
import { eachServer, useDatabase } from '../support/database.ts';
import { MemoryTables } from '../support/memory-tables.ts';
import { addCustomer, type Customer, holdOf, holdOperation, keyOf, mustHold, type Node, startNode } from './support.ts';

/** As large as the protocol allows, of characters that take the most bytes, including escaped ones. */
const largest = Object.fromEntries(
  Array.from({ length: 16 }, (_, index) => [`${'😀'.repeat(62)}${String(index).padStart(2, '0')}`, "😀'".repeat(256)]),
);

eachServer((server) => {
  const database = useDatabase(server);
  let node: Node;
  let customer: Customer;
  let groups = 0;
  beforeAll(async () => {
    node = startNode(database().url, {}, { onGroup: () => (groups += 1) });
    customer = await addCustomer(node, database().url, 100n);
  });
  afterAll(() => node.close());

  const metadataOf = async (chargeId: string, { accountId } = customer) => {
    const charge = await node.wallets.getCharge(accountId, chargeId);
    return charge.ok ? charge.value.metadata : charge.failure.kind;
  };
  const count = async (table: 'charge_metadata') =>
    (await node.db.for<Record<string, object>>().selectFrom(table).selectAll().execute()).length;

  test('any labels that the protocol allows come back as they were sent', async () => {
    const text = (max: number, min = 0) =>
      fc.string({ unit: 'binary', minLength: min, maxLength: max }).filter((value) => [...value].length <= max);
    const labels = fc.dictionary(text(64, 1), text(512), { maxKeys: 16 });
    await fc.assert(
      fc.asyncProperty(labels, async (metadata) => {
        const hold = await mustHold(node, holdOf(customer, { metadata }));
        expect(await metadataOf(hold.chargeId)).toEqual({ ...metadata });
        await node.ledger.settle(hold, { cost: 1n, usage: {} });
        expect(await metadataOf(hold.chargeId)).toEqual({ ...metadata });
      }),
      { numRuns: 40 },
    );
    for (const metadata of [
      largest,
      { a: '' },
      { "'; DROP TABLE charge; --": '\0\\"\n\u{10ffff}' },
      JSON.parse('{"__proto__":"x"}'),
    ]) {
      const hold = await mustHold(node, holdOf(customer, { metadata }));
      expect(JSON.stringify(await metadataOf(hold.chargeId))).toBe(JSON.stringify(metadata));
    }
  });

  test('the largest labels make smaller groups, not larger packets', async () => {
    groups = 0;
    const request = holdOf(customer, { ceiling: 10n, metadata: largest });
    const holds = await Promise.all(Array.from({ length: 300 }, () => mustHold(node, request)));
    expect(await metadataOf(holds[299]?.chargeId ?? '')).toEqual(largest);
    expect(groups).toBeGreaterThan(3);
  });

  test('labels that the protocol would refuse never reach a group', async () => {
    const pairs = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, 'v']));
    for (const metadata of [
      pairs(17),
      { '': 'x' },
      { ['n'.repeat(65)]: 'x' },
      { n: 'v'.repeat(513) },
      { '\ud800': 'x' },
    ])
      await expect(node.ledger.hold(holdOf(customer, { metadata }))).rejects.toThrow(RangeError);
  });

  test('a replay adds no labels, and leaves those of the first request', async () => {
    const request = holdOf(customer, { metadata: { project: 'one' }, idempotency: keyOf(customer) });
    const hold = await mustHold(node, request);
    await node.ledger.settle(hold, { cost: 1n, usage: {}, reply: Buffer.from('x') });
    const before = await count('charge_metadata');
    expect(await node.ledger.hold(request)).toMatchObject({ ok: true, value: { kind: 'replayed' } });
    expect(await count('charge_metadata')).toBe(before);
    expect(await metadataOf(hold.chargeId)).toEqual({ project: 'one' });
  });

  test('a refused request leaves no labels', async () => {
    const poor = await addCustomer(node, database().url);
    const before = await count('charge_metadata');
    expect(await node.ledger.hold(holdOf(poor, { metadata: { project: 'one' } }))).toMatchObject({ ok: false });
    expect(await count('charge_metadata')).toBe(before);
  });

  test('a statement that the database refuses leaves no labels in the log', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'debug' }, { write: (line: string) => lines.push(line) });
    const seal = createSeal({ current: 1, byVersion: new Map([[1, Buffer.alloc(32)]]) });
    const ledger = createLedger({ db: node.db, seal, log });
    const { walletId } = await mustHold(node, holdOf(customer));
    // A name that no entry point admits.
    const request = holdOf(customer, { metadata: { ['n'.repeat(300)]: 'of a person' } });
    const operation = { type: 'hold', walletId, chargeId: newId('chg'), request, ttlMs: 1_000 } as const;
    const refused = await ledger.committer.submit(operation).catch((error: unknown) => error);
    log.error({ err: refused }, 'refused');
    expect(lines.join('')).toContain('the ledger can not do an operation');
    expect(lines.join('')).not.toContain('of a person');
    await ledger.close();
  });

  test("another account never sees a charge's labels", async () => {
    const other = await addCustomer(node, database().url, 5n);
    const hold = await mustHold(node, holdOf(customer, { metadata: { project: 'mine' } }));
    expect(await metadataOf(hold.chargeId, other)).toBe('not_found');
  });
});

test('a group without labels has no statement about them', async () => {
  const tables = new MemoryTables();
  tables.addWallet('wal_1', 'acc_1', 100n);
  tables.addCredential('key_1', 'acc_1');
  const groups = [undefined, {}, { project: 'one' }].map((metadata) => {
    const state = tables.read('nod_1');
    const request = holdOf({ accountId: 'acc_1', keyId: 'key_1' }, metadata && { metadata });
    decideHold({ ...holdOperation('wal_1', request), chargeId: 'chg_1' }, state);
    return planWrites(state).map(({ name }) => name);
  });
  expect(groups.map((names) => names.includes('insert charge_metadata'))).toEqual([false, false, true]);
  expect(groups[1]).toEqual(groups[0]);
});
