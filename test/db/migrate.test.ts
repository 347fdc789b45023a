import { randomBytes } from 'node:crypto';
import type { RowDataPacket } from 'mysql2/promise';
import { expect, test } from 'vitest';
import { type Migration, migrate, openConnection, withDatabase } from '../../src/db/index.ts';
import { eachServer, runOnce, silent, type TestServer } from '../support/database.ts';

async function emptyDatabase(server: TestServer): Promise<string> {
  const name = `${server.prefix}m${randomBytes(5).toString('hex')}`;
  await runOnce(server.url, [`CREATE DATABASE ${name} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`]);
  return withDatabase(server.url, name);
}

async function tablesIn(url: string): Promise<string[]> {
  const connection = await openConnection(url);
  try {
    const [rows] = await connection.query<RowDataPacket[]>(
      "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE() AND LEFT(table_name, 7) <> 'schema_' ORDER BY table_name",
    );
    return rows.map(({ name }) => String(name));
  } finally {
    await connection.end();
  }
}

const make = (table: string) => `CREATE TABLE ${table} (id INT PRIMARY KEY) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4`;
const first: Migration = { name: '0100-first', statements: [make('a1'), make('a2')] };
const second: Migration = { name: '0200-second', statements: [make('b1')] };
const between: Migration = { name: '0150-between', statements: [make('c1')] };

eachServer((server) => {
  test('every migration of the service runs once, and again changes nothing', async () => {
    const url = await emptyDatabase(server);
    const names = await migrate({ url, log: silent });
    expect([...names].sort()).toEqual(names);
    expect(await migrate({ url, log: silent })).toEqual([]);
  });

  test('one that appears between older ones still runs', async () => {
    const url = await emptyDatabase(server);
    await migrate({ url, log: silent, migrations: [first, second] });
    expect(await migrate({ url, log: silent, migrations: [first, between, second] })).toEqual(['0150-between']);
    expect(await tablesIn(url)).toEqual(['a1', 'a2', 'b1', 'c1']);
  });

  test('four nodes that start at once migrate once', async () => {
    const url = await emptyDatabase(server);
    const runs = await Promise.all([1, 2, 3, 4].map(() => migrate({ url, log: silent, migrations: [first, second] })));
    expect(runs.flat().sort()).toEqual(['0100-first', '0200-second']);
  });

  test('after a failure in the middle, the next start continues with the statement that failed', async () => {
    const url = await emptyDatabase(server);
    const broken = { name: first.name, statements: [make('a1'), 'CREATE TABLE nonsense'] };
    await expect(migrate({ url, log: silent, migrations: [broken] })).rejects.toThrow(
      'The migration 0100-first failed.',
    );
    expect(await migrate({ url, log: silent, migrations: [first] })).toEqual(['0100-first']);
    expect(await tablesIn(url)).toEqual(['a1', 'a2']);
  });

  test('a statement that took effect before a crash could record it does no harm when it runs again', async () => {
    const url = await emptyDatabase(server);
    await migrate({ url, log: silent, migrations: [{ name: first.name, statements: [make('a1')] }] });
    await runOnce(url, [make('a2'), 'UPDATE schema_migration SET started = 2 WHERE finished = 1']);
    expect(await migrate({ url, log: silent, migrations: [first] })).toEqual(['0100-first']);
  });

  test('a table in use delays a migration and does not fail it', async () => {
    const url = await emptyDatabase(server);
    await migrate({ url, log: silent, migrations: [first] });
    const reader = await openConnection(url);
    await reader.query('START TRANSACTION');
    await reader.query('SELECT * FROM a1');
    const later = { name: '0300-later', statements: ['ALTER TABLE a1 ADD COLUMN note VARCHAR(10)'] };
    const migrated = migrate({ url, log: silent, migrations: [first, later] });
    setTimeout(() => reader.destroy(), 1_500);
    expect(await migrated).toEqual(['0300-later']);
  });
});
