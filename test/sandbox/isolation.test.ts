import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { getPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { createSandbox } from '../../src/sandbox/index.ts';
import { launch, limit } from '../../src/sandbox/launch.ts';
import { silent } from '../support/database.ts';
import { isRunning, read, sandboxProcesses } from './processes.ts';

const started: ChildProcess[] = [];
afterAll(() => {
  for (const child of started) child.kill('SIGKILL');
});

/** Runs a module with the permissions of the sandbox; it begins when it is told to, and prints JSON. */
async function inside(code: string): Promise<unknown> {
  const child = launch(64, ['--input-type=module', '--eval', `process.stdout.write('.');\n${code}`]);
  started.push(child);
  let text = '';
  child.stdout?.on('data', (piece: Buffer) => {
    text += piece.toString();
  });
  let errors = '';
  child.stderr?.on('data', (piece: Buffer) => {
    errors += piece.toString();
  });
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  expect(await limit(child.pid ?? 0, 64)).toBe(true);
  child.stdin?.end('go');
  await once(child, 'close');
  expect(errors).toBe('');
  return JSON.parse(text.slice(1));
}

const codes = `
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import dgram from 'node:dgram';
import dns from 'node:dns';
import childProcess from 'node:child_process';
import { Worker } from 'node:worker_threads';
const code = (run) => { try { run(); return 'done'; } catch (error) { return error.code ?? error.message; } };
const later = (emitter) => new Promise((done) => {
  emitter.on('error', (error) => done(error.code)); emitter.on('connect', () => done('done')); emitter.on('listening', () => done('done'));
});
await once(process.stdin, 'data');
`;

test('its processes have no environment, and no file but the source', async () => {
  const found = await inside(`${codes}
    const results = {
      environment: Object.keys(process.env),
      passwd: code(() => fs.readFileSync('/etc/passwd')),
      list: code(() => fs.readdirSync('/')),
      git: code(() => fs.readFileSync(${JSON.stringify(fileURLToPath(new URL('../../README.md', import.meta.url)))})),
      write: code(() => fs.writeFileSync('/tmp/sandbox-was-here', 'a')),
      child: code(() => childProcess.spawnSync('/bin/true').error && (() => { throw childProcess.spawnSync('/bin/true').error; })()),
      worker: code(() => new Worker('1', { eval: true })),
      kill: code(() => process.getBuiltinModule('node:inspector').open(0)),
    };
    process.stdout.write(JSON.stringify(results));`);
  expect(found).toMatchObject({
    environment: [],
    passwd: 'ERR_ACCESS_DENIED',
    list: 'ERR_ACCESS_DENIED',
    git: 'ERR_ACCESS_DENIED',
    write: 'ERR_ACCESS_DENIED',
    child: 'ERR_ACCESS_DENIED',
    worker: 'ERR_ACCESS_DENIED',
  });
});

test('the system lets them open no socket once they are ready', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  let connections = 0;
  server.on('connection', () => connections++);
  const found = await inside(`${codes}
    const results = {
      tcp: await later(net.connect(${port}, '127.0.0.1')),
      listen: await later(net.createServer().listen(0, '127.0.0.1')),
      udp: await new Promise((done) => { try { const socket = dgram.createSocket('udp4'); socket.on('error', (error) => done(error.code)); socket.bind(0, () => done('done')); } catch (error) { done(error.code); } }),
    };
    process.stdout.write(JSON.stringify(results));`);
  expect(found).toEqual({ tcp: 'EMFILE', listen: 'EMFILE', udp: 'EMFILE' });
  expect(connections).toBe(0);
  server.close();
});

test('a process that is ready is bounded by the system, and has an empty environment', async () => {
  const sandbox = createSandbox({ log: silent, settings: { waitMs: 60_000 } });
  await sandbox.run('acc_1', 'tokens', { pieces: ['a'] }, { field: 'a' });
  const [pid = 0] = sandboxProcesses(process.pid);
  expect(read(pid, 'environ')).toBe('');
  const limits = read(pid, 'limits');
  expect(limits).toMatch(/Max open files\s+0\s+0 /);
  expect(limits).toMatch(/Max core file size\s+0\s+0 /);
  expect(limits).toMatch(/Max data size\s+\d+\s+\d+ /);
  expect(limits).toMatch(/Max cpu time\s+120\s+120 /);
  await sandbox.close();
  expect(isRunning(pid)).toBe(false);
});

test('its processes end with the service, also when that is killed', async () => {
  const door = new URL('../../src/sandbox/index.ts', import.meta.url).href;
  const service = spawn(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      `import { createSandbox } from ${JSON.stringify(door)};
       const log = { warn() {}, error() {} };
       const sandbox = createSandbox({ log, settings: { waitMs: 60000 } });
       await sandbox.run('a', 'tokens', { pieces: ['a'] }, { field: 'a' });
       process.stdout.write('ready');
       setInterval(() => {}, 1000);`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  started.push(service);
  await once(service.stdout as NodeJS.ReadableStream, 'data');
  const pids = sandboxProcesses(service.pid ?? 0);
  expect(pids.length).toBeGreaterThan(0);
  service.kill('SIGKILL');
  await once(service, 'exit');
  await expect.poll(() => pids.filter(isRunning), { timeout: 20_000 }).toEqual([]);
});

test('its processes have a lower priority than the service, whatever that has', () => {
  const child = launch(64, ['--eval', '']);
  started.push(child);
  expect(getPriority(child.pid)).toBe(Math.min(19, getPriority() + 5));
});
