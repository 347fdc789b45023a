import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { sql } from 'kysely';
import type { RowDataPacket } from 'mysql2';
import { afterEach, expect, test } from 'vitest';
import { connectDatabase, type Database, isConnectionLost, openConnection } from '../../src/db/index.ts';
import { eachServer, silent, startOwnServer } from '../support/database.ts';
import { startSilentProxy } from '../support/silent-proxy.ts';

/** For what is refused; a query that is to be answered has longer, for the machine may be busy. */
const queryTimeoutMs = 300;
const patientMs = 60_000;

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function connectTo(url: string, poolMax: number, timeoutMs = queryTimeoutMs) {
  const database = connectDatabase({ url, log: silent, poolMax, queryTimeoutMs: timeoutMs });
  closers.push(database.close);
  return { database, patient: database.withQueryTimeout(patientMs) };
}

async function proxied(url: string, poolMax: number, timeoutMs?: number) {
  const proxy = await startSilentProxy(url);
  closers.push(proxy.close);
  return { proxy, ...connectTo(proxy.url, poolMax, timeoutMs) };
}

async function connectionId(database: Database): Promise<bigint> {
  const { rows } = await sql<{ id: bigint }>`SELECT CONNECTION_ID() AS id`.execute(database.for<never>());
  return rows[0]?.id ?? 0n;
}

const sleep = (seconds: number, database: Database) =>
  sql`SELECT SLEEP(${sql.lit(seconds)})`.execute(database.for<never>());

/** What it was refused with, and after how many ms. */
async function refusal(work: Promise<unknown>): Promise<{ error: unknown; ms: number }> {
  const began = performance.now();
  const error = await work.then(
    () => expect.unreachable(),
    (refused: unknown) => refused,
  );
  return { error, ms: performance.now() - began };
}

eachServer((server) => {
  test('a query whose answer never comes fails, not before its time, and the next one has a new connection', async () => {
    const { proxy, database, patient } = await proxied(server.url, 4);
    const first = await connectionId(patient);
    proxy.swallowAnswers();
    const { error, ms } = await refusal(connectionId(database));
    expect(isConnectionLost(error)).toBe(true);
    expect(ms).toBeGreaterThan(queryTimeoutMs - 20);
    expect(await connectionId(patient)).not.toBe(first);
    expect(proxy.made).toBe(2);
    await expect.poll(() => proxy.open).toBe(1);
  });

  test('a transaction on a half-open connection gives its place to who waits for one', async () => {
    // Its beginning is answered, and has as long as the statement that is not.
    const { proxy, database, patient } = await proxied(server.url, 1, 3_000);
    await connectionId(patient);
    const began = Promise.withResolvers<void>();
    const swallowed = Promise.withResolvers<void>();
    const transaction = refusal(
      database.transaction(async (tx) => {
        began.resolve();
        await swallowed.promise;
        await sql`SELECT 1`.execute(tx.for<never>());
      }),
    );
    await began.promise;
    proxy.swallowAnswers();
    const waiting = connectionId(patient);
    swallowed.resolve();
    expect(isConnectionLost((await transaction).error)).toBe(true);
    await waiting;
    expect(proxy.made).toBe(2);
  });

  test('a query that is too slow takes its connection with it; another limit lets it be slow', async () => {
    const { database, patient } = connectTo(server.url, 1);
    const first = await connectionId(patient);
    await sleep(0.5, patient);
    expect(await connectionId(patient)).toBe(first);
    expect(isConnectionLost((await refusal(sleep(5, database))).error)).toBe(true);
    expect(await connectionId(patient)).not.toBe(first);
  });

  test('nobody waits longer for a connection, and what comes too late goes to the next', async () => {
    const { database, patient } = connectTo(server.url, 1);
    const first = await connectionId(patient);
    const begun = Promise.withResolvers<void>();
    const over = Promise.withResolvers<void>();
    const busy = patient.transaction(() => {
      begun.resolve();
      return over.promise;
    });
    await begun.promise;
    // The only connection is not free before this is refused.
    expect(isConnectionLost((await refusal(connectionId(database))).error)).toBe(true);
    over.resolve();
    await busy;
    expect(await connectionId(patient)).toBe(first);
  });

  test('closing waits for no server that has gone silent', async () => {
    const { proxy, database, patient } = await proxied(server.url, 2, 3_000);
    await connectionId(patient);
    proxy.swallowAnswers();
    const query = refusal(connectionId(database));
    await expect.poll(() => proxy.swallowed).toBeGreaterThan(0);
    closers.pop();
    await database.close();
    expect(isConnectionLost((await query).error)).toBe(true);
    await expect.poll(() => proxy.open).toBe(0);
  });
});

test('who is one too many to wait for a connection hears that the database is away', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { database } = connectTo(`mysql://root@127.0.0.1:${port}/none`, 1, patientMs);
  const refusals: unknown[] = [];
  // One has the connection that is being made, and 2,000 wait.
  for (let asked = 0; asked < 2_002; asked++) connectionId(database).catch((error: unknown) => refusals.push(error));
  await expect.poll(() => refusals.length).toBe(1);
  expect(refusals.every(isConnectionLost)).toBe(true);
  server.close();
});

test('sessions commit each statement and chain no transactions, whatever the server has as its default', async () => {
  const own = await startOwnServer();
  closers.push(own.remove);
  const admin = await openConnection(own.url);
  await admin.query("SET GLOBAL autocommit = 0, GLOBAL completion_type = 'CHAIN'");
  await admin.query('CREATE TABLE kept (id INT PRIMARY KEY) ENGINE = InnoDB');
  await admin.end();

  const alone = await openConnection(own.url);
  await alone.query('INSERT INTO kept VALUES (1)');
  const [rows] = await alone.query<RowDataPacket[]>('SELECT @@autocommit AS autocommit, @@completion_type AS chaining');
  expect(rows).toEqual([{ autocommit: 1n, chaining: 'NO_CHAIN' }]);
  alone.destroy();

  const { patient: database } = connectTo(own.url, 1);
  await sql`INSERT INTO kept VALUES (2)`.execute(database.for<never>());
  await database.transaction((tx) => sql`INSERT INTO kept VALUES (3)`.execute(tx.for<never>()));
  // Chained, this one would be in a transaction that the last commit began.
  await sql`INSERT INTO kept VALUES (4)`.execute(database.for<never>());
  const others = connectTo(own.url, 1).patient.for<{ kept: { id: number } }>();
  expect(await others.selectFrom('kept').selectAll().orderBy('id').execute()).toEqual(
    [1, 2, 3, 4].map((id) => ({ id })),
  );
});
