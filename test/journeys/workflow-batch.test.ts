import { status as grpcStatus } from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WorkflowService } from '../../src/gen/intelligence/workflow/v1/workflow_service_pb.ts';
import { auditLedger } from '../../src/wallet/index.ts';
import { workflowInvariants } from '../../src/workflows/index.ts';
import { type Customer, onboard, reasonOf, send, startApp, type TestApp } from '../support/app.ts';
import { eachServer, useDatabase } from '../support/database.ts';
import { grpcClient } from '../support/grpc.ts';

const risk = (text: string) => ({ risk: { text } });
const batchPath = '/v1/workflows/batch';

interface Result {
  key: string;
  risk?: { riskLevel: string; usage: { chargeId: string; costUsd: string } };
  error?: { status: number; code: string; reason: string; message: string; fieldViolations: { field: string }[] };
}

eachServer((server) => {
  const database = useDatabase(server);
  let app: TestApp;
  let customer: Customer;
  beforeAll(async () => {
    app = await startApp({
      databaseUrl: database().url,
      settings: `
workflows: { pricesPerRequestUsd: { decision: "0.01" } }
limits: { requestsPerMinute: 100000 }`,
    });
    customer = await onboard(app);
  });
  afterAll(() => app.close());

  const balanceOf = async ({ managementKey }: Customer) =>
    (await send(app, 'GET', '/v1/wallet', managementKey)).body.wallet;
  const chargesOf = async ({ managementKey }: Customer): Promise<string[]> => {
    const charges: string[] = [];
    let page = '';
    do {
      const { body } = await send(app, 'GET', `/v1/wallet/entries?pageToken=${page}`, managementKey);
      charges.push(...body.entries.flatMap(({ chargeId }: { chargeId?: string }) => chargeId || []));
      page = body.nextPageToken;
    } while (page !== '');
    return charges;
  };

  test('items of several families have a charge each; one that is wrong fails alone, as a call of its own would', async () => {
    const payer = await onboard(app);
    const items = [
      { key: 'first', ...risk('Guaranteed returns. Pay a deposit by wire today.') },
      { readiness: { listing: { title: 'City bike', price: 180, currency: 'EUR' } } },
      { draft: { purpose: 'the order is late', facts: [{ name: 'order', value: '4711' }] } },
      { decision: { question: 'Which?', options: [{ name: 'only one' }], criteria: [] } },
      {},
      { custom: { client: 'nobody', workflow: 'nothing', input: 1 } },
      { guidance: { template: 'seller', values: {}, metadata: { subjectId: 's-1' } } },
      { scoring: { metrics: { cashRunwayMonths: 9 } } },
    ];
    const { status, headers, body } = await send(app, 'POST', batchPath, payer.apiKey, { items });
    expect(status).toBe(200);
    expect(body).toMatchObject({ succeeded: 5, failed: 3, costUsd: '0.01' });
    expect(headers.get('x-charge-usd')).toBe('0.01');
    expect(body.results[0]).toMatchObject({ key: 'first', risk: { usage: { family: 'risk', costUsd: '0.002' } } });
    expect(body.results[2].draft.draft.state).toBe('pending_review');
    expect(body.results[6].guidance.usage.family).toBe('guidance');
    const errors = [3, 4, 5].map((index) => body.results[index].error);
    expect(errors.map(({ status: code, reason }) => [code, reason])).toEqual([
      [400, 'INVALID_ARGUMENT'],
      [400, 'INVALID_ARGUMENT'],
      [404, 'NOT_FOUND'],
    ]);
    expect(errors[0].fieldViolations.map(({ field }: { field: string }) => field)).toContain('decision.criteria');
    expect(errors[1].message).toContain('guidance, readiness, risk, draft, decision, scoring, custom');
    const charged = body.results.flatMap((result: Record<string, { usage?: { chargeId: string } }>) =>
      Object.values(result).flatMap((reply) => reply?.usage?.chargeId ?? []),
    );
    expect(new Set(charged).size).toBe(5);
    expect(new Set(await chargesOf(payer))).toEqual(new Set(charged));
    expect(await balanceOf(payer)).toMatchObject({ balanceUsd: '4.99', heldUsd: '0.00' });
  });

  test('a repeated batch is charged once and answers alike, over JSON and over gRPC, also after a call that broke off', async () => {
    const payer = await onboard(app);
    const items = Array.from({ length: 300 }, (_, index) => risk(`Listing number ${index}, a bicycle for sale.`));
    const headers = { 'idempotency-key': 'nightly-1' };
    const leaving = new AbortController();
    const first = fetch(`${app.url}${batchPath}`, {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${payer.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ items }),
      signal: leaving.signal,
    }).catch(() => undefined);
    await expect.poll(async () => (await chargesOf(payer)).length, { timeout: 60_000, interval: 5 }).toBeGreaterThan(0);
    leaving.abort();
    await first;

    const repeat = () => send(app, 'POST', batchPath, payer.apiKey, { items }, headers);
    // Items that the broken-off call is still working on say so, until they are done.
    await expect.poll(async () => (await repeat()).body.failed, { timeout: 60_000 }).toBe(0);
    const again = await repeat();
    expect(again.body).toMatchObject({ succeeded: 300, costUsd: '0.60' });
    const charges = again.body.results.map(({ risk: reply }: Result) => reply?.usage.chargeId);
    const client = grpcClient(app.url);
    const { message } = await client.unary(
      WorkflowService.method.batchRunWorkflows,
      { items: items.map(({ risk: value }) => ({ request: { case: 'risk' as const, value } })) },
      { authorization: `Bearer ${payer.apiKey}`, ...headers },
    );
    client.close();
    expect(
      message?.results.map(({ result }) => (result.case === 'risk' ? result.value.usage?.chargeId : result.case)),
    ).toEqual(charges);
    expect(new Set(await chargesOf(payer))).toEqual(new Set(charges));
    expect(new Set(charges).size).toBe(300);
    expect(await balanceOf(payer)).toMatchObject({ balanceUsd: '4.40', heldUsd: '0.00' });

    // A different item in a place that was charged is not the original request.
    const other = await send(app, 'POST', batchPath, payer.apiKey, { items: [risk('Something else.')] }, headers);
    expect(other.body.results[0].error).toMatchObject({ status: 422, reason: 'IDEMPOTENCY_MISMATCH' });
  });

  test('an item with a key of its own is the same request as a call with that key', async () => {
    const payer = await onboard(app);
    const [text, headers] = ['A table of oak.', { 'idempotency-key': 'order-7' }];
    const alone = await send(app, 'POST', '/v1/risk/check', payer.apiKey, { text }, headers);
    const { body } = await send(app, 'POST', batchPath, payer.apiKey, { items: [{ key: 'order-7', ...risk(text) }] });
    expect(body.results[0].risk.usage.chargeId).toBe(alone.body.usage.chargeId);
    expect((await balanceOf(payer)).balanceUsd).toBe('4.998');
    const twice = {
      items: [
        { key: 'a', ...risk('x') },
        { key: 'a', ...risk('y') },
      ],
    };
    const refused = await send(app, 'POST', batchPath, payer.apiKey, twice);
    expect([refused.status, reasonOf(refused)]).toEqual([400, 'INVALID_ARGUMENT']);
    expect(refused.text).toContain('items[1].key');
  });

  test('where credit ends the other items hear that use is paused and cost nothing; with credit the same batch goes on', async () => {
    // 5 USD pay for 500 memos.
    const payer = await onboard(app);
    const memo = (index: number) => ({
      decision: {
        question: `Which ${index}?`,
        options: [
          { name: 'North', attributes: { price: 3 } },
          { name: 'South', attributes: { price: 5 } },
        ],
        criteria: [{ name: 'price', direction: 'lower' }],
        assist: 'off',
      },
    });
    const items = Array.from({ length: 520 }, (_, index) => memo(index));
    const headers = { 'idempotency-key': 'long' };
    const ended = await send(app, 'POST', batchPath, payer.apiKey, { items }, headers);
    expect(ended.body).toMatchObject({ succeeded: 500, failed: 20, costUsd: '5.00' });
    const errors = (ended.body.results as Result[]).flatMap(({ error }) => (error ? [error] : []));
    expect(new Set(errors.map(({ status, code, reason }) => `${status} ${code} ${reason}`))).toEqual(
      new Set(['402 FAILED_PRECONDITION INSUFFICIENT_CREDIT']),
    );
    expect(errors[0]?.message).toContain('paused');
    expect(await balanceOf(payer)).toMatchObject({ balanceUsd: '0.00', heldUsd: '0.00' });
    // Without credit, what was already paid for is still answered.
    const paused = await send(app, 'POST', batchPath, payer.apiKey, { items }, headers);
    expect(paused.body).toMatchObject({ succeeded: 500, failed: 20 });

    await send(app, 'POST', '/v1/wallet/top-ups', payer.managementKey, { amountUsd: '5.00' });
    const whole = await send(app, 'POST', batchPath, payer.apiKey, { items }, headers);
    expect(whole.body).toMatchObject({ succeeded: 520, failed: 0, costUsd: '5.20' });
    expect(await balanceOf(payer)).toMatchObject({ balanceUsd: '4.80', heldUsd: '0.00' });
    expect(await auditLedger(database().database, { more: workflowInvariants })).toEqual([]);
  });

  test('items are counted as requests: those that the limits have no room for are refused by themselves, for nothing', async () => {
    const payer = await onboard(app);
    const key = { displayName: 'slow', purpose: 'a test', limits: { requestsPerMinute: 1 } };
    const made = await send(app, 'POST', '/v1/keys', payer.managementKey, key);
    const items = ['One.', 'Two.', 'Three.'].map((text) => risk(text));
    const { status, body } = await send(app, 'POST', batchPath, made.body.secret, { items });
    expect(status).toBe(200);
    expect(body).toMatchObject({ succeeded: 1, failed: 2, costUsd: '0.002' });
    // Which of them had room is not guaranteed.
    for (const { error } of body.results.filter((result: Result) => !result.risk))
      expect(error).toMatchObject({ status: 429, code: 'RESOURCE_EXHAUSTED', reason: 'RATE_LIMITED' });
    expect((await balanceOf(payer)).balanceUsd).toBe('4.998');
  });

  test('items that have not begun when the account is suspended are refused for nothing', async () => {
    const payer = await onboard(app);
    // The first items run at once, the others one every other second.
    const key = { displayName: 'slow', purpose: 'a test', limits: { requestsPerMinute: 30 } };
    const made = await send(app, 'POST', '/v1/keys', payer.managementKey, key);
    const items = Array.from({ length: 50 }, (_, index) => risk(`Number ${index}.`));
    const running = send(app, 'POST', batchPath, made.body.secret, { items });
    const charges = async () =>
      (await send(app, 'GET', `/v1/charges?accountId=${payer.accountId}`, app.operatorToken)).body.charges.length;
    await expect.poll(charges, { timeout: 20_000 }).toBeGreaterThan(0);
    await send(app, 'POST', `/v1/accounts/${payer.accountId}:suspend`, app.operatorToken, { reason: 'a test' });
    const { body } = await running;
    const reasons = (body.results as Result[]).flatMap(({ error }) => error?.reason ?? []);
    expect(reasons).toContain('ACCOUNT_SUSPENDED');
    expect(reasons.filter((reason) => reason !== 'RATE_LIMITED' && reason !== 'ACCOUNT_SUSPENDED')).toEqual([]);
    await send(app, 'POST', `/v1/accounts/${payer.accountId}:resume`, app.operatorToken, { reason: 'a test' });
    const wallet = await send(app, 'GET', `/v1/wallet?accountId=${payer.accountId}`, app.operatorToken);
    expect(wallet.body.wallet.balanceUsd).toBe((5 - 0.002 * body.succeeded).toFixed(3).replace(/0$/, ''));
  });

  test('a batch is bounded, and is for backends', async () => {
    const items = Array.from({ length: 1_001 }, () => risk('x'));
    const large = await send(app, 'POST', batchPath, customer.apiKey, { items });
    expect([large.status, reasonOf(large)]).toEqual([400, 'INVALID_ARGUMENT']);
    const heavy = { items: [risk('x'.repeat(1_100_000))] };
    expect((await send(app, 'POST', batchPath, customer.apiKey, heavy)).status).toBe(413);
    expect((await send(app, 'POST', batchPath, customer.apiKey, { items: [] })).status).toBe(400);
    expect((await send(app, 'POST', batchPath, customer.managementKey, { items: [risk('x')] })).status).toBe(403);
  });

  test('an estimate says what a request costs, refuses what the request is refused for, and costs nothing', async () => {
    const path = '/v1/workflows:estimate';
    const before = await balanceOf(customer);
    const estimate = await send(app, 'POST', path, customer.apiKey, risk('A table of oak.'));
    expect(estimate.body).toEqual({ family: 'risk', rulesUsd: '0.002', ceilingUsd: '0.002', assisted: false });
    const client = grpcClient(app.url);
    const headers = { authorization: `Bearer ${customer.apiKey}` };
    const request = {
      question: 'Which?',
      options: [{ name: 'North' }, { name: 'South' }],
      criteria: [{ name: 'price' }],
    };
    const memo = await client.unary(
      WorkflowService.method.estimateWorkflow,
      { request: { case: 'decision', value: request } },
      headers,
    );
    expect(memo.message).toMatchObject({ family: 'decision', rulesUsd: '0.01', ceilingUsd: '0.01' });
    const nothing = await client.unary(WorkflowService.method.estimateWorkflow, {}, headers);
    expect(nothing.error?.code).toBe(grpcStatus.INVALID_ARGUMENT);
    client.close();
    const unknown = { custom: { client: 'nobody', workflow: 'nothing', input: 1 } };
    expect((await send(app, 'POST', path, customer.apiKey, unknown)).status).toBe(404);
    expect((await send(app, 'POST', path, customer.apiKey, { risk: { text: '' } })).status).toBe(400);
    const poor = await onboard(app, '0');
    expect((await send(app, 'POST', path, poor.apiKey, risk('A table of oak.'))).body.rulesUsd).toBe('0.002');
    expect(await balanceOf(customer)).toEqual(before);
  });
});
