import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Customer, onboard, send, startApp, type TestApp } from '../support/app.ts';
import { type Collector, startCollector } from '../support/collector.ts';
import { firstServer, useDatabase } from '../support/database.ts';
import { strictEmbeddings, tokensOf } from '../support/strict-embeddings.ts';
import { billedTokens, strictRerank } from '../support/strict-rerank.ts';
import { completion, startUpstream, streamedCompletion, type Upstream } from '../support/upstream.ts';

// What a collector receives about embedding and rerank calls, and about the conversations that calls belong to.

const database = useDatabase(firstServer());
let collector: Collector;
let upstream: Upstream;
let app: TestApp;
let customer: Customer;
const traces = new Map<string, string>();
const ranking = { query: 'a red bicycle', documents: ['A red car', 'A bicycle that is red'] };

async function ask(name: string, path: string, body: object, headers: Record<string, string> = {}) {
  const traceId = randomBytes(16).toString('hex');
  traces.set(name, traceId);
  const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
  return send(app, 'POST', path, customer.apiKey, body, { traceparent, ...headers });
}

beforeAll(async () => {
  collector = await startCollector();
  upstream = await startUpstream();
  const embed = strictEmbeddings(8);
  const rank = strictRerank('jina');
  upstream.answer((seen) => {
    if (seen.body.model === 'down') return { status: 500, body: {} };
    if (seen.path.endsWith('/embeddings')) return embed(seen);
    if (seen.path.endsWith('/rerank')) return rank(seen);
    const usage = { prompt_tokens: 10, completion_tokens: 3 };
    return seen.body.stream
      ? { pieces: streamedCompletion(['Hel', 'lo'], usage) }
      : { body: completion('Hello', usage) };
  });
  const shared = 'provider: up, quality: 50, contextTokens: 8192';
  app = await startApp({
    databaseUrl: database().url,
    variables: { UP: 'sk-upstream' },
    settings: `
providers: [{ id: up, kind: openai-compatible, baseUrl: "${upstream.url}/v1", apiKeyEnv: UP }]
models:
  - { id: my-chat, upstreamModel: chat, ${shared}, price: { inputPerMillionUsd: "1", outputPerMillionUsd: "2" } }
  - { id: my-vectors, upstreamModel: vectors, ${shared}, embedding: { dimensions: 8, dimensionsMin: 2 }, price: { inputPerMillionUsd: "1" } }
  - { id: my-down, upstreamModel: down, ${shared}, embedding: { dimensions: 8 }, price: { inputPerMillionUsd: "1" } }
  - { id: my-ranks, upstreamModel: ranks, ${shared}, rerank: { api: jina }, price: { inputPerMillionUsd: "1" } }
tracing: { endpoint: "${collector.url}/v1/traces" }
metrics: { endpoint: "${collector.url}/v1/metrics", intervalSeconds: 3600 }`,
  });
  customer = await onboard(app);
  const chat = { model: 'my-chat', messages: [{ role: 'user', content: 'Hi' }] };
  const messages = { ...chat, max_tokens: 10 };
  const session = { 'x-claude-code-session-id': 'session-1' };
  const baggage = { baggage: 'user=ana, gen_ai.conversation.id=conv%201;p=1' };
  const chatPath = '/api/v1/assistant/chat';
  const statuses = [
    await ask('vectors', '/api/v1/embeddings', { model: 'my-vectors', inputs: ['one', 'two'], dimensions: 4 }),
    await ask('down', '/api/v1/embeddings', { model: 'my-down', inputs: ['one'] }),
    await ask('ranking', '/api/v1/rerank', { model: 'my-ranks', ...ranking }),
    await ask('alone', chatPath, chat),
    await ask('baggage', chatPath, chat, { ...baggage, ...session }),
    await ask('streamed', chatPath, chat, { ...baggage, accept: 'text/event-stream' }),
    await ask('session', '/v1/messages', messages, session),
    await ask('odd', chatPath, chat, { baggage: `gen_ai.conversation.id=%E0%A4%A,=,;;,gen_ai.conversation.id` }),
    await ask('long', chatPath, chat, { baggage: `gen_ai.conversation.id=${'x'.repeat(5_000)}` }),
  ].map(({ status }) => status);
  expect(statuses).toEqual([200, 502, 200, 200, 200, 200, 200, 200, 200]);
  await app.close();
});
afterAll(async () => {
  collector.close();
  await upstream.close();
});

