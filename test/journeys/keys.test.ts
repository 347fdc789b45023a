import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { parseUsd } from '../../src/base/money.ts';
import { KeyService } from '../../src/gen/intelligence/key/v1/key_service_pb.ts';
import { type Customer, onboard, reasonOf, send, startApp, type TestApp } from '../support/app.ts';
import { eachServer, useDatabase } from '../support/database.ts';
import { grpcClient } from '../support/grpc.ts';

const named = (displayName: string) => ({ displayName, purpose: 'a test' });
const question = { messages: [{ role: 'user', content: 'Which plan fits? The Basic plan fits.' }] };

eachServer((server) => {
  const database = useDatabase(server);
  let app: TestApp;
  let customer: Customer;
  beforeAll(async () => {
    app = await startApp({ databaseUrl: database().url });
    customer = await onboard(app);
  });
  afterAll(() => app.close());

  const owner = (method: string, path: string, body?: object) => send(app, method, path, customer.managementKey, body);
  const chat = (secret: string) => send(app, 'POST', '/api/v1/assistant/chat', secret, question);

  test('a key says what its cap has counted, to the nano-USD, and one without a cap says nothing', async () => {
    const capped = (await owner('POST', '/v1/keys', { ...named('capped'), spendingCapUsd: '2.00' })).body;
    expect(capped.key).toMatchObject({ spendingCapUsd: '2.00', spentUsd: '0.00' });
    const charges: string[] = [];
    for (let count = 0; count < 3; count++) {
      const { status, body, text } = await chat(capped.secret);
      expect(status, text).toBe(200);
      charges.push(body.usage.costUsd);
    }
    await chat(customer.apiKey);
    const spent = charges.reduce((sum, costUsd) => sum + (parseUsd(costUsd) ?? 0n), 0n);
    expect(spent).toBeGreaterThan(0n);

    const read = (await owner('GET', `/v1/keys/${capped.key.keyId}`)).body.key;
    expect(parseUsd(read.spentUsd)).toBe(spent);
    const all = (await owner('GET', '/v1/keys')).body.keys;
    const byId = new Map(all.map((key: { keyId: string }) => [key.keyId, key]));
    expect(byId.get(capped.key.keyId)).toMatchObject({ spentUsd: read.spentUsd });
    expect(byId.get(customer.keyId)).not.toHaveProperty('spentUsd');
    const over = await grpcClient(app.url).unary(
      KeyService.method.getKey,
      { keyId: capped.key.keyId },
      { authorization: `Bearer ${customer.managementKey}` },
    );
    expect(over.message?.key?.spentUsd).toBe(read.spentUsd);

    // The cap is removed, and comes back as it was: what it did not see meanwhile is not counted.
    const path = `/v1/keys/${capped.key.keyId}`;
    const uncapped = (await owner('PATCH', path, { updateMask: 'spendingCapUsd' })).body.key;
    expect(uncapped).not.toHaveProperty('spentUsd');
    expect((await chat(capped.secret)).status).toBe(200);
    const again = (await owner('PATCH', path, { spendingCapUsd: '3.00' })).body.key;
    expect(again).toMatchObject({ spendingCapUsd: '3.00', spentUsd: read.spentUsd });
  });

  test('what is left of a cap is what a request may still spend', async () => {
    const { key, secret } = (await owner('POST', '/v1/keys', { ...named('tight'), spendingCapUsd: '1.00' })).body;
    expect((await chat(secret)).status).toBe(200);
    const { spentUsd } = (await owner('GET', `/v1/keys/${key.keyId}`)).body.key;
    await owner('PATCH', `/v1/keys/${key.keyId}`, { spendingCapUsd: spentUsd });
    const refused = await chat(secret);
    expect(reasonOf(refused)).toBe('SPENDING_CAP_REACHED');
    expect((await owner('GET', `/v1/keys/${key.keyId}`)).body.key.spentUsd).toBe(spentUsd);
  });

  test('a list asks once for what all of its keys have spent', async () => {
    for (let count = 0; count < 3; count++)
      await owner('POST', '/v1/keys', { ...named(`k${count}`), spendingCapUsd: '1.00' });
    const asked = vi.spyOn(app.rooms.wallets, 'spentOfKeys');
    const { keys } = (await owner('GET', '/v1/keys')).body;
    const capped = keys.filter(({ spendingCapUsd }: { spendingCapUsd?: string }) => spendingCapUsd !== undefined);
    expect(capped.length).toBeGreaterThanOrEqual(3);
    expect(asked.mock.calls.map(([ids]) => ids)).toEqual([capped.map(({ keyId }: { keyId: string }) => keyId)]);
    asked.mockRestore();
  });

  test('a management key makes another one, for a person, that manages the account and cannot chat', async () => {
    const { key, secret } = (await owner('POST', '/v1/keys', { ...named('Grace Hopper'), kind: 'management' })).body;
    expect(key).toMatchObject({ kind: 'management', displayName: 'Grace Hopper', state: 'active' });
    expect(key.scopes).toEqual([]);
    expect(secret).toMatch(/^ik_mgmt_/);
    expect((await send(app, 'GET', '/v1/wallet', secret)).status).toBe(200);
    expect(reasonOf(await chat(secret))).toBe('SCOPE_MISSING');
    const over = await grpcClient(app.url).unary(
      KeyService.method.createKey,
      { ...named('Ada Lovelace'), kind: 'management' },
      { authorization: `Bearer ${secret}` },
    );
    expect(over.message?.key?.kind).toBe('management');
    // Nobody else may.
    expect((await send(app, 'POST', '/v1/keys', customer.apiKey, { ...named('x'), kind: 'management' })).status).toBe(
      403,
    );
  });

  test('a management key has nothing that only API keys have, and there is no third kind', async () => {
    for (const [field, value] of [
      ['scopes', ['chat']],
      ['spendingCapUsd', '1.00'],
      ['allowedOrigins', ['https://app.example.com']],
      ['guardrails', { input: { action: 'flag' } }],
    ] as const) {
      const refused = await owner('POST', '/v1/keys', { ...named('x'), kind: 'management', [field]: value });
      expect(refused.status, field).toBe(400);
      expect(refused.text).toContain(`"field":"${field}"`);
    }
    expect((await owner('POST', '/v1/keys', { ...named('x'), kind: 'operator' })).status).toBe(400);
  });

  test('the last management key stays, whether it would be revoked or made to end', async () => {
    const other = await onboard(app);
    const mine = (method: string, path: string, body?: object) => send(app, method, path, other.managementKey, body);
    const [first] = (await mine('GET', '/v1/keys')).body.keys.filter(
      ({ kind }: { kind: string }) => kind === 'management',
    );
    const path = `/v1/keys/${first.keyId}`;
    const soon = { expireTime: new Date(Date.now() + 3_600_000).toISOString() };
    const refused = await mine('POST', `${path}:revoke`, {});
    expect(refused.status).toBe(409);
    expect(refused.body.error.message).toContain('only management key');
    expect((await mine('PATCH', path, soon)).body.error.message).toContain('only management key');
    // A second one that expires is not enough: within an hour nobody could manage the account.
    const brief = (await mine('POST', '/v1/keys', { ...named('brief'), kind: 'management', ...soon })).body.key;
    expect((await mine('POST', `${path}:revoke`, {})).status).toBe(409);
    await mine('POST', '/v1/keys', { ...named('lasting'), kind: 'management' });
    expect((await mine('POST', `/v1/keys/${brief.keyId}:revoke`, {})).body.key.state).toBe('revoked');
    expect((await mine('POST', `${path}:revoke`, {})).body.key.state).toBe('revoked');
  });
});
