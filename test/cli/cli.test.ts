import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPriceStore } from '../../src/catalog/index.ts';
import { loadOrCreateSecrets } from '../../src/config/index.ts';
import { type Customer, onboard, send, startApp, type TestApp } from '../support/app.ts';
import { openBrowser } from '../support/browser.ts';
import { firstServer, useDatabase } from '../support/database.ts';

const database = useDatabase(firstServer());
let app: TestApp;
let customer: Customer;
beforeAll(async () => {
  app = await startApp({ databaseUrl: database().url });
  customer = await onboard(app);
  for (const content of ['one', 'two', 'three'])
    await send(app, 'POST', '/api/v1/assistant/chat', customer.apiKey, { messages: [{ role: 'user', content }] });
});
afterAll(() => app.close());

async function cli(...args: string[]) {
  return cliWith({}, ...args);
}

async function cliWith(variables: Record<string, string>, ...args: string[]) {
  const child = spawn(process.execPath, ['src/cli.ts', ...args], {
    env: { ...process.env, DATABASE_URL: database().url, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  const [code] = await once(child, 'close');
  return { code, out, err };
}

test('reconciling refuses play money where payments are real, as the service does', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cli-'));
  const config = join(folder, 'config.yaml');
  loadOrCreateSecrets(join(folder, 'secrets.json'));
  // Nothing listens there: it must not get that far.
  writeFileSync(
    config,
    'payments: { provider: stripe, stripe: { successUrl: "https://shop.test/paid", apiUrl: "http://127.0.0.1:9" } }\n',
  );
  const keys = { STRIPE_SECRET_KEY: 'sk_live_1', STRIPE_WEBHOOK_SECRET: 'whsec_1' };
  const { code, err } = await cliWith({ CONFIG: config, DATA_DIR: folder, ...keys }, 'top-ups', 'reconcile');
  rmSync(folder, { recursive: true });
  expect(err).toContain('wallets with sandbox money');
  expect(code).toBe(2);
});

test('audit finds the ledger of a running service sound, and says what it checked', async () => {
  const { code, out, err } = await cli('audit');
  expect(err).toContain('The ledger is sound.');
  expect(out).toBe('');
  expect(code).toBe(0);
});

test('audit names what is broken and ends with 1', async () => {
  const db = database().database.for<{ wallet: { posted: bigint; kind: string } }>();
  await db
    .updateTable('wallet')
    .set((eb) => ({ posted: eb('posted', '+', 1n) }))
    .where('kind', '=', 'api')
    .execute();
  const { code, out } = await cli('audit', '--quiet', '--json');
  expect(code).toBe(1);
  const violations = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { invariant: string });
  expect(violations.length).toBeGreaterThan(0);
});

test('prices are listed, and importing what is there changes nothing', async () => {
  const listed = await cli('prices', 'list', '--json');
  expect(listed.code).toBe(0);
  expect(listed.out).toContain('builtin/extractive');
  expect((await cli('prices', 'import')).out).toContain('The book already has these prices.');
});

test('list prices are shown, written when confirmed, and what is off is named', { timeout: 240_000 }, async () => {
  const key = { GEMINI_API_KEY: 'none' };
  const version = async () => {
    const { versions } = await createPriceStore(database().database).read();
    return Math.max(...versions.map((price) => price.version));
  };
  const before = await version();

  const shown = await cliWith(key, 'prices', 'sync');
  expect(shown.code).toBe(0);
  expect(shown.out).toContain('model:google/gemini-3.8-flash: inputPerMillion - -> ');
  expect(shown.out).toContain('Nothing was written. Use --yes to write these prices.');
  expect(await version()).toBe(before);
  const off = await cliWith(key, 'prices', 'off');
  expect(off.out).toContain('google/gemini-3.8-flash\tIts price is not in the price book');

  const written = JSON.parse((await cliWith(key, 'prices', 'sync', '--yes', '--json')).out);
  expect(written).toMatchObject({ written: true, problems: [], off: [] });
  expect(written.prices.length).toBeGreaterThan(8);
  expect(written.prices[0]).toMatchObject({ version: before + 1, item: 'model:google/gemini-3.8-flash' });
  expect(await version()).toBe(before + 1);
});

test('a database without tables, without a server, or of a wrong URL is named, and every command ends', async () => {
  const { url: emptyUrl } = firstServer();
  const notUpToDate = /^The database is not up to date.*cli -- migrate/;
  for (const command of [['audit'], ['prices', 'list'], ['usage', 'rebuild']])
    expect(await cliWith({ DATABASE_URL: emptyUrl }, ...command)).toMatchObject({
      code: 2,
      err: expect.stringMatching(notUpToDate),
    });
  expect(await cliWith({ DATABASE_URL: 'mysql://a:secret@127.0.0.1:9/ledger' }, 'audit')).toMatchObject({
    code: 2,
    err: 'The database at 127.0.0.1:9/ledger cannot be opened: connect ECONNREFUSED 127.0.0.1:9. Check DATABASE_URL, or database.url of the configuration.\n',
  });
  expect((await cliWith({ DATABASE_URL: 'mysql://a@127.0.0.1/x?tls=1' }, 'audit')).err).toMatch(
    /^The database cannot be opened: The database URL has an unknown parameter "tls"/,
  );
});

test('commands that need the secrets say that there are none yet', async () => {
  const { code, err } = await cliWith({ DATA_DIR: '/nowhere' }, 'peppers', 'list');
  expect([code, err]).toEqual([2, expect.stringMatching(/^There is no secrets file \/nowhere\/secrets\.json\./)]);
});

test('an unknown command ends with help and an error', async () => {
  const { code, err } = await cli('nope');
  expect(code).not.toBe(0);
  expect(err).toContain('Commands:');
});

test('console-code prints a link that signs in once, and names who is not known', { timeout: 300_000 }, async () => {
  const { code, out, err } = await cliWith(
    { OPERATOR_TOKEN: app.operatorToken },
    'console-code',
    '--account',
    customer.accountId,
  );
  expect([code, err]).toEqual([0, '']);
  const link = /^http:\/\/localhost:\d+\/console\/#code=([\w-]{32})\n$/.exec(out);
  const signIn = () => openBrowser(app).send('POST', '/console/session', { code: link?.[1] });
  expect((await signIn()).body).toMatchObject({ role: 'owner', accountId: customer.accountId });
  expect((await signIn()).status).toBe(401);

  const operator = await cliWith({ OPERATOR_TOKEN: app.operatorToken }, 'console-code', '--operator', 'environment');
  expect(operator.out).toMatch(/#code=[\w-]{32}\n$/);
  const [unknown, nobody, both] = [
    await cliWith({ OPERATOR_TOKEN: app.operatorToken }, 'console-code', '--operator', 'x'),
    await cliWith({ OPERATOR_TOKEN: app.operatorToken }, 'console-code', '--account', 'acc_unknown'),
    await cliWith({ OPERATOR_TOKEN: app.operatorToken }, 'console-code', '--account', 'a', '--operator', 'b'),
  ];
  expect([unknown.code, unknown.err]).toEqual([2, 'There is no operator "x": environment.\n']);
  expect([nobody.code, nobody.err]).toEqual([2, 'There is no account acc_unknown.\n']);
  expect([both.code, both.err]).toEqual([2, expect.stringContaining('Say who signs in')]);
});
