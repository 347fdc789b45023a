import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadOrCreateSecrets } from '../../src/config/index.ts';
import { type Customer, onboard, send, startApp } from '../support/app.ts';
import { firstServer, useDatabase } from '../support/database.ts';

const database = useDatabase(firstServer());
const dataDir = mkdtempSync(join(tmpdir(), 'peppers-'));
const secretsFile = join(dataDir, 'secrets.json');
let customer: Customer;
beforeAll(async () => {
  const app = await startApp({ databaseUrl: database().url, secrets: loadOrCreateSecrets(secretsFile) });
  customer = await onboard(app);
  await app.close();
});
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

async function cli(...args: string[]) {
  const child = spawn(process.execPath, ['src/cli.ts', 'peppers', ...args], {
    env: { ...process.env, DATABASE_URL: database().url, DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      out += chunk;
    });
  const [code] = await once(child, 'close');
  return { code, out };
}

test('a pepper is replaced: added, used, taken by keys at their next use, and the old one retired only then', async () => {
  expect((await cli('list')).out).toBe('1\t2 keys\tcurrent\n');
  expect(await cli('add')).toMatchObject({ code: 0, out: expect.stringContaining('Pepper 2 is added') });
  expect((await cli('use', '2')).code).toBe(0);
  expect(statSync(secretsFile).mode & 0o777).toBe(0o600);
  const early = await cli('retire', '1');
  expect(early).toMatchObject({ code: 2, out: expect.stringContaining("can't be retired: 2 working key(s)") });

  const app = await startApp({ databaseUrl: database().url, secrets: loadOrCreateSecrets(secretsFile) });
  for (const secret of [customer.apiKey, customer.managementKey])
    expect((await send(app, 'GET', '/v1/wallet', secret)).status).toBe(200);
  await expect.poll(async () => (await app.rooms.keys.countByPepper()).get(1)).toBeUndefined();
  await app.close();

  expect(await cli('retire', '2')).toMatchObject({ code: 2 });
  expect((await cli('retire', '1')).code).toBe(0);
  expect((await cli('list')).out).toBe('2\t2 keys\tcurrent\n');
  const again = await startApp({ databaseUrl: database().url, secrets: loadOrCreateSecrets(secretsFile) });
  expect((await send(again, 'GET', '/v1/wallet', customer.apiKey)).status).toBe(200);
  await again.close();
});