function modelCall(name: string) {
  const spans = collector.spans().filter(({ traceId }) => traceId === traces.get(name));
  const calls = spans.filter(({ attributes }) => 'gen_ai.operation.name' in attributes);
  expect(calls).toHaveLength(1);
  return calls[0];
}

const target = (operation: string, model: string) => ({
  'gen_ai.operation.name': operation,
  'gen_ai.provider.name': 'up',
  'gen_ai.request.model': model,
  'intelligence.model': `up/my-${model}`,
  'server.address': '127.0.0.1',
  'server.port': Number(new URL(upstream.url).port),
});

test('vectors are a span with their length, what they took and what it cost', () => {
  const tokens = tokensOf('one') + tokensOf('two');
  const span = modelCall('vectors');
  expect(span).toMatchObject({ name: 'embeddings vectors', kind: 3, status: 0 });
  expect(span?.attributes).toEqual({
    ...target('embeddings', 'vectors'),
    'gen_ai.embeddings.dimension.count': 4,
    'gen_ai.usage.input_tokens': tokens,
    'intelligence.outcome': 'ok',
    'intelligence.cost_usd': `0.00000${tokens}`,
  });
});

test('so is a call for vectors that failed, with the reason', () => {
  const span = modelCall('down');
  expect(span).toMatchObject({ status: 2 });
  expect(span?.attributes).toEqual({
    ...target('embeddings', 'down'),
    'gen_ai.embeddings.dimension.count': 8,
    'error.type': 'server_error',
    'intelligence.outcome': 'server_error',
  });
});

test('a ranking is a span', () => {
  const tokens = billedTokens(ranking);
  const span = modelCall('ranking');
  expect(span).toMatchObject({ name: 'rerank ranks', kind: 3, status: 0 });
  expect(span?.attributes).toEqual({
    ...target('rerank', 'ranks'),
    'gen_ai.usage.input_tokens': tokens,
    'intelligence.outcome': 'ok',
    'intelligence.cost_usd': `0.0000${tokens}`,
  });
});

test('both are measured', () => {
  const of = (name: string) => collector.metrics().get(name) ?? [];
  for (const [operation, model] of [
    ['embeddings', 'vectors'],
    ['rerank', 'ranks'],
  ]) {
    const about = { 'gen_ai.operation.name': operation, 'gen_ai.request.model': model };
    const matching = (name: string) =>
      of(name).filter(({ attributes }) =>
        Object.entries(about).every(([key, value]) => attributes[key as keyof typeof attributes] === value),
      );
    expect(matching('gen_ai.client.operation.duration')).toMatchObject([{ count: 1 }]);
    expect(matching('gen_ai.client.token.usage')).toMatchObject([
      { count: 1, attributes: { 'gen_ai.token.type': 'input' } },
    ]);
  }
});

test('a conversation is told where the caller names it: in its baggage, or as Claude Code does', () => {
  const named = (name: string) => modelCall(name)?.attributes['gen_ai.conversation.id'];
  expect(named('baggage')).toBe('conv 1');
  expect(named('streamed')).toBe('conv 1');
  expect(named('session')).toBe('session-1');
  expect(named('alone')).toBeUndefined();
  expect(named('odd')).toBeUndefined();
  expect(named('long')).toBe('x'.repeat(256));
  for (const points of collector.metrics().values())
    for (const { attributes } of points) expect(attributes).not.toHaveProperty(['gen_ai.conversation.id']);
});
