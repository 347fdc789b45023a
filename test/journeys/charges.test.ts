import { timestampDate } from '@bufbuild/protobuf/wkt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WalletService } from '../../src/gen/intelligence/wallet/v1/wallet_service_pb.ts';
import { type Customer, onboard, send, startApp, type TestApp } from '../support/app.ts';
import { eachServer, useDatabase } from '../support/database.ts';
import { grpcClient } from '../support/grpc.ts';

const messages = [{ role: 'user', content: 'Which plan fits? The Basic plan fits.' }];

eachServer((server) => {
  const database = useDatabase(server);
  let app: TestApp;
  let customer: Customer;
  const ids: Record<string, string> = {};
  beforeAll(async () => {
    app = await startApp({ databaseUrl: database().url });
    customer = await onboard(app);
    ids.chat = (await send(app, 'POST', '/api/v1/assistant/chat', customer.apiKey, { messages })).body.id;
    const token = await send(app, 'POST', '/v1/tokens', customer.apiKey, { subject: 'ada', ttlSeconds: 600 });
    ids.user = (await send(app, 'POST', '/api/v1/assistant/chat', token.body.accessToken, { messages })).body.id;
    const event = { id: 'e1', journey: 'checkout', step: 'cart', kind: 'entered', sessionId: 's1' };
    for (const [path, body] of [
      ['/v1/pulse/events', { events: [{ ...event, occurredAt: new Date().toISOString() }] }],
      ['/v1/risk/check', { text: 'Guaranteed returns, completely risk-free!', domain: 'finance' }],
    ] as const)
      expect((await send(app, 'POST', path, customer.apiKey, body)).status).toBe(200);
  });
  afterAll(() => app.close());

  const get = async (path: string) => (await send(app, 'GET', path, customer.managementKey)).body;

  test('a charge says what it consists of, line by line, to the last nano-USD', async () => {
    const { charges } = await get('/v1/charges');
    expect(charges.map(({ operation }: { operation: string }) => operation.split('.')[0])).toEqual([
      'workflow',
      'pulse',
      'chat',
      'chat',
    ]);
    for (const charge of charges) {
      expect(charge.lines.length).toBeGreaterThan(0);
      const sum = charge.lines.reduce((total: bigint, line: { amountUsd: string }) => total + nano(line.amountUsd), 0n);
      expect(sum).toBe(nano(charge.chargedUsd));
      // Every part has its rate: nothing remains that the price book does not explain.
      expect(charge.lines.map(({ kind }: { kind: string }) => kind)).not.toContain('other');
      expect(charge.lines.map(({ kind }: { kind: string }) => kind)).not.toContain('limit');
      expect(new Date(charge.endTime).getTime()).toBeGreaterThanOrEqual(new Date(charge.createTime).getTime());
    }
    const { charge } = await get(`/v1/charges/${ids.chat}`);
    expect(charge).toMatchObject({ state: 'settled', operation: 'chat', keyId: customer.keyId, requests: '1' });
    for (const name of ['provider', 'model', 'inputTokens', 'outputTokens', 'priceVersion'])
      expect(charge[name], name).toBeTruthy();
    const quantities = Object.fromEntries(
      charge.lines.map(({ kind, quantity }: { kind: string; quantity: string }) => [kind, quantity]),
    );
    expect(quantities).toMatchObject({ input: charge.inputTokens, output: charge.outputTokens });
    for (const absent of ['subject', 'deviceId', 'tokenId', 'reversedUsd', 'owedUsd'])
      expect(charge).not.toHaveProperty(absent);
    expect((await get(`/v1/charges/${ids.user}`)).charge).toMatchObject({
      subject: 'ada',
      tokenId: expect.stringMatching(/^tok_/),
    });
  });

  test('gRPC says the same as JSON', async () => {
    const client = grpcClient(app.url);
    const authorization = { authorization: `Bearer ${customer.managementKey}` };
    const over = await client.unary(WalletService.method.listCharges, { subject: 'ada' }, authorization);
    expect(over.message?.charges.map(({ chargeId }) => chargeId)).toEqual([ids.user]);
    const [charge] = over.message?.charges ?? [];
    const { charge: json } = await get(`/v1/charges/${ids.user}`);
    expect(charge?.lines.map(({ kind, amountUsd }) => [kind, amountUsd])).toEqual(
      json.lines.map(({ kind, amountUsd }: { kind: string; amountUsd: string }) => [kind, amountUsd]),
    );
    expect(charge?.endTime && timestampDate(charge.endTime).getTime()).toBe(new Date(json.endTime).getTime());
    client.close();
  });

  test('charges are found by what they are of, and what makes no sense is refused', async () => {
    const idsBy = async (query: string) =>
      (await get(`/v1/charges?${query}`)).charges.map(({ chargeId }: { chargeId: string }) => chargeId);
    const { charge } = await get(`/v1/charges/${ids.chat}`);
    expect(await idsBy('subject=ada')).toEqual([ids.user]);
    expect(await idsBy(`operation=chat&model=${encodeURIComponent(charge.model)}&state=settled`)).toEqual([
      ids.user,
      ids.chat,
    ]);
    expect(await idsBy('subject=nobody')).toEqual([]);
    expect(await idsBy(`keyId=${customer.keyId}&endTime=${charge.createTime}`)).toEqual([]);
    expect(await idsBy(`operation=chat&startTime=${charge.createTime}`)).toEqual([ids.user, ids.chat]);
    // A moment after the time that the charge shows: it is in what came before, and in nothing that came later.
    const later = momentAfter(charge.createTime);
    expect(await idsBy(`operation=chat&startTime=${later}`)).toEqual([ids.user]);
    expect(await idsBy(`operation=chat&endTime=${later}`)).toEqual([ids.chat]);
    for (const path of ['/v1/wallet/entries?', '/v1/usage?groupBy=operation&']) {
      const [newest] = (await get('/v1/wallet/entries?pageSize=1')).entries;
      const { entries, rows } = await get(`${path}startTime=${momentAfter(newest.time)}`);
      expect(entries ?? rows).toEqual([]);
    }
    for (const query of ['state=paid', 'startTime=yesterday', `model=${'m'.repeat(201)}`])
      expect((await send(app, 'GET', `/v1/charges?${query}`, customer.managementKey)).status, query).toBe(400);
  });

  test('what was given back later is on the charge, and its lines stay', async () => {
    const back = { reason: 'goodwill', actor: 'test', idempotencyKey: 'back', reversesChargeId: ids.user ?? '' };
    const given = await app.rooms.wallets.adjust({ accountId: customer.accountId, kind: 'api', amount: 1n, ...back });
    expect(given.ok).toBe(true);
    const { charge } = await get(`/v1/charges/${ids.user}`);
    expect(charge.reversedUsd).toBe('0.000000001');
    const more = { ...back, amount: 2n, idempotencyKey: 'more' };
    expect((await app.rooms.wallets.adjust({ accountId: customer.accountId, kind: 'api', ...more })).ok).toBe(true);
    // Each separately, as in the entries, and without operators' internal notes.
    const corrected = (await get(`/v1/charges/${ids.user}`)).charge;
    const { entries } = await get('/v1/wallet/entries?kinds=adjustment');
    expect(corrected.reversedUsd).toBe('0.000000003');
    expect(corrected.corrections.map(Object.keys)).toEqual(
      [...Array(2)].map(() => ['adjustmentId', 'amountUsd', 'time']),
    );
    expect(
      corrected.corrections.map(({ adjustmentId, amountUsd }: Record<string, string>) => [adjustmentId, amountUsd]),
    ).toEqual(entries.map(({ adjustmentId, amountUsd }: Record<string, string>) => [adjustmentId, amountUsd]));
    const sum = charge.lines.reduce((total: bigint, line: { amountUsd: string }) => total + nano(line.amountUsd), 0n);
    expect(sum).toBe(nano(charge.chargedUsd));
  });

  test('usage by hour and by end user adds up to the usage of all', async () => {
    const rowsBy = async (query: string) => (await get(`/v1/usage?${query}`)).rows;
    const [all] = await rowsBy('');
    for (const query of ['groupBy=hour', 'groupBy=subject', 'groupBy=hour&groupBy=subject&groupBy=model']) {
      const rows = await rowsBy(query);
      const sum = rows.reduce((total: bigint, row: { costUsd: string }) => total + nano(row.costUsd), 0n);
      expect(sum, query).toBe(nano(all.costUsd));
    }
    const bySubject = await rowsBy('groupBy=subject');
    expect(bySubject.map(({ subject }: { subject?: string }) => subject)).toEqual([undefined, 'ada']);
    const client = grpcClient(app.url);
    const authorization = { authorization: `Bearer ${customer.managementKey}` };
    for (const [query, only, count] of [
      ['operation=chat', { operation: 'chat' }, '2'],
      ['operation=pulse', { operation: 'pulse' }, '1'],
      [`keyId=${customer.keyId}`, { keyId: customer.keyId }, '4'],
      ['keyId=key_other', { keyId: 'key_other' }, '0'],
    ] as const) {
      const [row] = await rowsBy(query);
      expect(row.charges, query).toBe(count);
      const over = await client.unary(WalletService.method.getUsage, only, authorization);
      expect(over.message?.rows.map(({ charges, costUsd }) => [String(charges), costUsd])).toEqual([
        [count, row.costUsd],
      ]);
      const file = await send(app, 'GET', `/v1/usage:export?format=jsonl&${query}`, customer.managementKey);
      expect(JSON.parse(file.text)).toMatchObject({ charges: count, costUsd: row.costUsd });
    }
    const [byModel] = await rowsBy('groupBy=model&operation=chat');
    expect((await rowsBy(`model=${encodeURIComponent(byModel.model)}`))[0].costUsd).toBe(byModel.costUsd);
    const byProviderKey = await rowsBy('groupBy=provider_key');
    expect(byProviderKey.map(({ charges, costUsd }: Record<string, string>) => [charges, costUsd])).toEqual([
      ['4', all.costUsd],
    ]);
    expect(byProviderKey[0]).not.toHaveProperty('providerKeyId');
    expect((await send(app, 'GET', `/v1/usage?model=${'m'.repeat(201)}`, customer.managementKey)).status).toBe(400);
    const list = await get('/v1/usage?groupBy=operation&pageSize=1&operation=chat');
    expect(list.nextPageToken).toBe('');
    const { nextPageToken } = await get('/v1/usage?groupBy=operation&pageSize=1');
    const other = `/v1/usage?groupBy=operation&pageSize=1&operation=chat&pageToken=${nextPageToken}`;
    expect((await send(app, 'GET', other, customer.managementKey)).status).toBe(400);
    client.close();
    const [hour] = await rowsBy('groupBy=hour&groupBy=day');
    expect(hour.hour).toMatch(/^\d{4}-\d\d-\d\dT\d\d:00:00Z$/);
    expect(hour.hour.slice(0, 10)).toBe(hour.day);
  });
});

function nano(usd: string): bigint {
  const [whole = '', decimals = ''] = usd.replace('-', '').split('.');
  return (usd.startsWith('-') ? -1n : 1n) * (BigInt(whole) * 1_000_000_000n + BigInt(decimals.padEnd(9, '0')));
}

/** 0.4 ms after a time that is printed to the millisecond or more roughly. */
function momentAfter(time: string): string {
  return new Date(time).toISOString().replace('Z', '4Z');
}
