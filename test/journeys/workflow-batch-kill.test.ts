import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openConnection } from '../../src/db/index.ts';
import { auditLedger, createReaper } from '../../src/wallet/index.ts';
import { workflowInvariants } from '../../src/workflows/index.ts';
import { onboard, send } from '../support/app.ts';
import { firstServer, silent, useDatabase } from '../support/database.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';
import { startNode } from '../wallet/support.ts';

// A node dies in the middle of a batch: the same batch, sent again to another node, charges no item twice.

const root = fileURLToPath(new URL('../..', import.meta.url));
const operatorToken = 'an-operator-token-of-more-than-32-characters';
const database = useDatabase(firstServer());
let upstream: Upstream;
let folder: string;
const children = new Set<{ kill(signal: 'SIGKILL'): boolean }>();
beforeAll(async () => {
  upstream = await startUpstream();
  folder = mkdtempSync(join(tmpdir(), 'batch-kill-'));
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
    contextTokens: 65536
    capabilities: [json]
    price: { inputPerMillionUsd: '1', outputPerMillionUsd: '2' }
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
test('a batch whose node was killed goes on at another, and each item is charged once', {
  timeout: 300_000,
}, async () => {
  // Twenty items that use only rules, then items that wait for a silent model: those are in flight when the node dies.
  const items = Array.from({ length: 60 }, (_, index) => ({
    risk: { text: `Listing number ${index}, a bicycle for sale.`, assist: index < 20 ? 'off' : '' },
  }));
  const headers = { 'idempotency-key': 'nightly-2' };
  upstream.answer(() => ({ ending: 'silence', pieces: [] }));
  const first = await startService();
  const customer = await onboard(first as never);
  const run = (node: { url: string }) => send(node, 'POST', '/v1/workflows/batch', customer.apiKey, { items }, headers);
  const broken = run(first).catch(() => undefined);
  await expect.poll(() => upstream.seen.length, { timeout: 60_000 }).toBe(8);
  first.child.kill('SIGKILL');
  await once(first.child, 'exit');
  expect(await broken).toBeUndefined();

  upstream.answer(() => ({ status: 400, body: 'no' }));
  const second = await startService();
  const next = await run(second);
  expect(next.body).toMatchObject({ succeeded: 52, failed: 8 });
  const reasons = next.body.results.flatMap(({ error }: { error?: { reason: string } }) => error?.reason ?? []);
  expect(new Set(reasons)).toEqual(new Set(['IDEMPOTENCY_IN_FLIGHT']));

  // The dead node's holds would end after five minutes; here they end now.
  const connection = await openConnection(database().url);
  await connection.query("UPDATE charge SET expires_at_us = 1 WHERE state = 'held'");
  await connection.end();
  const node = startNode(database().url);
  const reaper = createReaper({ db: node.db, ledger: node.ledger, log: silent, intervalMs: 100, restAfterOutageMs: 0 });
  reaper.start();
  const done = async () => (await run(second)).body;
  await expect.poll(async () => (await done()).failed, { timeout: 60_000 }).toBe(0);
  await reaper.close();
  await node.close();
  const whole = await done();
  expect(whole).toMatchObject({ succeeded: 60, costUsd: '0.12' });
  const { body } = await send(second, 'GET', '/v1/wallet', customer.managementKey);
  expect(body.wallet).toMatchObject({ balanceUsd: '4.88', heldUsd: '0.00' });
  const entries = await send(second, 'GET', '/v1/wallet/entries?pageSize=1000', customer.managementKey);
  const charged = entries.body.entries.flatMap(({ chargeId }: { chargeId?: string }) => chargeId ?? []);
  const answered = whole.results.map(({ risk }: { risk: { usage: { chargeId: string } } }) => risk.usage.chargeId);
  expect(charged).toHaveLength(60);
  expect(new Set(charged)).toEqual(new Set(answered));
  expect(await auditLedger(database().database, { more: workflowInvariants })).toEqual([]);
});
