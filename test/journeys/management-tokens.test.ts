import { createLocalJWKSet, jwtVerify } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TokenService } from '../../src/gen/intelligence/token/v1/token_service_pb.ts';
import { type Customer, onboard, reasonOf, send, startApp, type TestApp } from '../support/app.ts';
import { eachServer, useDatabase } from '../support/database.ts';
import { grpcClient } from '../support/grpc.ts';

const messages = [{ role: 'user', content: 'Which plan fits a small shop? The Basic plan fits small shops.' }];

eachServer((server) => {
  const database = useDatabase(server);
  let app: TestApp;
  let customer: Customer;
  let stranger: Customer;
  beforeAll(async () => {
    app = await startApp({ databaseUrl: database().url, settings: 'limits: { requestsPerMinute: 1000000 }' });
    customer = await onboard(app);
    stranger = await onboard(app);
  });
  afterAll(() => app.close());

  const ask = (credential: string, body: object) => send(app, 'POST', '/v1/tokens', credential, body);
  const playground = { subject: 'console-1', scopes: ['chat'], ttlSeconds: 600, spendingCapUsd: '1.00' };

  async function makeKey(body: object = {}): Promise<{ keyId: string; secret: string }> {
    const made = await send(app, 'POST', '/v1/keys', customer.managementKey, {
      displayName: 'a key',
      purpose: 'a test',
      ...body,
    });
    expect(made.status, made.text).toBe(200);
    return { keyId: made.body.key.keyId, secret: made.body.secret };
  }

  test('a token that a management key asks for descends from the key that it names, which pays', async () => {
    const { keyId } = await makeKey({ scopes: ['chat'] });
    const made = await ask(customer.managementKey, { ...playground, keyId });
    expect(made.status, made.text).toBe(200);
    const jwks = (await send(app, 'GET', '/.well-known/jwks.json')).body;
    const { payload } = await jwtVerify(made.body.accessToken, createLocalJWKSet(jwks));
    expect(payload).toMatchObject({ key: keyId, account: customer.accountId, sub: 'console-1', cap: '1000000000' });
    expect(Number(payload.exp) - Number(payload.iat)).toBe(600);

    const chat = await send(app, 'POST', '/api/v1/assistant/chat', made.body.accessToken, { messages });
    expect(chat.status, chat.text).toBe(200);
    const { body } = await send(app, 'GET', `/v1/charges/${chat.body.id}`, customer.managementKey);
    expect(body.charge).toMatchObject({ keyId, chargedUsd: chat.body.usage.costUsd });
  });

  test('over gRPC as over REST', async () => {
    const client = grpcClient(app.url);
    const headers = { authorization: `Bearer ${customer.managementKey}` };
    const make = (keyId: string | undefined) =>
      client.unary(
        TokenService.method.createToken,
        { subject: 'g', scopes: [], models: [], ...(keyId && { keyId }) },
        headers,
      );
    const made = await make(customer.keyId);
    expect(made.error).toBeUndefined();
    expect(made.message?.scopes).toEqual(['chat', 'workflows', 'pulse']);
    for (const keyId of [undefined, stranger.keyId]) expect((await make(keyId)).reason).toBe('INVALID_ARGUMENT');
    client.close();
  });

  test('a key that cannot pay, or that is not the account’s own, is refused alike', async () => {
    const revoked = await makeKey();
    await send(app, 'POST', `/v1/keys/${revoked.keyId}:revoke`, customer.managementKey, {});
    const keys = await send(app, 'GET', '/v1/keys', customer.managementKey);
    const own = keys.body.keys.find(({ kind }: { kind: string }) => kind === 'management');
    for (const [keyId, words] of [
      [stranger.keyId, 'must name an API key of the account that works'],
      ['key_00000000000000000000000000', 'must name an API key of the account that works'],
      [revoked.keyId, 'must name an API key of the account that works'],
      [own.keyId, 'must name an API key, not a management key'],
      [undefined, 'must name the API key that pays for the token'],
    ]) {
      const answer = await ask(customer.managementKey, { ...playground, ...(keyId && { keyId }) });
      expect([answer.status, reasonOf(answer)]).toEqual([400, 'INVALID_ARGUMENT']);
      expect(answer.text).toContain(words);
      expect(answer.text).not.toContain(stranger.accountId);
    }
  });

  test('it gets no more than the key has: scopes, cap, life', async () => {
    const expireTime = new Date(Date.now() + 300_000).toISOString();
    const { keyId } = await makeKey({ scopes: ['chat'], spendingCapUsd: '0.50', expireTime });
    const refused = await ask(customer.managementKey, { ...playground, scopes: ['workflows'], keyId });
    expect([refused.status, reasonOf(refused)]).toEqual([400, 'INVALID_ARGUMENT']);
    const made = await ask(customer.managementKey, { ...playground, keyId });
    const claims = JSON.parse(Buffer.from(made.body.accessToken.split('.')[1], 'base64url').toString());
    expect(claims.cap).toBe('500000000');
    expect(claims.scope).toBe('chat');
    expect(Date.parse(made.body.expireTime)).toBeLessThanOrEqual(Date.parse(expireTime));
    for (const ttlSeconds of [59, 3601])
      expect((await ask(customer.managementKey, { ...playground, keyId, ttlSeconds })).status).toBe(400);
  });

  test('it ends with its key, and a management key can end it alone', async () => {
    const { keyId } = await makeKey();
    const [one, other] = [
      await ask(customer.managementKey, { ...playground, keyId }),
      await ask(customer.managementKey, { ...playground, keyId }),
    ];
    const models = (token: string) => send(app, 'GET', '/api/v1/assistant/models', token);
    expect((await models(one.body.accessToken)).status).toBe(200);
    await send(app, 'POST', `/v1/tokens/${one.body.tokenId}:revoke`, customer.managementKey, {});
    expect(reasonOf(await models(one.body.accessToken))).toBe('KEY_REVOKED');
    expect((await models(other.body.accessToken)).status).toBe(200);
    await send(app, 'POST', `/v1/keys/${keyId}:revoke`, customer.managementKey, {});
    expect(reasonOf(await models(other.body.accessToken))).toBe('KEY_REVOKED');
  });

  test('an API key makes tokens of its own only', async () => {
    const { keyId } = await makeKey();
    const foreign = await ask(customer.apiKey, { subject: 'u', keyId });
    expect([foreign.status, reasonOf(foreign)]).toEqual([400, 'INVALID_ARGUMENT']);
    expect(foreign.text).toContain('must be the API key that asks, or be left out');
    expect((await ask(customer.apiKey, { subject: 'u', keyId: customer.keyId })).status).toBe(200);
  });

  test('a retry with the same Idempotency-Key gets the same token', async () => {
    const headers = { 'idempotency-key': 'once' };
    const body = { ...playground, keyId: customer.keyId };
    const [first, again] = [
      await send(app, 'POST', '/v1/tokens', customer.managementKey, body, headers),
      await send(app, 'POST', '/v1/tokens', customer.managementKey, body, headers),
    ];
    expect(again.body).toEqual(first.body);
  });
});
