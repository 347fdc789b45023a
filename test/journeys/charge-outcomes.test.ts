import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { WalletService } from '../../src/gen/intelligence/wallet/v1/wallet_service_pb.ts';
import { type Customer, onboard, send, startApp, type TestApp } from '../support/app.ts';
import { eachServer, useDatabase } from '../support/database.ts';
import { grpcClient } from '../support/grpc.ts';
import { strictEmbeddings } from '../support/strict-embeddings.ts';
import { strictRerank } from '../support/strict-rerank.ts';
import { completion, startUpstream, streamedCompletion, type Upstream } from '../support/upstream.ts';

// What a charge says about its request: which one it was, how long it and its model took, how often models were called, and why the reply ended.

const chatPath = '/api/v1/assistant/chat';
const messages = [{ role: 'user', content: 'Hi' }];
const usage = { prompt_tokens: 10, completion_tokens: 3 };
const event = { id: 'e1', journey: 'checkout', step: 'cart', kind: 'entered', sessionId: 's1' };

eachServer((server) => {
  const database = useDatabase(server);
  let app: TestApp;
  let first: Upstream;
  let second: Upstream;
  let customer: Customer;
  beforeAll(async () => {
    [first, second] = [await startUpstream(), await startUpstream()];
    const price = '{ inputPerMillionUsd: "1", outputPerMillionUsd: "2" }';
    app = await startApp({
      databaseUrl: database().url,
      variables: { UPSTREAM_KEY: 'sk-upstream' },
      settings: [
        'providers:',
        `  - { id: first, kind: openai-compatible, baseUrl: "${first.url}/v1", apiKeyEnv: UPSTREAM_KEY }`,
        `  - { id: second, kind: openai-compatible, baseUrl: "${second.url}/v1", apiKeyEnv: UPSTREAM_KEY }`,
        'models:',
        `  - { id: a, provider: first, quality: 90, contextTokens: 9000, price: ${price} }`,
        `  - { id: b, provider: second, quality: 50, contextTokens: 9000, price: ${price} }`,
        '  - { id: e, provider: first, quality: 50, contextTokens: 8192, price: { inputPerMillionUsd: "1" }, embedding: { dimensions: 4 } }',
        '  - { id: r, provider: first, quality: 50, contextTokens: 8192, price: { inputPerMillionUsd: "1" }, rerank: { api: jina } }',
      ].join('\n'),
    });
  });
  afterAll(async () => {
    await app.close();
    await first.close();
    await second.close();
  });
  beforeEach(async () => {
    customer = await onboard(app);
    for (const upstream of [first, second]) {
      upstream.seen.length = 0;
      upstream.answer(() => ({ body: completion('Fine.', usage) }));
    }
  });

  /** The charges of a request, newest first. */
  const chargesOf = async (requestId: string) =>
    (await send(app, 'GET', `/v1/charges?requestId=${requestId}`, customer.managementKey)).body.charges;
  const ask = (path: string, body: object, requestId?: string, more: Record<string, string> = {}) =>
    send(app, 'POST', path, customer.apiKey, body, { ...(requestId && { 'x-request-id': requestId }), ...more });
  const eventStream = { accept: 'text/event-stream' };
  const ms = (text: string | undefined) => {
    expect(text).toMatch(/^[0-9]+$/);
    return Number(text);
  };

  test('a whole reply, found by the id that the service gave its request, over JSON and gRPC', async () => {
    first.answer(() => ({ body: completion('Fine.', usage), delayMs: 30 }));
    const answer = await ask(chatPath, { provider: 'first', model: 'a', messages });
    const requestId = answer.headers.get('x-request-id') ?? '';
    expect(requestId).toMatch(/^req_/);
    const [charge, ...others] = await chargesOf(requestId);
    expect(others).toEqual([]);
    expect(charge).toMatchObject({ chargeId: answer.body.id, requestId, attempts: 1, finishReason: 'stop' });
    expect(ms(charge.modelLatencyMs)).toBeGreaterThanOrEqual(25);
    expect(ms(charge.latencyMs)).toBeGreaterThanOrEqual(ms(charge.modelLatencyMs) - 1);
    const client = grpcClient(app.url);
    const authorization = { authorization: `Bearer ${customer.managementKey}` };
    const { message } = await client.unary(WalletService.method.listCharges, { requestId }, authorization);
    const [over] = message?.charges ?? [];
    expect({ ...over }).toMatchObject({
      ...{ requestId, attempts: 1, finishReason: 'stop' },
      latencyMs: BigInt(charge.latencyMs),
      modelLatencyMs: BigInt(charge.modelLatencyMs),
    });
    client.close();
  });

  test('a request that a second model answered was asked twice, and the caller’s own id finds it', async () => {
    first.answer(() => ({ status: 500, body: {} }));
    const requestId = `own-${newId('evt')}`;
    const answer = await ask(chatPath, { routing: { mode: 'quality', maxRetries: 1 }, messages }, requestId);
    expect(answer.headers.get('x-request-id')).toBe(requestId);
    const [charge] = await chargesOf(requestId);
    // The first model twice, then the second.
    expect([first.seen.length, second.seen.length]).toEqual([2, 1]);
    expect(charge).toMatchObject({ model: 'b', attempts: 3, finishReason: 'stop', requestId });
    expect(
      (await send(app, 'GET', `/v1/charges?requestId=${requestId}x`, customer.managementKey)).body.charges,
    ).toEqual([]);
  });

  test('why a reply ended is on its charge: its length, or the model that broke it off', async () => {
    first.answer(() => ({ body: JSON.stringify(completion('Fine', usage)).replace('"stop"', '"length"') }));
    await ask(chatPath, { provider: 'first', model: 'a', messages }, 'r-length');
    expect((await chargesOf('r-length'))[0]).toMatchObject({ finishReason: 'length' });
    first.answer(() => ({ pieces: streamedCompletion(['Fine.', ' Well.'], usage) }));
    await ask(chatPath, { provider: 'first', model: 'a', messages }, 'r-stream', eventStream);
    const [streamed] = await chargesOf('r-stream');
    expect(streamed).toMatchObject({ finishReason: 'stop', attempts: 1 });
    ms(streamed.modelLatencyMs);
    const half = streamedCompletion(['Fine.', ' Well.'], usage).slice(0, 2);
    first.answer(() => ({ pieces: half, pauseMs: 200, ending: 'half-close' }));
    await ask(chatPath, { provider: 'first', model: 'a', messages }, 'r-broken', eventStream);
    const [broken] = await chargesOf('r-broken');
    expect(broken).toMatchObject({ state: 'settled', finishReason: 'error', attempts: 1 });
    ms(broken.modelLatencyMs);
  });

  test('a stream that its caller left says so', async () => {
    first.answer(() => ({ pieces: streamedCompletion(['Fine.', ...Array(50).fill(' More.')], usage), pauseMs: 100 }));
    const leaving = new AbortController();
    const response = await fetch(`${app.url}${chatPath}`, {
      method: 'POST',
      headers: {
        ...eventStream,
        'content-type': 'application/json',
        authorization: `Bearer ${customer.apiKey}`,
        'x-request-id': 'r-left',
      },
      body: JSON.stringify({ provider: 'first', model: 'a', messages }),
      signal: leaving.signal,
    });
    await response.body?.getReader().read();
    leaving.abort();
    await expect
      .poll(async () => (await chargesOf('r-left'))[0], { timeout: 30_000 })
      .toMatchObject({ state: 'settled', finishReason: 'cancelled', attempts: 1 });
  });

  test('a request that failed leaves its id with what was held for it, and nothing that is not known', async () => {
    first.answer(() => ({ status: 500, body: {} }));
    const body = { provider: 'first', model: 'a', messages };
    // Held before the model is called, so that there is something to release.
    const key = { 'idempotency-key': newId('evt') };
    expect((await ask(chatPath, body, 'r-failed', key)).status).toBe(502);
    const [charge] = await chargesOf('r-failed');
    expect(charge).toMatchObject({ state: 'released', requestId: 'r-failed' });
    for (const unknown of ['latencyMs', 'modelLatencyMs', 'attempts', 'finishReason'])
      expect(charge).not.toHaveProperty(unknown);
  });

  test('embeddings and rankings say how long their model took; workflows and events how long they took themselves', async () => {
    first.answer(strictEmbeddings(4));
    expect((await ask('/api/v1/embeddings', { inputs: ['One'] }, 'r-embed')).status).toBe(200);
    first.answer(strictRerank('jina'));
    expect((await ask('/api/v1/rerank', { query: 'red', documents: ['A red car'] }, 'r-rank')).status).toBe(200);
    for (const requestId of ['r-embed', 'r-rank']) {
      const [charge] = await chargesOf(requestId);
      expect(charge).toMatchObject({ requestId, attempts: 1 });
      expect(ms(charge.latencyMs)).toBeGreaterThanOrEqual(ms(charge.modelLatencyMs) - 1);
      expect(charge).not.toHaveProperty('finishReason');
    }
    const occurredAt = new Date().toISOString();
    const risk = { text: 'Guaranteed returns, risk-free!', domain: 'finance' };
    expect((await ask('/v1/pulse/events', { events: [{ ...event, occurredAt }] }, 'r-pulse')).status).toBe(200);
    expect((await ask('/v1/risk/check', { ...risk, assist: 'off' }, 'r-risk')).status).toBe(200);
    const item = { risk: { ...risk, assist: 'off' } };
    expect((await ask('/v1/workflows/batch', { items: [item, item] }, 'r-batch')).status).toBe(200);
    for (const [requestId, count] of [
      ['r-pulse', 1],
      ['r-risk', 1],
      ['r-batch', 2],
    ] as const) {
      const charges = await chargesOf(requestId);
      expect(charges.length, requestId).toBe(count);
      for (const charge of charges) {
        ms(charge.latencyMs);
        for (const unknown of ['modelLatencyMs', 'attempts', 'finishReason'])
          expect(charge, requestId).not.toHaveProperty(unknown);
      }
    }
  });

  test('a repeated request is the one charge that it was, of the first request’s id', async () => {
    const key = { 'idempotency-key': newId('evt') };
    for (const id of ['r-one', 'r-two'])
      await send(
        app,
        'POST',
        chatPath,
        customer.apiKey,
        { provider: 'first', model: 'a', messages },
        {
          ...key,
          'x-request-id': id,
        },
      );
    expect(await chargesOf('r-one')).toHaveLength(1);
    expect(await chargesOf('r-two')).toEqual([]);
  });
});
