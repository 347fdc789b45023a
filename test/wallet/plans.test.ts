import { expect, test } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { openConnection } from '../../src/db/index.ts';
import type { Rows } from '../../src/wallet/ledger/decide/group-state.ts';
import type { Operation } from '../../src/wallet/ledger/operation.ts';
import type { LedgerConnection } from '../../src/wallet/ledger/store/connection-store.ts';
import { lockRows } from '../../src/wallet/ledger/store/lock-rows-store.ts';
import { planWrites, writeRows } from '../../src/wallet/ledger/store/write-rows-store.ts';
import type { CapRow, ChargeRow, IdempotencyRow, WalletRow } from '../../src/wallet/tables.ts';
import { eachServer, useDatabase } from '../support/database.ts';
import { addCustomer, holdOf, keyOf, mustHold, startNode } from './support.ts';

eachServer((server) => {
  const database = useDatabase(server);

  test('every locking read and every update of a full group goes by its key', async () => {
    const { url } = database();
    const node = startNode(url);
    const account = await addCustomer(node, url, 5n);
    const caps = [{ owner: `key:${account.keyId}`, limit: 10n ** 12n }];
    const request = () => holdOf(account, { ceiling: 10n, caps, idempotency: keyOf(account) });
    // Enough rows that a scan would be the wrong choice.
    const requests = Array.from({ length: 1_200 }, request);
    const holds = await Promise.all(requests.map((one) => mustHold(node, one)));
    const connection = await openConnection(url, { multipleStatements: true });
    await connection.query(
      `INSERT INTO cap SELECT CONCAT('key:', id), wallet_id, 1, 0, 0 FROM charge;
       INSERT INTO credential_state (id, account_id, state, least_version) SELECT id, 'acc', 'active', 1 FROM charge;
       INSERT INTO wallet (id, account_id, kind, created_at_us) SELECT id, id, 'api', 1 FROM charge;
       ANALYZE TABLE wallet, charge, cap, credential_state, idempotency`,
    );
    const group: Operation[] = holds.slice(0, 400).flatMap((hold, index): Operation[] => {
      const reference = { walletId: hold.walletId, chargeId: hold.chargeId, capOwners: [`key:${hold.chargeId}`] };
      const { idempotency } = requests[index] ?? {};
      if (index % 2)
        return [{ type: 'progress', ...reference, idempotency: undefined, cost: 1n, usage: {}, ttlMs: 60_000 }];
      return [
        {
          type: 'hold',
          walletId: index % 4 ? hold.walletId : hold.chargeId,
          chargeId: newId('chg'),
          request: { ...holdOf(account), keyId: hold.chargeId, ...(idempotency && { idempotency }) },
          ttlMs: 60_000,
        },
      ];
    });
    const packets: string[] = [];
    const recorded: LedgerConnection = {
      read: async (sql) => {
        packets.push(sql);
        const [results] = await connection.query({ sql, rowsAsArray: true, typeCast: (field) => field.string('utf8') });
        return (results as unknown[]).map((rows) => (Array.isArray(rows) ? rows : []));
      },
      write: async (sql) => {
        packets.push(sql);
        const [results] = await connection.query(sql);
        return (results as { affectedRows: number }[]).map(({ affectedRows }) => affectedRows);
      },
      session: { server: 'test', startedAtMs: 0, id: 0 },
      close: async () => undefined,
      destroy: () => undefined,
    };
    const operations = [...group, ...changes(holds[0]?.walletId ?? '')];
    const { state } = await lockRows(recorded, operations, { nodeId: 'nod_1', skipLocked: false });
    for (const rows of [state.wallets, state.charges, state.caps, state.idempotency]) change(rows);
    await writeRows(recorded, planWrites(state));
    await connection.query('ROLLBACK');
    await lockRows(recorded, operations, { nodeId: 'nod_1', skipLocked: true });
    await connection.query('ROLLBACK');

    const isMySql = /mysql/i.test(server.name);
    const statements = packets
      .flatMap((packet) => packet.split(';'))
      .filter((sql) => /^(SELECT .* FROM|UPDATE)/s.test(sql));
    const locking = statements.filter((sql) => sql.startsWith('SELECT') && !sql.startsWith('SELECT id FROM wallet'));
    for (const sql of locking) {
      const share = isMySql ? /\/\*!80001 FOR SHARE NOWAIT \*\// : /\/\*M! LOCK IN SHARE MODE NOWAIT \*\/$/;
      expect(sql).toMatch(/ FROM credential_state /.test(sql) ? share : /FOR UPDATE (NOWAIT|SKIP LOCKED)$/);
    }
    const tables = ['wallet', 'idempotency', 'charge', 'cap', 'credential_state', 'top_up', 'receivable', 'adjustment'];
    for (const table of tables)
      expect(
        locking.filter((sql) => sql.includes(` FROM ${table} `)),
        table,
      ).not.toEqual([]);
    expect(statements.filter((sql) => sql.startsWith('UPDATE')).length).toBe(4);
    for (const sql of statements) {
      const [rows] = await connection.query(`EXPLAIN ${isMySql ? 'FORMAT=TRADITIONAL ' : ''}${sql}`);
      const read = (
        rows as { table: string | null; type: string | null; key: string | null; select_type: string }[]
      ).filter(({ table }) => table !== null && !table.startsWith('<') && table !== 'u');
      for (const { table, type, key } of read)
        expect(`${table} ${type} ${key}`, sql.slice(0, 120)).toMatch(
          / (range|const|eq_ref|ref) (PRIMARY|receivable_wallet|adjustment_idempotency)$/,
        );
    }
    await connection.end();
    await node.close();
  });
});

/** Operations on the rows of bought credit, for one wallet. */
function changes(walletId: string): Operation[] {
  const adjustment = { adjustmentId: newId('adj'), reason: 'test', actor: 'test', idempotencyKey: 'k' };
  return [
    { type: 'credit', walletId, topUpId: newId('top') },
    { type: 'repay', walletId },
    { type: 'adjust', walletId, amount: 1n, chargeId: undefined, ...adjustment },
  ];
}

/** Gives every row something to write. */
function change(rows: Rows<WalletRow> | Rows<ChargeRow> | Rows<CapRow> | Rows<IdempotencyRow>): void {
  for (const row of rows.values()) {
    if ('version' in row) row.posted += 1n;
    else if ('progressCost' in row) row.progressCost += 1n;
    else if ('fence' in row) row.fence += 1n;
    else row.spent += 1n;
  }
}
