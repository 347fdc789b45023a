import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Customer, onboard, send } from '../support/app.ts';
import { firstServer, useDatabase } from '../support/database.ts';
import { requestCut } from '../support/event-stream.ts';
import { startUpstream, streamedCompletion, type Upstream } from '../support/upstream.ts';

// A node dies after, and during, replies whose connections were cut: another one has what was stored.

const root = fileURLToPath(new URL('../..', import.meta.url));
const operatorToken = 'an-operator-token-of-more-than-32-characters';
const chatPath = '/api/v1/assistant/chat';
const pieces = ['One', ' two', ' three', ' four', ' five', '.'];
const database = useDatabase(firstServer());
let upstream: Upstream;
let folder: string;
const children = new Set<{ kill(signal: 'SIGKILL'): boolean }>();
beforeAll(async () => {
  upstream = await startUpstream();
  folder = mkdtempSync(join(tmpdir(), 'stream-kill-'));
  writeFileSync(
    join(folder, 'config.yaml'),
    `
payments: { provider: sandbox, allowSandbox: true }
providers: [{ id: up, kind: openai-compatible, baseUrl: '${upstream.url}/v1' }]
models:
  - { id: m, provider: up, quality: 50, contextTokens: 65536, price: { inputPerMillionUsd: '1', outputPerMillionUsd: '2' } }
`,
  );
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await upstream.close();
  rmSync(folder, { recursive: true });
});

async function startService() {
  const child = spawn(process.execPath, ['src/main.ts'], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      CONFIG: join(folder, 'config.yaml'),
      DATABASE_URL: database().url,
      DATA_DIR: join(folder, 'data'),
      OPERATOR_TOKEN: operatorToken,
      PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const serving = () => /"url":"([^"]+)","msg":"serving"/.exec(output)?.[1] ?? '';
  await expect.poll(serving, { timeout: 120_000 }).not.toBe('');
  return { url: serving(), operatorToken, child };
}

// Starting two services takes long on a busy machine.
test('what a killed node had stored of a reply is at another node, and the charge stays one', {
  timeout: 400_000,
}, async () => {
  const first = await startService();
  const customer: Customer = await onboard(first as never);
  const headers = [`authorization: Bearer ${customer.apiKey}`, 'accept: text/event-stream'];
  const begin = (key: string) =>
    requestCut(first.url, {
      head: [`POST ${chatPath} HTTP/1.1`, ...headers, 'content-type: application/json', `idempotency-key: ${key}`],
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Count' }], resumable: true }),
      cutAt: '" two"',
    });
  const resume = (node: { url: string }, chargeId: string, last: string, cutAt?: string) =>
    requestCut(node.url, {
      head: [`GET ${chatPath}/${chargeId}/stream HTTP/1.1`, ...headers, `last-event-id: ${last}`],
      ...(cutAt === undefined ? {} : { cutAt }),
    });
  const textOf = (events: { data: string }[]) =>
    events.map(({ data }) => (JSON.parse(data) as { content?: string }).content ?? '').join('');
  const cutOff = async (key: string) => {
    const { events, headers: answered } = await begin(key);
    return { events, chargeId: String(answered['x-charge-id']), last: events.at(-1)?.id ?? '0' };
  };

  const cut = Promise.withResolvers<void>();
  upstream.answer(() => ({
    pieces: streamedCompletion(pieces, { prompt_tokens: 10, completion_tokens: 30 }),
    gate: { before: 4, open: cut.promise },
  }));
  const done = await cutOff('done');
  expect(done.events.length).toBeLessThan(pieces.length);
  cut.resolve();
  const whole = await resume(first, done.chargeId, done.last);
  expect(textOf([...done.events, ...whole.events])).toBe(pieces.join(''));

  // The second one sends nothing after its pieces, and never ends.
  upstream.answer(() => ({ pieces: streamedCompletion(pieces).slice(0, 6), pauseMs: 20, ending: 'silence' }));
  const halved = await cutOff('halved');
  const second = await startService();
  // It follows there what the first is still generating, until that node is gone.
  const following = resume(second, halved.chargeId, halved.last);
  const stored = await resume(second, halved.chargeId, '0', '" five"');
  expect(textOf(stored.events)).toBe(pieces.slice(0, 5).join(''));
  first.child.kill('SIGKILL');
  await once(first.child, 'exit');

  const again = await resume(second, done.chargeId, done.last);
  expect(again.events).toEqual(whole.events);
  const broken = await following;
  expect(textOf([...halved.events, ...broken.events.slice(0, -1)])).toBe(pieces.slice(0, 5).join(''));
  expect(broken.events.at(-1)?.name).toBe('error');
  expect(broken.events.at(-1)?.data).toContain('The node that generated this reply is gone');
  const { body } = await send(second, 'GET', '/v1/charges', customer.managementKey);
  expect(body.charges.map(({ chargeId, state }: Record<string, string>) => [chargeId, state])).toEqual([
    [halved.chargeId, 'held'],
    [done.chargeId, 'settled'],
  ]);
});
