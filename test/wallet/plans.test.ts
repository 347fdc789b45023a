import { expect, test } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { openConnection } from '../../src/db/index.ts';
import { lockRows } from '../../src/wallet/group-reads-store.ts';
import { writeGroup } from '../../src/wallet/group-writes-store.ts';
import type { LedgerConnection } from '../../src/wallet/ledger-connection-store.ts';
import type { Operation } from '../../src/wallet/operation.ts';
import { eachServer, useDatabase } from '../support/database.ts';
import { addCustomer, holdOf, keyOf, mustHold, startNode } from './support.ts';

eachServer((server) => {
  const database = useDatabase(server);

  test('every locking read and every update of a full group goes by its key', { timeout: 60_000 }, async () => {
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
      close: async () => undefined,
      destroy: () => undefined,
    };
    const state = await lockRows(recorded, group, 'nod_1');
    for (const rows of [state.wallets, state.charges, state.caps]) for (const row of rows.values()) row.changed = true;
    await writeGroup(recorded, newId('grp'), state);
    await connection.query('ROLLBACK');

    const statements = packets
      .flatMap((packet) => packet.split(';'))
      .filter((sql) => /^(SELECT .* FOR UPDATE|UPDATE)/s.test(sql));
    expect(statements.length).toBeGreaterThan(6);
    for (const sql of statements) {
      const [rows] = await connection.query(`EXPLAIN ${/mysql/i.test(server.name) ? 'FORMAT=TRADITIONAL ' : ''}${sql}`);
      const tables = (
        rows as { table: string | null; type: string | null; key: string | null; select_type: string }[]
      ).filter(({ table }) => table !== null && !table.startsWith('<') && table !== 'u');
      for (const { table, type, key } of tables)
        expect(`${table} ${type} ${key}`, sql.slice(0, 120)).toMatch(/ (range|const|eq_ref|ref) PRIMARY$/);
    }
    await connection.end();
    await node.close();
  });
});
