import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Connection, RowDataPacket } from 'mysql2/promise';
import { pino } from 'pino';
import type { TestProject } from 'vitest/node';
import { ensureServerProgram, migrate, openConnection, startPrivateServer, withDatabase } from '../../src/db/index.ts';
import type { TestServer } from './database.ts';

const log = pino({ level: 'silent' });

/** One private server for the whole run, and those of TEST_DATABASE_URLS; suites create their own databases on them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  ensureServerProgram((line) => process.stderr.write(`tests: ${line}\n`));
  const folder = mkdtempSync(join(tmpdir(), 'test-db-'));
  const server = await startPrivateServer({ folder, log, restart: false });
  const stop = async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const urls = [server.url, ...(process.env.TEST_DATABASE_URLS ?? '').split(',').filter((url) => url.trim() !== '')];
    const servers = await Promise.all(urls.map((url) => prepareServer(url.trim())));
    project.provide('databaseServers', servers);
    return async () => {
      await Promise.all(servers.map(dropLeftovers));
      await stop();
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function prepareServer(url: string): Promise<TestServer> {
  const prefix = `test_${randomBytes(4).toString('hex')}_`;
  const home = `${prefix}home`;
  const admin = await openConnection(withDatabase(url, ''));
  try {
    await admin.query(`CREATE DATABASE ${home} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`);
    const template = `${prefix}template`;
    await admin.query(`CREATE DATABASE ${template} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`);
    await migrate({ url: withDatabase(url, template), log });
    await admin.query(`USE ${template}`);
    return {
      name: await serverName(admin),
      url: withDatabase(url, home),
      prefix,
      schema: await readSchema(admin, template),
    };
  } finally {
    await admin.end();
  }
}

async function serverName(connection: Connection): Promise<string> {
  const [rows] = await connection.query<RowDataPacket[]>('SELECT @@GLOBAL.version AS version');
  const version = String(rows[0]?.version);
  const [number] = version.match(/^\d+\.\d+/) ?? [version];
  return `${/mariadb/i.test(version) ? 'MariaDB' : /tidb/i.test(version) ? 'TiDB' : 'MySQL'} ${number}`;
}

// Copying tables is several times faster than migrating each test's database anew.
async function readSchema(connection: Connection, template: string): Promise<string[]> {
  const [tables] = await connection.query<RowDataPacket[]>(
    'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = ? ORDER BY table_name',
    [template],
  );
  const schema: string[] = [];
  for (const { name } of tables) {
    const [created] = await connection.query<RowDataPacket[]>(`SHOW CREATE TABLE \`${name}\``);
    schema.push(String(created[0]?.['Create Table']));
    const [rows] = await connection.query<RowDataPacket[]>(`SELECT 1 FROM \`${name}\` LIMIT 1`);
    if (rows.length > 0) schema.push(`INSERT INTO \`${name}\` SELECT * FROM ${template}.\`${name}\``);
  }
  return schema;
}

async function dropLeftovers(server: TestServer): Promise<void> {
  const connection = await openConnection(server.url, { session: { lock_wait_timeout: 30 } });
  try {
    const [rows] = await connection.query<RowDataPacket[]>(
      'SELECT schema_name AS name FROM information_schema.schemata WHERE LEFT(schema_name, ?) = ?',
      [server.prefix.length, server.prefix],
    );
    for (const { name } of rows) await connection.query(`DROP DATABASE \`${name}\``);
  } finally {
    await connection.end();
  }
}
