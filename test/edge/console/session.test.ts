import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Customer, onboard, reasonOf, send, startApp, type TestApp } from '../../support/app.ts';
import { openBrowser, pageHeaders, signIn } from '../../support/browser.ts';
import { eachServer, useDatabase } from '../../support/database.ts';

const settings = 'limits: { requestsPerMinute: 1000000 }';

eachServer((server) => {
  const database = useDatabase(server);
  let app: TestApp;
  let other: TestApp;
  let customer: Customer;
  beforeAll(async () => {
    app = await startApp({ databaseUrl: database().url, settings });
    other = await startApp({ databaseUrl: database().url, settings });
    customer = await onboard(app);
  });
  afterAll(async () => {
    await app.close();
    await other.close();
  });

  const owner = () => signIn(app, customer.managementKey);

  test('a key is exchanged for a session, which calls as the key does', async () => {
    const browser = await owner();
    expect(browser.lastSetCookie()).toMatch(
      new RegExp(`^console_${new URL(app.url).port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`),
    );
    const session = await browser.send('GET', '/console/session');
    expect(session.body).toEqual({
      role: 'owner',
      accountId: customer.accountId,
      accountName: 'A customer',
      keyId: expect.stringMatching(/^key_/),
      expiresAt: expect.stringMatching(/^\d{4}-.*Z$/),
      confirmedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      hasPasskey: false,
      apiPrefix: '',
      sandbox: true,
    });
    const idle = Date.parse(session.body.expiresAt) - Date.parse(session.body.confirmedAt);
    expect(idle).toBeGreaterThanOrEqual(60 * 60_000);
    expect(idle).toBeLessThan(61 * 60_000);
    const [byCookie, byKey] = [
      await browser.send('GET', '/v1/wallet'),
      await send(app, 'GET', '/v1/wallet', customer.managementKey),
    ];
    expect(byCookie.status, byCookie.text).toBe(200);
    expect(byCookie.body).toEqual(byKey.body);
    expect(byCookie.headers.get('cache-control')).toBe('no-store');
    const made = await browser.send('POST', '/v1/keys', { displayName: 'by a page', purpose: 'a test' });
    expect(made.status, made.text).toBe(200);
    const chat = { provider: 'builtin', messages: [{ role: 'user', content: 'hello' }] };
    expect(reasonOf(await browser.send('POST', '/api/v1/assistant/chat', chat))).toBe('SCOPE_MISSING');
    expect((await browser.send('POST', '/v1/accounts', { displayName: 'no' })).status).toBe(403);
  });

  test('an operator has a session of its own', async () => {
    const browser = await signIn(app, app.operatorToken);
    const { body } = await browser.send('GET', '/console/session');
    expect(body).toMatchObject({ role: 'operator', operator: 'environment' });
    expect(body).not.toHaveProperty('accountId');
    const idle = Date.parse(body.expiresAt) - Date.parse(body.confirmedAt);
    expect(Math.round(idle / 60_000)).toBe(15);
    const opened = await browser.send('POST', '/v1/accounts', { displayName: 'By a page' });
    expect(opened.status, opened.text).toBe(200);
    expect((await browser.send('GET', '/v1/wallet')).status, 'whose it is').toBe(400);
    expect((await browser.send('GET', '/v1/wallet/low-balance-alert')).status).toBe(403);
  });

  test('an API key, a token and nonsense sign nobody in', async () => {
    const token = await send(app, 'POST', '/v1/tokens', customer.apiKey, { subject: 'u' });
    for (const [key, status] of [
      [customer.apiKey, 403],
      [token.body.accessToken, 403],
      ['nonsense', 401],
      ['', 401],
      [`${customer.managementKey}x`, 401],
    ] as const) {
      const browser = openBrowser(app);
      const answer = await browser.send('POST', '/console/session', { key });
      expect([key, answer.status]).toEqual([key, status]);
      expect(browser.cookie()).toBeUndefined();
    }
    const browser = openBrowser(app);
    for (const body of [{}, { key: 1 }, { key: 'a', code: 'b' }, { key: 'a', more: 1 }, [], '"key"', '{'])
      expect((await browser.send('POST', '/console/session', body)).status).toBe(400);
    expect((await browser.send('POST', '/console/session', { key: 'x'.repeat(20_000) })).status).toBe(413);
  });

  test('strangers are told null, and a session that is gone clears its cookie', async () => {
    const browser = openBrowser(app);
    expect((await browser.send('GET', '/console/session')).text).toBe('null');
    const unknown = await browser.send('GET', '/console/session', undefined, {
      cookie: `console_${new URL(app.url).port}=${'a'.repeat(43)}`,
    });
    expect([unknown.status, unknown.text]).toEqual([200, 'null']);
    expect(browser.lastSetCookie()).toContain('Max-Age=0');
  });

  test('no cross-site request is taken, whatever of it is right', async () => {
    const browser = await owner();
    const cookie = browser.cookie() as string;
    const body = { displayName: 'forged', purpose: 'a test' };
    const attempts: [name: string, method: string, headers: Record<string, string>, body: unknown][] = [
      [
        'a fetch of another site',
        'POST',
        { ...pageHeaders, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
        body,
      ],
      ['a fetch of another host of the site', 'POST', { ...pageHeaders, 'sec-fetch-site': 'same-site' }, body],
      [
        'a form',
        'POST',
        { 'sec-fetch-site': 'same-origin', 'content-type': 'application/x-www-form-urlencoded' },
        'a=b',
      ],
      ['a form that looks like JSON', 'POST', { ...pageHeaders, 'content-type': 'text/plain' }, JSON.stringify(body)],
      ['a request without the header', 'POST', { 'sec-fetch-site': 'same-origin' }, body],
      ['a browser that says nothing', 'POST', { 'x-console': '1', 'sec-fetch-site': '' }, body],
      ['an address that was typed', 'GET', { 'sec-fetch-site': 'none' }, undefined],
      ['a link of another site', 'GET', { 'sec-fetch-site': 'cross-site' }, undefined],
    ];
    for (const [name, method, headers, sent] of attempts) {
      const answer = await send(app, method, '/v1/keys', undefined, sent, { cookie, ...headers });
      expect([name, answer.status, reasonOf(answer)]).toEqual([name, 403, 'NOT_FROM_CONSOLE']);
    }
    const { body: listed } = await browser.send('GET', '/v1/keys');
    expect(listed.keys.filter(({ displayName }: { displayName: string }) => displayName === 'forged')).toEqual([]);
    const signingIn = await send(
      app,
      'POST',
      '/console/session',
      undefined,
      { key: customer.managementKey },
      {
        ...pageHeaders,
        'sec-fetch-site': 'cross-site',
      },
    );
    expect([signingIn.status, signingIn.headers.getSetCookie()]).toEqual([403, []]);
    const read = await send(app, 'GET', '/console/session', undefined, undefined, {
      cookie,
      'sec-fetch-site': 'cross-site',
    });
    expect(read.text).toBe('null');
    const signingOut = await send(app, 'DELETE', '/console/session', undefined, undefined, {
      cookie,
      'sec-fetch-site': 'cross-site',
      'x-console': '1',
    });
    expect(signingOut.status).toBe(403);
    expect((await browser.send('GET', '/v1/wallet')).status).toBe(200);
  });

  test('a cookie never stands in for an Authorization header, and counts on no other lane', async () => {
    const browser = await owner();
    const wrong = await browser.send('GET', '/v1/wallet', undefined, { authorization: 'Bearer nonsense' });
    expect([wrong.status, reasonOf(wrong)]).toEqual([401, 'CREDENTIAL_INVALID']);
    const connect = await browser.send('POST', '/intelligence.wallet.v1.WalletService/GetWallet', {});
    expect(connect.status).toBe(401);
    for (const [path, body] of [
      ['/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }],
      ['/v1/chat/completions', { model: 'builtin', messages: [{ role: 'user', content: 'x' }] }],
      ['/v1/messages', { model: 'builtin', max_tokens: 5, messages: [{ role: 'user', content: 'x' }] }],
    ] as const)
      expect([path, (await browser.send('POST', path, body)).status]).toEqual([path, 401]);
    expect((await browser.send('GET', '/metrics')).status).toBe(401);
  });

  test('signing in gives a new secret, whatever cookie came along, and ends the session before', async () => {
    const browser = openBrowser(app);
    const port = new URL(app.url).port;
    const planted = 'p'.repeat(43);
    await browser.send(
      'POST',
      '/console/session',
      { key: customer.managementKey },
      { cookie: `console_${port}=${planted}` },
    );
    expect(browser.secret()).not.toBe(planted);
    const first = browser.cookie() as string;
    await browser.send('POST', '/console/session', { key: customer.managementKey });
    expect(browser.cookie()).not.toBe(first);
    const before = await send(app, 'GET', '/v1/wallet', undefined, undefined, { ...pageHeaders, cookie: first });
    expect([before.status, reasonOf(before)]).toEqual([401, 'SESSION_ENDED']);
    expect((await browser.send('GET', '/v1/wallet')).status).toBe(200);
  });

  test('signing out ends the session on every node', async () => {
    const browser = await owner();
    const cookie = browser.cookie() as string;
    const port = new URL(other.url).port;
    const elsewhere = { ...pageHeaders, cookie: `console_${port}=${browser.secret()}` };
    expect((await send(other, 'GET', '/v1/wallet', undefined, undefined, elsewhere)).status).toBe(200);
    const out = await browser.send('DELETE', '/console/session');
    expect([out.status, browser.cookie()]).toEqual([204, undefined]);
    const here = await send(app, 'GET', '/v1/wallet', undefined, undefined, { ...pageHeaders, cookie });
    expect(reasonOf(here)).toBe('SESSION_ENDED');
    await expect
      .poll(async () => reasonOf(await send(other, 'GET', '/v1/wallet', undefined, undefined, elsewhere)), {
        timeout: 20_000,
      })
      .toBe('SESSION_ENDED');
  });

  test('rotating or revoking the key ends its sessions, renaming it does not', async () => {
    const { managementKey } = await onboard(app, '0');
    const browser = await signIn(app, managementKey);
    const { keyId } = (await browser.send('GET', '/console/session')).body;
    const renamed = await send(app, 'PATCH', `/v1/keys/${keyId}`, managementKey, { displayName: 'renamed' });
    expect(renamed.status, renamed.text).toBe(200);
    expect((await browser.send('GET', '/v1/wallet')).status).toBe(200);
    const rotated = await browser.send('POST', `/v1/keys/${keyId}:rotate`, { overlapSeconds: 3600 });
    expect(rotated.status, rotated.text).toBe(200);
    expect(reasonOf(await browser.send('GET', '/v1/wallet'))).toBe('SESSION_ENDED');
    // The secret before works for an hour yet, and a session that begins with it for no longer.
    const late = await signIn(app, managementKey);
    const { body } = await late.send('GET', '/console/sessions');
    expect(body.sessions).toHaveLength(1);
    const next = await signIn(app, rotated.body.secret);
    expect((await next.send('GET', '/v1/wallet')).status).toBe(200);
  });

  test('sessions of the account are listed, and ended one by one', async () => {
    const { managementKey } = await onboard(app, '0');
    const [first, second] = [await signIn(app, managementKey), await signIn(app, managementKey)];
    const { body } = await first.send('GET', '/console/sessions');
    expect(body.sessions).toHaveLength(2);
    expect(body.sessions.map(({ current }: { current: boolean }) => current)).toEqual([false, true]);
    expect(Object.keys(body.sessions[0]).sort()).toEqual([
      'agent',
      'createdAt',
      'current',
      'expiresAt',
      'id',
      'keyId',
      'seenAt',
    ]);
    const stranger = await owner();
    const { id } = body.sessions[0];
    expect((await stranger.send('DELETE', `/console/sessions/${id}`)).status).toBe(404);
    expect((await second.send('GET', '/v1/wallet')).status).toBe(200);
    expect((await first.send('DELETE', `/console/sessions/${id}`)).status).toBe(204);
    expect(reasonOf(await second.send('GET', '/v1/wallet'))).toBe('SESSION_ENDED');
    expect((await first.send('DELETE', `/console/sessions/${id}`)).status).toBe(404);
  });

  test('a holder has at most 20 sessions: the one used least recently ends', async () => {
    const { managementKey } = await onboard(app, '0');
    const browsers = [];
    for (let count = 0; count < 21; count += 1) browsers.push(await signIn(app, managementKey));
    const statuses = await Promise.all(
      browsers.map(async (browser) => (await browser.send('GET', '/v1/wallet')).status),
    );
    expect(statuses).toEqual([401, ...Array.from({ length: 20 }, () => 200)]);
  });

  test('a code signs in once, on any node', async () => {
    const code = await other.rooms.sessions.codes.create({ accountId: customer.accountId });
    const attempts = await Promise.all(
      [1, 2, 3].map(() => openBrowser(app).send('POST', '/console/session', { code })),
    );
    expect(attempts.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    expect(attempts.find(({ status }) => status === 200)?.body).toMatchObject({ accountId: customer.accountId });
    expect((await openBrowser(app).send('POST', '/console/session', { code })).status).toBe(401);
    const forOperator = await app.rooms.sessions.codes.create({ operator: 'environment' });
    const operator = await openBrowser(app).send('POST', '/console/session', { code: forOperator });
    expect(operator.body).toMatchObject({ role: 'operator', operator: 'environment' });
    const gone = await app.rooms.sessions.codes.create({ operator: 'nobody' });
    expect((await openBrowser(app).send('POST', '/console/session', { code: gone })).status).toBe(401);
  });

  test('what writes money needs the key once more, ten minutes after it was shown', async () => {
    const browser = await signIn(app, app.operatorToken);
    const credit = () =>
      browser.send('POST', `/v1/accounts/${customer.accountId}/credits`, {
        amountUsd: '5.00',
        reference: `r-${Math.random()}`,
      });
    const first = await credit();
    expect(first.status, first.text).toBe(200);
    await database()
      .database.for<{ console_session: { confirmed_at_ms: number } }>()
      .updateTable('console_session')
      .set({ confirmed_at_ms: Date.now() - 601_000 })
      .execute();
    await expect.poll(async () => reasonOf(await credit()), { timeout: 20_000 }).toBe('CONFIRMATION_REQUIRED');
    // Everything else goes on.
    expect((await browser.send('GET', `/v1/accounts/${customer.accountId}`)).status).toBe(200);
    const { managementKey } = customer;
    expect((await browser.send('POST', '/console/session/confirm', { key: managementKey })).status).toBe(409);
    expect((await browser.send('POST', '/console/session/confirm', { key: 'x'.repeat(40) })).status).toBe(401);
    expect(reasonOf(await credit())).toBe('CONFIRMATION_REQUIRED');
    expect((await browser.send('POST', '/console/session/confirm', { key: app.operatorToken })).status).toBe(200);
    expect((await credit()).status).toBe(200);
    // Who shows the token with each call is not asked again.
    const byToken = await send(app, 'POST', `/v1/accounts/${customer.accountId}/credits`, app.operatorToken, {
      amountUsd: '5.00',
      reference: 'by token',
    });
    expect(byToken.status, byToken.text).toBe(200);
  });

  test('a session that was left open gives nobody the secret of a key', async () => {
    const left = await onboard(app);
    const browser = await signIn(app, left.managementKey);
    const { body } = await browser.send('GET', '/v1/keys');
    const ids = new Map(body.keys.map(({ kind, keyId }: Record<string, string>) => [kind, keyId]));
    await database()
      .database.for<{ console_session: { confirmed_at_ms: number } }>()
      .updateTable('console_session')
      .set({ confirmed_at_ms: Date.now() - 601_000 })
      .execute();
    const rotate = (kind: string) =>
      browser.send('POST', `/v1/keys/${ids.get(kind)}:rotate`, { overlapSeconds: 3_600 });
    // Another node reads a session anew after a second; the one that has it in memory, too.
    const make = () => browser.send('POST', '/v1/keys', { displayName: 'k', purpose: 'p', kind: 'management' });
    await expect.poll(async () => reasonOf(await make()), { timeout: 20_000 }).toBe('CONFIRMATION_REQUIRED');
    for (const kind of ['management', 'live']) expect(reasonOf(await rotate(kind))).toBe('CONFIRMATION_REQUIRED');
    expect((await browser.send('POST', '/console/session/confirm', { key: left.managementKey })).status).toBe(200);
    expect((await rotate('live')).status).toBe(200);
    expect((await rotate('management')).status).toBe(200);
  });
});
