import { afterAll, beforeAll, expect, test } from 'vitest';
import { AccountService } from '../../src/gen/intelligence/account/v1/account_service_pb.ts';
import { WalletService } from '../../src/gen/intelligence/wallet/v1/wallet_service_pb.ts';
import { type Customer, onboard, reasonOf, send, startApp, type TestApp } from '../support/app.ts';
import { eachServer, useDatabase } from '../support/database.ts';
import { grpcClient } from '../support/grpc.ts';

const chatPath = '/api/v1/assistant/chat';
const request = { provider: 'auto', messages: [{ role: 'user', content: 'Which plan fits? The Basic plan fits.' }] };

eachServer((server) => {
  const database = useDatabase(server);
  let app: TestApp;
  let customer: Customer;
  let chargeIds: string[];

  beforeAll(async () => {
    app = await startApp({ databaseUrl: database().url });
    customer = await onboard(app);
    chargeIds = [];
    for (let count = 0; count < 3; count++)
      chargeIds.push((await send(app, 'POST', chatPath, customer.apiKey, request)).body.id);
  });
  afterAll(() => app.close());

  const get = (path: string) => send(app, 'GET', path, customer.managementKey);
  const usageEntries = async () =>
    (await get('/v1/wallet/entries')).body.entries.filter(({ kind }: { kind: string }) => kind === 'usage');

  test('usage by day, model, operation and key costs what the entries say, to the last nano', async () => {
    const { body } = await get('/v1/usage?groupBy=day&groupBy=model&groupBy=operation&groupBy=key&groupBy=device');
    expect(body.rows).toHaveLength(1);
    const [row] = body.rows;
    expect(row).toMatchObject({ operation: 'chat', keyId: customer.keyId, charges: '3' });
    expect(row.day).toBe(new Date().toISOString().slice(0, 10));
    expect(row.model).toBeDefined();
    expect(Number(row.inputTokens)).toBeGreaterThan(0);
    const spent = (await usageEntries()).reduce(
      (sum: bigint, entry: { amountUsd: string }) => sum - nano(entry.amountUsd),
      0n,
    );
    expect(nano(row.costUsd)).toBe(spent);
    const over = await grpcClient(app.url).unary(
      WalletService.method.getUsage,
      { groupBy: ['model'] },
      { authorization: `Bearer ${customer.managementKey}` },
    );
    expect(over.message?.rows.map(({ costUsd }) => costUsd)).toEqual([row.costUsd]);
  });

  test('usage of a time without charges is zero, and ranges that make no sense are refused', async () => {
    const none = await get('/v1/usage?startTime=2020-01-01T00:00:00Z&endTime=2020-02-01T00:00:00Z');
    expect(none.body.rows).toMatchObject([{ charges: '0', costUsd: '0.00' }]);
    for (const query of [
      'startTime=2026-01-02T00:00:00Z&endTime=2026-01-01T00:00:00Z',
      'startTime=2020-01-02T00:00:00Z&endTime=2026-01-01T00:00:00Z',
      'groupBy=secret',
      'groupBy=day&groupBy=day',
      'pageToken=x',
      'pageToken=dXNhZ2U6CjE6OTk5OTk5OTk5OTk5OjA',
    ])
      expect((await get(`/v1/usage?${query}`)).status, query).toBe(400);
  });

  test('pages of usage are of one moment, whatever is charged meanwhile', async () => {
    const other = await onboard(app);
    for (const content of ['a', 'b'])
      await send(app, 'POST', chatPath, other.apiKey, { ...request, messages: [{ role: 'user', content }] });
    const second = await send(app, 'POST', '/v1/keys', other.managementKey, { displayName: 'b', purpose: 'test' });
    await send(app, 'POST', chatPath, String(second.body.secret), request);
    const page = (token: string) =>
      send(app, 'GET', `/v1/usage?groupBy=key&pageSize=1&pageToken=${token}`, other.managementKey);
    const one = await page('');
    expect(one.body.rows).toMatchObject([{ keyId: other.keyId, charges: '2' }]);
    for (const key of [other.apiKey, String(second.body.secret)]) await send(app, 'POST', chatPath, key, request);
    const two = await page(one.body.nextPageToken);
    expect(two.body).toMatchObject({ rows: [{ keyId: second.body.key.keyId, charges: '1' }], nextPageToken: '' });
  });

  test('entries stream as CSV and as JSON Lines, the oldest first', async () => {
    const csv = await get('/v1/wallet/entries:export');
    expect(csv.headers.get('content-type')).toContain('text/csv');
    expect(csv.headers.get('content-disposition')).toBe('attachment; filename="entries.csv"');
    const lines = csv.text.trimEnd().split('\r\n');
    expect(lines[0]).toBe('entryId,time,kind,amountUsd,balanceAfterUsd,chargeId,topUpId,adjustmentId,metadata');
    expect(lines).toHaveLength(5);
    expect(lines[1]).toMatch(/^1,.*,top_up,5\.00,5\.00,,top_[^,]*,,$/);
    const jsonl = await get('/v1/wallet/entries:export?format=jsonl');
    const rows = jsonl.text.trimEnd().split('\n');
    expect(rows.map((row) => JSON.parse(row).chargeId).slice(1)).toEqual(chargeIds);
    const usage = await get('/v1/usage:export?groupBy=model&format=csv');
    expect(usage.text.split('\r\n')[0]).toBe(
      'model,charges,inputTokens,cachedInputTokens,outputTokens,reasoningTokens,events,costUsd,cacheWriteInputTokens,cacheWrite1hInputTokens,audioInputTokens,searchUnits',
    );
    expect((await get('/v1/wallet/entries:export?format=pdf')).status).toBe(400);
    const client = grpcClient(app.url);
    const authorization = { authorization: `Bearer ${customer.managementKey}` };
    const entries = await client.serverStream(WalletService.method.exportEntries, {}, authorization);
    expect(entries.error).toBeUndefined();
    expect(textOf(entries.messages)).toBe(csv.text);
    const sums = await client.serverStream(WalletService.method.exportUsage, { groupBy: ['model'] }, authorization);
    expect(textOf(sums.messages)).toBe(usage.text);
    client.close();
  });

  test('an operator corrects a wallet once per idempotency key, never below zero', async () => {
    const other = await onboard(app);
    const adjust = (body: object, key = 'one') =>
      send(app, 'POST', `/v1/accounts/${other.accountId}/adjustments`, app.operatorToken, body, {
        ...(key && { 'idempotency-key': key }),
      });
    const add = { direction: 'add', amountUsd: '1.50', reason: 'goodwill' };
    const first = await adjust(add);
    expect(first.body).toMatchObject({
      adjustment: { amountUsd: '1.50', reason: 'goodwill', actor: 'operator:environment' },
      wallet: { balanceUsd: '6.50' },
    });
    const again = await adjust(add);
    expect(again.body.adjustment.adjustmentId).toBe(first.body.adjustment.adjustmentId);
    expect(again.body.wallet.balanceUsd).toBe('6.50');
    expect(reasonOf(await adjust({ ...add, amountUsd: '2' }))).toBe('IDEMPOTENCY_MISMATCH');
    expect((await adjust({ ...add, direction: 'take' }, 'two')).body.wallet.balanceUsd).toBe('5.00');
    expect(reasonOf(await adjust({ ...add, direction: 'take', amountUsd: '5.01' }, 'three'))).toBe(
      'INSUFFICIENT_CREDIT',
    );
    for (const [body, key] of [
      [add, ''],
      [{ ...add, amountUsd: '0' }, 'x'],
      [{ ...add, amountUsd: '-1' }, 'x'],
      [{ ...add, direction: 'both' }, 'x'],
      [{ ...add, reason: '' }, 'x'],
      [{ ...add, reason: 'a\nb' }, 'x'],
    ] as const)
      expect((await adjust(body, key)).status, JSON.stringify(body)).toBe(400);
    const { body } = await send(app, 'GET', '/v1/wallet/entries', other.managementKey);
    expect(body.entries[1]).toMatchObject({
      kind: 'adjustment',
      amountUsd: '1.50',
      adjustmentId: first.body.adjustment.adjustmentId,
    });
    const own = await send(app, 'POST', `/v1/accounts/${other.accountId}/adjustments`, other.managementKey, add, {
      'idempotency-key': 'own',
    });
    expect(reasonOf(own)).toBe('SCOPE_MISSING');
  });

  test('a charge is given back at most once', async () => {
    const client = grpcClient(app.url);
    const [entry] = await usageEntries();
    const cost = String(entry.amountUsd).slice(1);
    const giveBack = (amountUsd: string, key: string) =>
      client.unary(
        AccountService.method.adjustAccount,
        { accountId: customer.accountId, direction: 'add', amountUsd, reason: 'fault', chargeId: entry.chargeId },
        { authorization: `Bearer ${app.operatorToken}`, 'idempotency-key': key },
      );
    expect((await giveBack(cost, 'a')).message?.adjustment?.chargeId).toBe(entry.chargeId);
    expect((await giveBack(cost, 'a')).message?.adjustment?.chargeId).toBe(entry.chargeId);
    expect((await giveBack('0.000000001', 'b')).reason).toBe('PRECONDITION_FAILED');
    client.close();
  });
});

function nano(usd: string): bigint {
  const [whole = '', decimals = ''] = usd.replace('-', '').split('.');
  const amount = BigInt(whole) * 1_000_000_000n + BigInt(decimals.padEnd(9, '0'));
  return usd.startsWith('-') ? -amount : amount;
}

function textOf(messages: { content?: { data: Uint8Array } | undefined }[]): string {
  return messages.map(({ content }) => Buffer.from(content?.data ?? []).toString()).join('');
}
