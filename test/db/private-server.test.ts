import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { processStart } from '../../src/db/folder-lock.ts';
import { checkServer, connectDatabase, type PrivateServer, startPrivateServer } from '../../src/db/index.ts';
import { runOnce, silent } from '../support/database.ts';

let folder: string;
const servers: PrivateServer[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'private-'));
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function start(path = folder): Promise<PrivateServer> {
  const server = await startPrivateServer({ folder: path, log: silent });
  servers.push(server);
  return server;
}

async function countRows(server: PrivateServer): Promise<unknown> {
  const database = connectDatabase({ url: server.url, log: silent });
  try {
    return (await database.for<{ kept: { id: number } }>().selectFrom('kept').selectAll().execute()).length;
  } finally {
    await database.close();
  }
}

async function until(condition: () => boolean | Promise<boolean>, timeoutMs = 20_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('waited too long');
    await sleep(20);
  }
}

// A process that ended but that nobody has waited for yet counts as gone.
const isGone = (pid: number) => processStart(pid) === undefined;

test('it starts in an empty folder, is fit for a ledger, and keeps its data over a restart', async () => {
  const first = await start();
  await runOnce(first.url, ['CREATE TABLE kept (id INT PRIMARY KEY) ENGINE = InnoDB', 'INSERT INTO kept VALUES (1)']);
  const database = connectDatabase({ url: first.url, log: silent });
  await checkServer(database);
  await database.close();
  const pid = first.pid();
  await first.close();
  expect(isGone(Number(pid))).toBe(true);
  expect(await countRows(await start())).toBe(1);
});

test('it opens no network port', async () => {
  const server = await start();
  await expect(
    (async () => {
      const database = connectDatabase({ url: server.url, log: silent });
      const rows = await database
        .for<{ 'information_schema.global_variables': { VARIABLE_NAME: string; VARIABLE_VALUE: string } }>()
        .selectFrom('information_schema.global_variables')
        .select('VARIABLE_VALUE')
        .where('VARIABLE_NAME', '=', 'SKIP_NETWORKING')
        .execute();
      await database.close();
      return rows;
    })(),
  ).resolves.toEqual([{ VARIABLE_VALUE: 'ON' }]);
});

test('a second start in the same folder is refused while the first lives', async () => {
  await start();
  await expect(startPrivateServer({ folder, log: silent })).rejects.toThrow(/in use by process \d+/);
});

test('a server that dies is started again, with what it had acknowledged', async () => {
  const server = await start();
  await runOnce(server.url, ['CREATE TABLE kept (id INT PRIMARY KEY) ENGINE = InnoDB', 'INSERT INTO kept VALUES (1)']);
  const pid = Number(server.pid());
  process.kill(pid, 'SIGKILL');
  await until(async () => server.pid() !== pid && (await countRows(server).catch(() => 0)) === 1);
});

test('a killed process leaves no server behind, and the next start recovers at once', async () => {
  const script = `import { startPrivateServer } from ${JSON.stringify(new URL('../../src/db/index.ts', import.meta.url).href)};
    import { pino } from 'pino';
    const server = await startPrivateServer({ folder: ${JSON.stringify(folder)}, log: pino({ level: 'silent' }) });
    console.log(server.pid());
    setInterval(() => {}, 1000);`;
  const owner = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: new URL('../..', import.meta.url),
  });
  const pid = await new Promise<number>((done) => owner.stdout.once('data', (data) => done(Number(String(data)))));
  owner.kill('SIGKILL');
  const server = await start();
  expect(server.pid()).not.toBe(pid);
  expect(isGone(pid)).toBe(true);

  // The watching shell is killed too: the orphan is found by its folder.
  const orphan = Number(server.pid());
  const parent = Number(
    readFileSync(`/proc/${orphan}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')[1],
  );
  process.kill(parent, 'SIGKILL');
  await until(() => server.pid() !== undefined && server.pid() !== orphan);
  expect(isGone(orphan)).toBe(true);
});

test('a folder whose path is too long for a socket works', async () => {
  const deep = join(folder, 'd'.repeat(60), 'e'.repeat(60));
  const server = await start(deep);
  await runOnce(server.url, ['SELECT 1']);
  const socket = new URL(server.url).searchParams.get('socket') ?? '';
  expect(Buffer.byteLength(socket)).toBeLessThan(104);
  expect(statSync(join(socket, '..')).mode & 0o077).toBe(0);
  await server.close();
  expect(existsSync(join(socket, '..'))).toBe(false);
});
