import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** On a busy machine each step of a start takes many times as long; what fails ends by itself. */
const startTimeoutMs = 600_000;
vi.setConfig({ testTimeout: 6 * startTimeoutMs });

interface Run {
  process: ChildProcess;
  output(): string;
  /** Resolves with the exit code; null when a signal ended it. */
  ended: Promise<number | null>;
}

let folder: string;
let clone: string;
let otherClone: string;
const runs: Run[] = [];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quickstart-'));
  clone = makeClone('first');
  otherClone = makeClone('second');
});
afterEach(async () => {
  for (const run of runs.splice(0)) await interrupt(run);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The files of the working tree as git sees them, with its packages as hard links, which are as good as installed. */
function makeClone(name: string): string {
  const path = join(folder, name);
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  for (const file of listed.split('\0').filter(Boolean)) {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    cpSync(join(root, file), join(path, file), { force: true });
  }
  const linked = spawnSync('cp', ['-al', join(root, 'node_modules'), join(path, 'node_modules')]);
  if (linked.status !== 0) execFileSync('cp', ['-a', join(root, 'node_modules'), join(path, 'node_modules')]);
  return path;
}

/** `npm run quickstart` as a user runs it in a terminal: on the machine's own Node, in its own process group. */
function quickstart(cwd: string, port: number): Run {
  const path = (process.env.PATH ?? '').split(delimiter).filter((entry) => !entry.includes('node_modules'));
  const { HOME = folder, LANG = 'C.UTF-8' } = process.env;
  const child = spawn('npm', ['run', 'quickstart'], {
    cwd,
    env: { HOME, LANG, PATH: path.join(delimiter), PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data) => (output += String(data)));
  const run = {
    process: child,
    output: () => output,
    ended: new Promise<number | null>((done) => child.once('close', done)),
  };
  runs.push(run);
  return run;
}

async function ready(run: Run): Promise<void> {
  const deadline = Date.now() + startTimeoutMs;
  while (!/answers at http/.test(run.output())) {
    if (run.process.exitCode !== null || Date.now() > deadline) throw new Error(`It did not start:\n${run.output()}`);
    await sleep(50);
  }
}

/** What Ctrl-C does: SIGINT for the whole foreground process group. */
async function interrupt(run: Run): Promise<void> {
  const { exitCode, signalCode, pid } = run.process;
  if (exitCode === null && signalCode === null && pid) process.kill(-pid, 'SIGINT');
  await run.ended;
}

/** Processes that run in a folder or mention it in their command line. */
function processesOf(path: string): { pid: number; command: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => {
      try {
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
        const cwd = readlinkSync(`/proc/${name}/cwd`);
        return command && (cwd.startsWith(path) || command.includes(path)) ? [{ pid: Number(name), command }] : [];
      } catch {
        return [];
      }
    });
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + startTimeoutMs;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('waited too long');
    await sleep(50);
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return address.port;
}

function credentials(cwd: string): Record<'baseUrl' | 'operatorToken' | 'accountId' | 'managementKey', string> {
  return JSON.parse(readFileSync(join(cwd, '.data', 'quickstart.json'), 'utf8'));
}

async function topUp(cwd: string): Promise<void> {
  const { baseUrl, managementKey } = credentials(cwd);
  const reply = await fetch(`${baseUrl}/v1/wallet/top-ups`, {
    method: 'POST',
    headers: { authorization: `Bearer ${managementKey}`, 'content-type': 'application/json', 'idempotency-key': 'one' },
    body: JSON.stringify({ amountUsd: '5.00' }),
  });
  expect(reply.status, await reply.text()).toBe(200);
}

async function signInWith(baseUrl: string, code: string | undefined): Promise<unknown> {
  const reply = await fetch(`${baseUrl}/console/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', 'x-console': '1' },
    body: JSON.stringify({ code }),
  });
  expect(reply.status).toBe(200);
  return reply.json();
}

async function wallet(cwd: string): Promise<string> {
  const { baseUrl, managementKey } = credentials(cwd);
  const reply = await fetch(`${baseUrl}/v1/wallet`, { headers: { authorization: `Bearer ${managementKey}` } });
  expect(reply.status).toBe(200);
  return reply.text();
}

test('it serves, stops whole on Ctrl-C, keeps its data, and recovers from kill -9', async () => {
  const first = quickstart(clone, await freePort());
  await ready(first);
  const { baseUrl, accountId } = credentials(clone);
  expect((await fetch(`${baseUrl}/healthz`)).status).toBe(200);
  for (const file of ['quickstart.json', 'secrets.json'])
    expect(statSync(join(clone, '.data', file)).mode & 0o777).toBe(0o600);
  const [, code] = /http:\/\/localhost:\d+\/console\/#code=([\w-]+)/.exec(first.output()) ?? [];
  const signedIn = await signInWith(baseUrl, code);
  expect(signedIn).toMatchObject({ role: 'owner', accountId, sandbox: true });
  await topUp(clone);
  const before = await wallet(clone);
  await interrupt(first);
  expect(processesOf(clone)).toEqual([]);

  const second = quickstart(clone, await freePort());
  await ready(second);
  expect(credentials(clone).accountId).toBe(accountId);
  expect(await wallet(clone)).toBe(before);
  for (const { pid, command } of processesOf(clone)) if (!/mariadbd|mysqld/.test(command)) process.kill(pid, 'SIGKILL');
  await second.ended;

  const third = quickstart(clone, await freePort());
  await ready(third);
  expect(await wallet(clone)).toBe(before);
  // Its parent disappears without notice, as when a terminal is closed: it stops on its own.
  for (const { pid, command } of processesOf(clone))
    if (/npm|quickstart\.mjs/.test(command)) process.kill(pid, 'SIGKILL');
  await until(() => processesOf(clone).length === 0);

  // As a supervisor stops it: only npm itself is told.
  const fourth = quickstart(clone, await freePort());
  await ready(fourth);
  fourth.process.kill('SIGTERM');
  await fourth.ended;
  await until(() => processesOf(clone).length === 0);
});

test('two clones run side by side, and a port that is taken is told plainly', async () => {
  const port = await freePort();
  const first = quickstart(clone, port);
  await ready(first);
  const taken = quickstart(otherClone, port);
  expect(await taken.ended).toBe(1);
  expect(taken.output()).toMatch(new RegExp(`port ${port} .*(taken|in use)`, 'i'));
  expect(taken.output()).not.toMatch(/\bat .*\.ts:\d+/);
  expect(processesOf(otherClone)).toEqual([]);

  const second = quickstart(otherClone, await freePort());
  await ready(second);
  for (const cwd of [clone, otherClone]) expect((await fetch(`${credentials(cwd).baseUrl}/healthz`)).status).toBe(200);
  expect(credentials(otherClone).accountId).not.toBe(credentials(clone).accountId);
});
