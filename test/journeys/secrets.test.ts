import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Customer, onboard, send, startApp, type TestApp, testSecrets } from '../support/app.ts';
import { openBrowser, signIn } from '../support/browser.ts';
import { eachServer, useDatabase } from '../support/database.ts';

const chatPath = '/api/v1/assistant/chat';
const messageText = 'A very private question about the moon landing of 1969.';

eachServer((server) => {
  const database = useDatabase(server);
  const secrets = testSecrets();
  let app: TestApp;
  let customer: Customer;
  /** Everything that must never be seen again, by name. */
  const given = new Map<string, string>();
  /** Every body and header that was sent to anybody other than the owner, or with an error. */
  const answers: string[] = [];

  beforeAll(async () => {
    const settings = 'http: { publicUrl: "https://api.example" }\nlog: { level: debug }';
    app = await startApp({ databaseUrl: database().url, settings, secrets });
    customer = await onboard(app);
    const { managementKey, apiKey, keyId } = customer;
    given.set('operator token', app.operatorToken).set('management key', managementKey).set('API key', apiKey);
    for (const [version, pepper] of secrets.keyPeppers.byVersion)
      given.set(`pepper ${version}`, pepper.toString('base64')).set(`pepper ${version}, hex`, pepper.toString('hex'));
    for (const [version, key] of secrets.encryptionKeys.byVersion)
      given
        .set(`encryption key ${version}`, key.toString('base64'))
        .set(`encryption key ${version}, hex`, key.toString('hex'));

    const rotated = await send(app, 'POST', `/v1/keys/${keyId}:rotate`, managementKey, { overlapSeconds: 60 });
    given.set('rotated API key', rotated.body.secret);
    const issued = await send(app, 'POST', '/v1/tokens', apiKey, { subject: 'ann' });
    given.set('access token', issued.body.accessToken);
    const made = await send(app, 'POST', '/v1/clients', managementKey, { displayName: 'App', keyId });
    const clientId = made.body.client.clientId;
    const started = await oauth('/oauth/device_authorization', { client_id: clientId });
    given.set('device code', started.device_code);
    await send(app, 'POST', '/v1/devices:approve', apiKey, { userCode: started.user_code, subject: 'ann' });
    const grant = 'urn:ietf:params:oauth:grant-type:device_code';
    const fields = { grant_type: grant, device_code: started.device_code, client_id: clientId };
    const tokens = await oauth('/oauth/token', fields);
    given.set('device token', tokens.access_token).set('refresh token', tokens.refresh_token);

    const browser = await signIn(app, managementKey);
    const operator = await signIn(app, app.operatorToken);
    given.set('session', browser.secret()).set('session of an operator', operator.secret());
    given.set('sign-in code', await app.rooms.sessions.codes.create({ accountId: customer.accountId }));
    const used = await app.rooms.sessions.codes.create({ operator: 'environment' });
    expect((await openBrowser(app).send('POST', '/console/session', { code: used })).status).toBe(200);
    given.set('used sign-in code', used);

    // Everything is used, correctly and incorrectly, in the header, the path, the query and the body.
    for (const secret of [...given.values()]) {
      const chat = { provider: 'builtin', messages: [{ role: 'user', content: messageText }] };
      await keep(send(app, 'POST', chatPath, secret, chat));
      await keep(send(app, 'GET', '/v1/keys', secret));
      await keep(send(app, 'GET', `/v1/keys/${encodeURIComponent(secret)}`, apiKey));
      await keep(send(app, 'POST', chatPath, apiKey, { unknown: secret }));
      await keep(send(app, 'POST', chatPath, apiKey, `{"messages": "${secret}`));
      await keep(send(app, 'POST', chatPath, `${secret}x`, chat));
      if (/^(ik_|eyJ)/.test(secret)) await keep(send(app, 'POST', chatPath, apiKey, chat, { 'x-request-id': secret }));
      await keep(openBrowser(app).send('POST', '/console/session', { key: `${secret}x` }));
      await keep(openBrowser(app).send('POST', '/console/session', { code: `${secret}x` }));
      await keep(browser.send('DELETE', `/console/sessions/${encodeURIComponent(secret)}`));
      await keep(browser.send('GET', '/v1/wallet', undefined, { cookie: `__Host-console=${secret}` }));
      await oauth('/oauth/token', { ...fields, device_code: secret });
      await oauth('/oauth/revoke', { client_id: clientId, token: `${secret}x` });
      await oauth('/activate', { user_code: 'BBBBBBBB', key: `${secret}x`, decision: 'approve' });
    }
  });
  afterAll(() => app.close());

  async function oauth(path: string, fields: Record<string, string>) {
    const response = await fetch(`${app.url}${path}`, { method: 'POST', body: new URLSearchParams(fields) });
    const text = await response.text();
    if (response.status >= 400) answers.push(text);
    return response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : undefined;
  }

  async function keep(answer: ReturnType<typeof send>): Promise<void> {
    const { status, text } = await answer;
    if (status >= 400) answers.push(text);
  }

  test('no log line holds a secret or the text of a message', () => {
    const logged = app.logged();
    expect(logged.length).toBeGreaterThan(1_000);
    expect(found(logged)).toEqual([]);
    expect(logged).not.toContain(messageText);
  });

  test('no error holds a secret that somebody sent, a stack, SQL or a path of this machine', () => {
    const all = answers.join('\n');
    expect(answers.length).toBeGreaterThan(50);
    expect(found(all)).toEqual([]);
    expect(all).not.toMatch(/\bat .+\.ts:\d+|node_modules|SELECT |INSERT |ER_[A-Z]+|127\.0\.0\.1:\d+/);
  });

  test('a dump of the database holds no secret', async () => {
    const db = database().database.for<never>();
    const tables = await sql<{ name: string }>`
      SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()
    `.execute(db);
    expect(tables.rows.length).toBeGreaterThan(15);
    for (const { name } of tables.rows) {
      const { rows } = await sql<Record<string, unknown>>`SELECT * FROM ${sql.table(name)}`.execute(db);
      const dump = rows.flatMap((row) => Object.values(row).flatMap(readings)).join('\n');
      expect([name, found(dump)]).toEqual([name, []]);
    }
  });

  /** The names of the secrets that occur: whole, or only their random part. */
  function found(text: string): string[] {
    return [...given]
      .filter(([, secret]) => text.includes(secret) || text.includes(secret.slice(-40)))
      .map(([name]) => name);
  }
});

/** A stored value in every form in which somebody could read it. */
function readings(value: unknown): string[] {
  if (value instanceof Buffer)
    return [value.toString('latin1'), value.toString('hex'), value.toString('base64'), value.toString('base64url')];
  return [value instanceof Date ? value.toISOString() : String(value)];
}
