import { createRemoteJWKSet, jwtVerify } from 'jose';
import * as openid from 'openid-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ChatService } from '../../src/gen/intelligence/chat/v1/chat_service_pb.ts';
import { TokenService } from '../../src/gen/intelligence/token/v1/token_service_pb.ts';
import { type Customer, onboard, reasonOf, send, startApp, type TestApp } from '../support/app.ts';
import { eachServer, useDatabase } from '../support/database.ts';
import { grpcClient } from '../support/grpc.ts';

const chatPath = '/api/v1/assistant/chat';
const chat = {
  messages: [{ role: 'user', content: 'Which plan fits a small shop? The Basic plan fits small shops.' }],
};
const deviceCodeGrant = 'urn:ietf:params:oauth:grant-type:device_code';

eachServer((server) => {
  const database = useDatabase(server);
  let app: TestApp;
  let customer: Customer;
  let clientId: string;
  beforeAll(async () => {
    app = await startApp({ databaseUrl: database().url });
    customer = await onboard(app);
    clientId = await registerClient(customer);
  });
  afterAll(() => app.close());

  async function registerClient({ managementKey, keyId }: Customer): Promise<string> {
    const made = await send(app, 'POST', '/v1/clients', managementKey, { displayName: 'Shop for macOS', keyId });
    expect(made.status, made.text).toBe(200);
    return made.body.client.clientId;
  }

  const post = async (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) => {
    const response = await fetch(`${app.url}${path}`, { method: 'POST', headers, body: new URLSearchParams(fields) });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json');
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
  };

  test('an API key manages the tokens and devices that descend from it, a management key all of the account', async () => {
    const owner = await onboard(app, '0');
    const secondKey = await send(app, 'POST', '/v1/keys', owner.managementKey, { displayName: 'b', purpose: 'a test' });
    const second = { ...owner, apiKey: secondKey.body.secret, keyId: secondKey.body.key.keyId };
    const deviceOf = async (by: Customer) => {
      const asked = await post('/oauth/device_authorization', { client_id: await registerClient(by) });
      const wish = { userCode: asked.body.user_code, subject: 'ann' };
      const stranger = by === owner ? second : owner;
      expect((await send(app, 'POST', '/v1/devices:approve', stranger.apiKey, wish)).status).toBe(404);
      const { body } = await send(app, 'POST', '/v1/devices:approve', by.apiKey, wish);
      return body.device.deviceId as string;
    };
    const [ours, theirs] = [await deviceOf(owner), await deviceOf(second)];
    const listed = async (credential: string, query = '') =>
      (await send(app, 'GET', `/v1/devices${query}`, credential)).body.devices.map(
        ({ deviceId }: { deviceId: string }) => deviceId,
      );
    expect(await listed(owner.apiKey)).toEqual([ours]);
    expect(await listed(second.apiKey, '?subject=ann')).toEqual([theirs]);
    expect(await listed(owner.managementKey)).toEqual([theirs, ours]);
    const token = (await send(app, 'POST', '/v1/tokens', owner.apiKey, { subject: 'ann' })).body.tokenId;
    for (const [method, path] of [
      ['GET', `/v1/devices/${ours}`],
      ['POST', `/v1/devices/${ours}:revoke`],
      ['POST', `/v1/tokens/${token}:revoke`],
    ] as const) {
      const body = method === 'POST' ? {} : undefined;
      expect((await send(app, method, path, second.apiKey, body)).status, path).toBe(404);
      expect((await send(app, method, path, owner.apiKey, body)).status, path).toBe(200);
      expect((await send(app, method, path, owner.managementKey, body)).status, path).toBe(200);
    }
    expect((await send(app, 'POST', `/v1/devices/${theirs}:revoke`, owner.managementKey, {})).status).toBe(200);
  });

  test('what a device asked for is read over REST and gRPC before it is approved, and after', async () => {
    const owner = await onboard(app, '0');
    const asked = await post('/oauth/device_authorization', { client_id: await registerClient(owner), scope: 'chat' });
    const userCode: string = asked.body.user_code;
    const path = `/v1/device-authorizations/${encodeURIComponent(userCode)}`;
    const read = await send(app, 'GET', path, owner.managementKey);
    expect(read.body.deviceAuthorization).toMatchObject({
      userCode,
      client: { displayName: 'Shop for macOS', keyId: owner.keyId, state: 'active' },
      ...{ scopes: ['chat'], state: 'pending', deviceId: '' },
    });
    expect(read.body.deviceAuthorization.network).toMatch(/^127\.0\.0\.1$|^0:0:0:0::\/64$/);
    expect((await send(app, 'GET', path, owner.apiKey)).body).toEqual(read.body);
    expect((await send(app, 'GET', path, customer.managementKey)).status).toBe(404);
    await send(app, 'POST', '/v1/devices:approve', owner.apiKey, { userCode, subject: 'ann' });
    const client = grpcClient(app.url);
    const after = await client.unary(
      TokenService.method.getDeviceAuthorization,
      { userCode },
      { authorization: `Bearer ${owner.managementKey}` },
    );
    client.close();
    expect(after.message?.deviceAuthorization).toMatchObject({ state: 'approved', userCode });
    expect(after.message?.deviceAuthorization?.deviceId).toMatch(/^dev_/);
  });

  test('fifty devices of one address wait to be approved; more are told to wait, and nothing is stored', async () => {
    const owner = await onboard(app, '0');
    const from = { client_id: await registerClient(owner) };
    const before = await send(app, 'GET', '/v1/devices', owner.managementKey);
    expect(before.status).toBe(200);
    const answers: Awaited<ReturnType<typeof post>>[] = [];
    // Ten at a time: an address may have no more concurrent requests.
    while (answers.length < 70)
      answers.push(...(await Promise.all(Array.from({ length: 10 }, () => post('/oauth/device_authorization', from)))));
    const refused = answers.filter(({ status }) => status === 429);
    const stored = answers.filter(({ status }) => status === 200);
    expect(stored.length).toBeLessThanOrEqual(50);
    expect(stored.length + refused.length).toBe(70);
    for (const { body, headers } of refused) {
      expect(body.error).toBe('temporarily_unavailable');
      expect(headers.get('retry-after')).toBe('60');
    }
    // Deciding about some makes room.
    for (const { body } of stored.slice(0, 2))
      await send(app, 'POST', '/v1/devices:deny', owner.apiKey, { userCode: body.user_code });
    expect((await post('/oauth/device_authorization', from)).status).toBe(200);
    for (const { body } of stored.slice(2))
      await send(app, 'POST', '/v1/devices:deny', owner.apiKey, { userCode: body.user_code });
  });

  test('the stock client openid-client activates a device, pays with its token, refreshes and signs off', async () => {
    const config = await openid.discovery(new URL(app.url), clientId, undefined, openid.None(), {
      algorithm: 'oauth2',
      execute: [openid.allowInsecureRequests],
    });
    const started = await openid.initiateDeviceAuthorization(config, { scope: 'chat' });
    expect(started.verification_uri).toBe(`${app.url}/activate`);
    const polling = openid.pollDeviceAuthorizationGrant(config, { ...started, interval: 1 });
    const approved = await send(app, 'POST', '/v1/devices:approve', customer.apiKey, {
      userCode: started.user_code,
      subject: 'ann@example.com',
      spendingCapUsd: '0.50',
    });
    expect(approved.status, approved.text).toBe(200);
    const tokens = await polling;
    expect(tokens.scope).toBe('chat');

    const { payload } = await jwtVerify(
      tokens.access_token,
      createRemoteJWKSet(new URL(`${app.url}/.well-known/jwks.json`)),
      { issuer: app.url, audience: app.url, typ: 'at+jwt' },
    );
    expect(payload).toMatchObject({ sub: 'ann@example.com', client_id: clientId });

    const paid = await send(app, 'POST', chatPath, tokens.access_token, chat);
    expect(paid.status, paid.text).toBe(200);
    const grpc = grpcClient(app.url);
    const byGrpc = await grpc.unary(ChatService.method.chat, chat, { authorization: `Bearer ${tokens.access_token}` });
    grpc.close();
    expect(byGrpc.error).toBeUndefined();

    const next = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect((await send(app, 'POST', chatPath, next.access_token, chat)).status).toBe(200);
    await openid.tokenRevocation(config, next.refresh_token ?? '');
    const ended = await send(app, 'POST', chatPath, next.access_token, chat);
    expect([ended.status, reasonOf(ended)]).toEqual([401, 'KEY_REVOKED']);
    await expect(openid.refreshTokenGrant(config, next.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  });

  test('the owner approves on the page, which has no script, no cookie and strict headers', async () => {
    const { body: started } = await post('/oauth/device_authorization', { client_id: clientId });
    const page = await fetch(started.verification_uri_complete);
    const html = await page.text();
    expect(html).toContain(`value="${started.user_code}"`);
    expect(html).not.toMatch(/<script|javascript:|\son\w+=/i);
    expect(page.headers.get('set-cookie')).toBeNull();
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(page.headers.get('x-content-type-options')).toBe('nosniff');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');

    const fields = { user_code: started.user_code, subject: 'bob', key: customer.managementKey, decision: 'approve' };
    const wrong = await post('/activate', { ...fields, key: 'ik_mgmt_wrong' });
    expect(wrong.status).toBe(400);
    expect(wrong.text).toContain('This key is not valid here.');
    expect(wrong.text).not.toContain('ik_mgmt_wrong');
    const noSubject = await post('/activate', { ...fields, subject: '' });
    expect(noSubject.text).toContain('subject:');
    expect((await post('/activate', fields)).text).toContain('The device is activated');
    const again = await post('/activate', fields);
    expect(again.status).toBe(400);
    const { body: tokens } = await post('/oauth/token', {
      grant_type: deviceCodeGrant,
      device_code: started.device_code,
      client_id: clientId,
    });
    expect(tokens).toMatchObject({ token_type: 'Bearer', expires_in: expect.any(Number) });
  });

  test('what is typed into the page comes back as text, never as markup', async () => {
    const evil = '"><img src=x onerror=alert(1)>';
    const page = await (await fetch(`${app.url}/activate?user_code=${encodeURIComponent(evil)}`)).text();
    expect(page).not.toContain('<img');
    const answered = await post('/activate', { user_code: evil, subject: evil, key: 'x', decision: 'approve' });
    expect(answered.text).not.toContain('<img');
  });

  test('the owner refuses on the page, and the device hears access_denied', async () => {
    const { body: started } = await post('/oauth/device_authorization', { client_id: clientId });
    await post('/activate', { user_code: started.user_code, key: customer.managementKey, decision: 'deny' });
    const answer = await post('/oauth/token', {
      grant_type: deviceCodeGrant,
      device_code: started.device_code,
      client_id: clientId,
    });
    expect([answer.status, answer.body.error]).toEqual([400, 'access_denied']);
  });

  test.each([
    ['no client', '/oauth/device_authorization', {}, 400, 'invalid_request'],
    ['an unknown client', '/oauth/device_authorization', { client_id: 'app_x' }, 401, 'invalid_client'],
    ['an unknown scope', '/oauth/device_authorization', { client_id: '', scope: 'root' }, 400, 'invalid_scope'],
    ['no grant type', '/oauth/token', { client_id: '' }, 400, 'invalid_request'],
    ['another grant type', '/oauth/token', { client_id: '', grant_type: 'password' }, 400, 'unsupported_grant_type'],
    ['no device code', '/oauth/token', { client_id: '', grant_type: deviceCodeGrant }, 400, 'invalid_request'],
    [
      'a guessed device code',
      '/oauth/token',
      { client_id: '', grant_type: deviceCodeGrant, device_code: 'ik_dcode_guess' },
      400,
      'invalid_grant',
    ],
    [
      'a guessed refresh token',
      '/oauth/token',
      { client_id: '', grant_type: 'refresh_token', refresh_token: 'ik_refresh_guess' },
      400,
      'invalid_grant',
    ],
  ])('%s is answered as the RFC says', async (_name, path, fields: Record<string, string>, status, error) => {
    const answer = await post(path, fields.client_id === '' ? { ...fields, client_id: clientId } : fields);
    expect([answer.status, answer.body.error]).toEqual([status, error]);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  test('a field that is there twice, a JSON body and a body of 1 MB are refused', async () => {
    const send = (body: string, contentType = 'application/x-www-form-urlencoded') =>
      fetch(`${app.url}/oauth/token`, { method: 'POST', headers: { 'content-type': contentType }, body });
    for (const [body, type, status] of [
      [`client_id=${clientId}&client_id=${clientId}&grant_type=refresh_token`, undefined, 400],
      [JSON.stringify({ client_id: clientId }), 'application/json', 400],
      [`client_id=${'x'.repeat(1_000_000)}`, undefined, 400],
    ] as const) {
      const answer = await send(body, type);
      expect([answer.status, ((await answer.json()) as { error: string }).error]).toEqual([status, 'invalid_request']);
    }
  });

  test('a poll too soon is told to slow down', async () => {
    const { body: started } = await post('/oauth/device_authorization', { client_id: clientId });
    const poll = () =>
      post('/oauth/token', { grant_type: deviceCodeGrant, device_code: started.device_code, client_id: clientId });
    expect((await poll()).body.error).toBe('authorization_pending');
    expect((await poll()).body.error).toBe('slow_down');
  });

  test('an access token pays for chat and is never enough for anything about the account', async () => {
    const made = await send(app, 'POST', '/v1/tokens', customer.apiKey, { subject: 'eve', ttlSeconds: 60 });
    expect(made.status, made.text).toBe(200);
    const token = made.body.accessToken;
    expect(made.body.scopes).toEqual(['chat', 'workflows', 'pulse']);
    expect((await send(app, 'POST', chatPath, token, chat)).status).toBe(200);
    for (const [method, path] of [
      ['GET', '/v1/keys'],
      ['GET', '/v1/wallet'],
      ['GET', '/v1/devices'],
      ['GET', '/v1/clients'],
      ['POST', '/v1/tokens'],
      ['POST', '/v1/devices:approve'],
    ] as const) {
      const answer = await send(app, method, path, token, method === 'POST' ? {} : undefined);
      expect([path, answer.status]).toEqual([path, 403]);
    }
    const ended = await send(app, 'POST', `/v1/tokens/${made.body.tokenId}:revoke`, customer.managementKey, {});
    expect(ended.status, ended.text).toBe(200);
    expect(reasonOf(await send(app, 'POST', chatPath, token, chat))).toBe('KEY_REVOKED');
  });

  test('parallel requests with one token never spend more than its cap', async () => {
    const { balanceUsd: before } = (await send(app, 'GET', '/v1/wallet', customer.managementKey)).body.wallet;
    const probe = await send(app, 'POST', chatPath, customer.apiKey, chat);
    const costUsd = Number(probe.body.usage.costUsd);
    expect(costUsd).toBeGreaterThan(0);
    const cap = (costUsd * 3.5).toFixed(9);
    const made = await send(app, 'POST', '/v1/tokens', customer.apiKey, { subject: 'capped', spendingCapUsd: cap });
    const token = made.body.accessToken;
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => send(app, 'POST', chatPath, token, { ...chat, maxOutputTokens: 20 })),
    );
    const paid = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(new Set(refused.map(reasonOf))).toEqual(new Set(['SPENDING_CAP_REACHED']));
    const spent = paid.reduce((sum, { body }) => sum + Number(body.usage.costUsd), 0);
    expect(spent).toBeLessThanOrEqual(Number(cap));
    // Another token of the same end user has what is left of the cap, not its own cap.
    const second = await send(app, 'POST', '/v1/tokens', customer.apiKey, { subject: 'capped', spendingCapUsd: cap });
    let more = 0;
    for (let index = 0; index < 10; index += 1) {
      const answer = await send(app, 'POST', chatPath, second.body.accessToken, { ...chat, maxOutputTokens: 20 });
      if (answer.status === 200) more += Number(answer.body.usage.costUsd);
    }
    expect(spent + more).toBeLessThanOrEqual(Number(cap));
    const { balanceUsd: after } = (await send(app, 'GET', '/v1/wallet', customer.managementKey)).body.wallet;
    expect(Number(before) - Number(after)).toBeGreaterThan(0);
  });

  test('browsers: only tokens, only from the origins that their key names; never keys', async () => {
    const origin = 'https://shop.example';
    const fromPage = { origin, 'sec-fetch-site': 'cross-site' };
    const preflight = await fetch(`${app.url}${chatPath}`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe(origin);

    const own = await onboard(app);
    const { body: made } = await send(app, 'POST', '/v1/tokens', own.apiKey, { subject: 'page' });
    const before = await send(app, 'POST', chatPath, made.accessToken, chat, fromPage);
    expect([before.status, reasonOf(before)]).toEqual([403, 'SCOPE_MISSING']);
    const allowed = await send(app, 'PATCH', `/v1/keys/${own.keyId}`, own.managementKey, { allowedOrigins: [origin] });
    expect(allowed.body.key?.allowedOrigins, allowed.text).toEqual([origin]);
    const after = await send(app, 'POST', chatPath, made.accessToken, chat, fromPage);
    expect(after.status, after.text).toBe(200);
    expect(after.headers.get('access-control-allow-origin')).toBe(origin);
    const evil = await send(app, 'POST', chatPath, made.accessToken, chat, {
      ...fromPage,
      origin: 'https://evil.example',
    });
    expect(evil.status).toBe(403);
    const leaked = await send(app, 'POST', chatPath, own.apiKey, chat, fromPage);
    expect([leaked.status, reasonOf(leaked)]).toEqual([403, 'SCOPE_MISSING']);
    const management = await send(app, 'GET', '/v1/keys', own.managementKey, undefined, fromPage);
    expect(management.status).toBe(403);
  });
});
