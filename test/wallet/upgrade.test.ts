import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { connectDatabase, migrate, withDatabase } from '../../src/db/index.ts';
import { readMigrations } from '../../src/db/migrate.ts';
import { auditLedger } from '../../src/wallet/index.ts';
import { eachServer, runOnce, silent } from '../support/database.ts';
import { query, run } from './support.ts';

const charge = `INSERT INTO charge (wallet_id, id, state, hold, settled, uncollected, progress_cost, key_id, key_version, operation,
  price_version, node_id, idempotency_scope, idempotency_key, created_at_us, ended_at_us) VALUES`;

/** What the ledger wrote before keys were paid for only once: expiries freed keys, and what could not be collected was given up. */
const booksOfBefore = `
  INSERT INTO wallet (id, account_id, kind, posted, seq, owed, created_at_us) VALUES ('w', 'acc', 'api', 4999998900, 9, 70, 1);
  INSERT INTO credential_state (id, account_id, state, least_version) VALUES ('k', 'acc', 'active', 1);
  INSERT INTO top_up (id, wallet_id, amount, state, provider, reversed, created_at_us, paid_at_us)
    VALUES ('t', 'w', 5000000000, 'paid', 'stripe', 170, 1, 2);
  INSERT INTO receivable VALUES ('t', 're', 'w', 'refund', 'final', 170, 100, 70, 1, 8);
  ${charge} ('w', 'paid', 'settled', 500, 200, 0, 0, 'k', 1, 'chat', 1, 'n', 'acc', 'a', 1, 3),
    ('w', 'abandoned', 'expired', 500, 100, 0, 100, 'k', 1, 'chat', 1, 'n', NULL, NULL, 1, 4),
    ('w', 'late', 'settled', 500, 300, 0, 100, 'k', 1, 'chat', 1, 'n', 'acc', 'b', 1, 5),
    ('w', 'later', 'settled', 500, 400, 0, 0, 'k', 1, 'chat', 1, 'n', NULL, NULL, 1, 6),
    ('w', 'lost', 'uncollected', 500, 0, 20, 0, 'k', 1, 'chat', 1, 'n', 'acc', 'c', 1, 7),
    ('w', 'free', 'released', 500, 0, 0, 0, 'k', 1, 'chat', 1, 'n', 'acc', 'd', 1, 7);
  INSERT INTO idempotency VALUES ('acc', 'a', REPEAT('f', 32), 'w', 'paid');
  INSERT INTO charge_cap VALUES ('w', 'paid', 'key:k'), ('w', 'late', 'key:k');
  INSERT INTO cap VALUES ('key:k', 'w', 1000, 0, 500);
  INSERT INTO posting VALUES
    ('w', 1, 'top_up', 'payments:stripe', 'wallet', 5000000000, 5000000000, 'top_up', 't', 'credit', 2),
    ('w', 2, 'usage', 'wallet', 'revenue', 200, 4999999800, 'charge', 'paid', 'capture', 3),
    ('w', 3, 'usage', 'wallet', 'revenue', 100, 4999999700, 'charge', 'abandoned', 'capture', 4),
    ('w', 4, 'usage', 'wallet', 'revenue', 100, 4999999600, 'charge', 'late', 'capture', 5),
    ('w', 5, 'usage', 'wallet', 'revenue', 200, 4999999400, 'charge', 'late', 'late', 6),
    ('w', 6, 'usage', 'wallet', 'revenue', 400, 4999999000, 'charge', 'later', 'late', 7),
    ('w', 7, 'refund', 'wallet', 'payments:stripe', 60, 4999998940, 'refund', 't', 'take:re', 8),
    ('w', 8, 'refund', 'wallet', 'payments', 40, 4999998900, 'refund', 't', 'repay:re:1', 9),
    ('w', 9, 'adjustment', 'wallet', 'adjustments', 10, 4999998890, 'adjustment', 'x', 'apply', 10);
  INSERT INTO adjustment VALUES ('x', 'w', -10, 'test', 'op', 'x', NULL, 10);
  UPDATE wallet SET posted = 4999998890`;

eachServer((server) => {
  test('books that were kept before an idempotency key was paid once pass the audit after the migration', async () => {
    const name = `${server.prefix}${randomBytes(6).toString('hex')}`;
    await runOnce(server.url, [`CREATE DATABASE ${name} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`]);
    const url = withDatabase(server.url, name);
    try {
      const migrations = await readMigrations();
      const before = migrations.filter((one) => one.name < '0206');
      expect(before.length).toBeLessThan(migrations.length);
      await migrate({ url, log: silent, migrations: before });
      await run(url, booksOfBefore);
      await migrate({ url, log: silent });
      const db = connectDatabase({ url, log: silent });
      try {
        expect(await auditLedger(db)).toEqual([]);
      } finally {
        await db.close();
      }
      const keys = await query(url, 'SELECT captured_charge_id AS paid, fence FROM idempotency');
      expect(keys).toEqual([{ paid: 'paid', fence: 1n }]);
    } finally {
      await runOnce(server.url, [`DROP DATABASE ${name}`]);
    }
  });
});
