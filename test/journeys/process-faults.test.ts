import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { onboard, send } from '../support/app.ts';
import { firstServer, useDatabase } from '../support/database.ts';
import { completion, startUpstream, type Upstream } from '../support/upstream.ts';

// Uncaught errors in a real process: logged once, nothing new is admitted, calls in progress are paid for, exit code 1.

const root = fileURLToPath(new URL('../..', import.meta.url));
const operatorToken = 'an-operator-token-of-more-than-32-characters';
const database = useDatabase(firstServer());
let upstream: Upstream;
let folder: string;
let child: ChildProcess | undefined;
beforeAll(async () => {
  upstream = await startUpstream();
  folder = mkdtempSync(join(tmpdir(), 'process-faults-'));
  writeFileSync(
    join(folder, 'config.yaml'),
    `
payments: { provider: sandbox, allowSandbox: true }
providers: [{ id: up, kind: openai-compatible, baseUrl: '${upstream.url}/v1' }]
models:
  - id: up/model
    provider: up
    upstreamModel: model
    quality: 50
    contextTokens: 8192
    price: { inputPerMillionUsd: '1', outputPerMillionUsd: '2' }
`,
  );
});
afterEach(() => child?.kill('SIGKILL'));
afterAll(async () => {
  await upstream.close();
  rmSync(folder, { recursive: true });
});

interface Service {
  url: string;
  operatorToken: string;
  child: ChildProcess;
  lines(): { level: number; msg: string; err?: { message: string } }[];
  ended: Promise<number | null>;
}

async function startService(planted: string): Promise<Service> {
  const started = spawn(process.execPath, ['--import', './test/support/plant-fault.ts', 'src/main.ts'], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      CONFIG: join(folder, 'config.yaml'),
      DATABASE_URL: database().url,
      DATA_DIR: join(folder, 'data'),
      OPERATOR_TOKEN: operatorToken,
      PORT: '0',
      PLANTED_FAULT: planted,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child = started;
  let output = '';
  for (const stream of [started.stdout, started.stderr]) stream?.on('data', (chunk) => (output += chunk));
  const lines = () =>
    output
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));
  const ended = once(started, 'exit').then(([code]) => code as number | null);
  await expect.poll(lines, { timeout: 120_000 }).toContainEqual(expect.objectContaining({ msg: 'serving' }));
  const { url } = lines().find(({ msg }) => msg === 'serving');
  return { url, operatorToken, child: started, lines, ended };
}

const reachable = (url: string) =>
  fetch(`${url}/readyz`).then(
    ({ status }) => status,
    () => 'refused',
  );

describe.each(['exception', 'rejection'])('an %s that nothing catches', (planted) => {
  test('is logged, refuses what is new, finishes what runs, and ends the process with 1', async () => {
    const service = await startService(planted);
    const customer = await onboard(service as never);
    let answer = () => {};
    const asked = new Promise<void>((resolve) => {
      upstream.answer(() => {
        resolve();
        return new Promise((reply) => {
          answer = () => reply({ body: completion('answered all the same') });
        });
      });
    });
    const chat = send(service, 'POST', '/api/v1/assistant/chat', customer.apiKey, {
      model: 'up/model',
      messages: [{ role: 'user', content: 'Hello' }],
    });
    await asked;
    service.child.kill('SIGUSR2');
    await expect.poll(() => reachable(service.url), { timeout: 60_000 }).toBe('refused');
    // Another error during the shutdown does not end it sooner.
    service.child.kill('SIGUSR2');
    await expect
      .poll(() => service.lines().filter(({ msg }) => /another fault/.test(msg)).length, { timeout: 60_000 })
      .toBe(1);
    expect(service.child.exitCode).toBeNull();
    answer();
    const replied = await chat;
    expect([replied.status, replied.text]).toEqual([200, expect.stringContaining('answered all the same')]);
    expect(await service.ended).toBe(1);
    const fatal = service.lines().filter(({ level }) => level === 60);
    expect(fatal.map(({ err }) => err?.message)).toEqual(['planted fault 1']);

    const next = await startService(planted);
    const charges = await send(next, 'GET', '/v1/charges', customer.managementKey);
    expect(charges.body.charges.map(({ state }: { state: string }) => state)).toEqual(['settled']);
    next.child.kill('SIGTERM');
    expect(await next.ended).toBe(0);
  }, 400_000);
});
