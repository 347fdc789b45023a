import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type Customer, onboard, send, startApp, type TestApp } from '../support/app.ts';
import { type CollectedPoint, type CollectedSpan, type Collector, startCollector } from '../support/collector.ts';
import { firstServer, useDatabase } from '../support/database.ts';
import {
  completion,
  type SeenRequest,
  startUpstream,
  streamedCompletion,
  type Upstream,
  type UpstreamReply,
} from '../support/upstream.ts';

// What a collector receives about model calls: by OpenTelemetry's conventions, over a real connection.

const chatPath = '/api/v1/assistant/chat';
const secret = 'a-word-that-is-nobody-elses';
const usage = {
  prompt_tokens: 10,
  completion_tokens: 5,
  total_tokens: 15,
  prompt_tokens_details: { cached_tokens: 4 },
  completion_tokens_details: { reasoning_tokens: 2 },
};
const toolCall = {
  id: 'call_1',
  type: 'function',
  function: { name: 'weather', arguments: `{"city":"${secret}"}` },
};

function answerOf({ body }: SeenRequest): UpstreamReply {
  const { model, stream } = body;
  if (model === 'down') return { status: 500, body: { error: { message: secret } } };
  if (model === 'endless') return { pieces: streamedCompletion(['one ', 'two ']).slice(0, 3), ending: 'silence' };
  if (stream) return { pieces: streamedCompletion([secret, ' and more'], usage) };
  if (model !== 'tools') return { body: completion(`${secret}, said the model`, usage) };
  const message = { role: 'assistant', content: null, tool_calls: [toolCall] };
  return { body: { ...completion('', usage), choices: [{ index: 0, message, finish_reason: 'tool_calls' }] } };
}

const settingsOf = (upstreamUrl: string, telemetry: string) => `
providers: [{ id: up, kind: openai-compatible, baseUrl: "${upstreamUrl}/v1" }]
models:
${['up', 'down', 'tools', 'endless']
  .map(
    (id) =>
      `  - { id: my-${id}, provider: up, upstreamModel: ${id}, quality: ${id === 'down' ? 90 : 50}, contextTokens: 100000, capabilities: [tools, json], price: { inputPerMillionUsd: "1", cachedInputPerMillionUsd: "0.5", outputPerMillionUsd: "2" } }`,
  )
  .join('\n')}
${telemetry}`;

interface Traced {
  answer: Answer;
  traceId: string;
}

/** A chat with its own trace. */
async function ask(
  { app, customer }: { app: TestApp; customer: Customer },
  body: object,
  { path = chatPath, ...headers }: Record<string, string> = {},
): Promise<Traced> {
  const traceId = randomBytes(16).toString('hex');
  const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
  const messages = path === chatPath ? { messages: [{ role: 'user', content: `Tell me ${secret}` }] } : {};
  const answer = await send(app, 'POST', path, customer.apiKey, { ...messages, ...body }, { traceparent, ...headers });
  return { answer, traceId };
}

/** Requests a stream, reads its first content and leaves. */
async function leaveEarly({ app, customer }: { app: TestApp; customer: Customer }): Promise<string> {
  const traceId = randomBytes(16).toString('hex');
  const leaving = new AbortController();
  const response = await fetch(`${app.url}${chatPath}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${customer.apiKey}`,
      'content-type': 'application/json',
      accept: 'text/event-stream',
      traceparent: `00-${traceId}-b7ad6b7169203331-01`,
    },
    body: JSON.stringify({ model: 'my-endless', messages: [{ role: 'user', content: secret }] }),
    signal: leaving.signal,
  });
  await response.body?.getReader().read();
  leaving.abort();
  return traceId;
}

describe('a service with a collector', () => {
  const database = useDatabase(firstServer());
  let collector: Collector;
  let upstream: Upstream;
  let chat: Traced;
  let stream: Traced;
  let fallback: Traced;
  let failure: Traced;
  let tools: Traced;
  let workflow: Traced;
  let left: string;
  let workflowCalls: number;
  let exposed: string;

  beforeAll(async () => {
    collector = await startCollector();
    upstream = await startUpstream();
    upstream.answer(answerOf);
    const telemetry = `
tracing: { endpoint: "${collector.url}/v1/traces" }
metrics: { endpoint: "${collector.url}/v1/metrics", intervalSeconds: 3600 }`;
    const app = await startApp({ databaseUrl: database().url, settings: settingsOf(upstream.url, telemetry) });
    const customer = await onboard(app, '100.00');
    const at = { app, customer };
    chat = await ask(at, {
      model: 'my-up',
      temperature: 0.5,
      topP: 0.9,
      seed: 7,
      maxOutputTokens: 100,
      stop: [secret],
    });
    stream = await ask(at, { model: 'my-up' }, { accept: 'text/event-stream' });
    const routing = { mode: 'quality', allow: ['up/my-down', 'up/my-up'] };
    fallback = await ask(at, { routing });
    failure = await ask(at, { model: 'my-down' });
    tools = await ask(at, { model: 'my-tools', tools: [{ name: 'weather', description: secret }] });
    const before = upstream.seen.length;
    workflow = await ask(at, { text: `Guaranteed returns, ${secret}!`, domain: 'finance' }, { path: '/v1/risk/check' });
    workflowCalls = upstream.seen.length - before;
    left = await leaveEarly(at);
    await upstream.seen.at(-1)?.aborted;
    exposed = (await send(app, 'GET', '/metrics', app.operatorToken)).text;
    await app.close();
  });
  afterAll(async () => {
    collector.close();
    await upstream.close();
  });

  /** The model calls in a trace, each a child of the single API call. */
  function modelCalls(traceId: string): CollectedSpan[] {
    const spans = collector.spans().filter((span) => span.traceId === traceId);
    const [call, ...others] = spans.filter(({ parentSpanId }) => parentSpanId === 'b7ad6b7169203331');
    expect(others).toEqual([]);
    const calls = spans.filter(({ attributes }) => 'gen_ai.operation.name' in attributes);
    for (const { parentSpanId } of calls) expect(parentSpanId).toBe(call?.spanId);
    return calls;
  }

  const target = (model: string) => ({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'up',
    'gen_ai.request.model': model,
    'intelligence.model': `up/my-${model}`,
    'server.address': '127.0.0.1',
    'server.port': Number(new URL(upstream.url).port),
  });
  const counts = {
    'gen_ai.usage.input_tokens': 10,
    'gen_ai.usage.cache_read.input_tokens': 4,
    'gen_ai.usage.output_tokens': 5,
    'gen_ai.usage.reasoning.output_tokens': 2,
  };
  const response = { 'gen_ai.response.id': 'chatcmpl-1', 'gen_ai.response.model': 'upstream-model' };

  test('a whole reply is a span with what was asked, what answered, its tokens and its cost', () => {
    expect(chat.answer.status).toBe(200);
    const [span, ...others] = modelCalls(chat.traceId);
    expect(others).toEqual([]);
    expect(span).toMatchObject({ name: 'chat up', kind: 3, status: 0 });
    expect(span?.attributes).toEqual({
      ...target('up'),
      ...counts,
      ...response,
      'gen_ai.request.temperature': 0.5,
      'gen_ai.request.top_p': 0.9,
      'gen_ai.request.seed': 7,
      'gen_ai.request.max_tokens': 100,
      'gen_ai.response.finish_reasons': ['stop'],
      'intelligence.outcome': 'ok',
      // 6 tokens at 1 USD a million, 4 at 0.50, 5 at 2.
      'intelligence.cost_usd': '0.000018',
    });
    expect(chat.answer.body.usage.costUsd).toBe('0.000018');
  });

  test('a streamed reply also says when its first content came', () => {
    expect(stream.answer.status).toBe(200);
    const [span] = modelCalls(stream.traceId);
    const { 'gen_ai.response.time_to_first_chunk': first, ...attributes } = span?.attributes ?? {};
    expect(first).toBeGreaterThan(0);
    expect(attributes).toEqual({
      ...target('up'),
      ...counts,
      ...response,
      'gen_ai.request.stream': true,
      'gen_ai.request.max_tokens': expect.any(Number),
      'gen_ai.response.finish_reasons': ['stop'],
      'intelligence.outcome': 'ok',
      'intelligence.cost_usd': '0.000018',
    });
  });

  test('each attempt is a span: the one that failed says why, and costs nothing', () => {
    expect(fallback.answer.body.routing.attempts).toHaveLength(2);
    const [first, second, ...others] = modelCalls(fallback.traceId);
    expect(others).toEqual([]);
    expect(first).toMatchObject({ name: 'chat down', status: 2 });
    expect(first?.attributes).toEqual({
      ...target('down'),
      'gen_ai.request.max_tokens': expect.any(Number),
      'error.type': 'server_error',
      'intelligence.outcome': 'server_error',
    });
    expect(second).toMatchObject({ name: 'chat up', status: 0 });
    expect(second?.attributes['intelligence.cost_usd']).toBe('0.000018');
  });

  test('a request whose every attempt fails is an error of the attempt and of the call', () => {
    expect(failure.answer.status).toBe(502);
    const [span] = modelCalls(failure.traceId);
    expect(span?.attributes).toMatchObject({ 'error.type': 'server_error' });
    const call = collector.spans().find(({ spanId }) => spanId === span?.parentSpanId);
    expect(call?.status).toBe(2);
  });

  test('a reply that asks for tools says how many, and not which', () => {
    expect(tools.answer.body.finishReason).toBe('tool_calls');
    const [span] = modelCalls(tools.traceId);
    expect(span?.attributes).toMatchObject({
      'gen_ai.response.finish_reasons': ['tool_calls'],
      'intelligence.tool_calls': 1,
    });
  });

  test('a caller who leaves ends the span, with what is charged for what came', () => {
    const [span, ...others] = modelCalls(left);
    expect(others).toEqual([]);
    expect(span?.attributes).toMatchObject({
      'error.type': 'cancelled',
      'intelligence.usage.estimated': true,
      'intelligence.cost_usd': expect.stringMatching(/^0\.0000\d+$/),
      'gen_ai.response.time_to_first_chunk': expect.any(Number),
    });
  });

  test('the model that helps a workflow is a span of the workflow’s call', () => {
    expect(workflow.answer.status).toBe(200);
    expect(workflowCalls).toBeGreaterThan(0);
    const calls = modelCalls(workflow.traceId);
    expect(calls).toHaveLength(workflowCalls);
    for (const { attributes } of calls) expect(attributes).toMatchObject({ 'gen_ai.output.type': 'json' });
  });

  test('nobody’s words are sent', () => {
    for (const path of ['/v1/traces', '/v1/metrics'] as const) {
      const sent = collector.received(path).join('');
      expect(sent).not.toBe('');
      expect(sent).not.toContain(secret);
      expect(sent).not.toContain('weather');
    }
  });

  const pointOf = (name: string, attributes: object): CollectedPoint | undefined =>
    (collector.metrics().get(name) ?? []).find((point) =>
      Object.entries(attributes).every(([key, value]) => point.attributes[key] === value),
    );
  const of = (model: string) => ({ 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': model });

  test('metrics have the conventions’ names, buckets and attributes', () => {
    // Whole, streamed, after a fallback, and those of the workflow for which this model was chosen.
    const helped = modelCalls(workflow.traceId).filter(({ name }) => name === 'chat up').length;
    const duration = pointOf('gen_ai.client.operation.duration', of('up'));
    expect(duration?.attributes).toEqual({
      ...target('up'),
      'intelligence.model': undefined,
      'gen_ai.response.model': 'upstream-model',
    });
    expect(duration).toMatchObject({ count: 3 + helped });
    expect(duration?.bounds?.at(-1)).toBe(81.92);
    const input = pointOf('gen_ai.client.token.usage', { ...of('up'), 'gen_ai.token.type': 'input' });
    expect(input).toMatchObject({ count: 3 + helped, sum: 10 * (3 + helped) });
    expect(input?.bounds?.slice(0, 3)).toEqual([1, 4, 16]);
    const output = pointOf('gen_ai.client.token.usage', { ...of('up'), 'gen_ai.token.type': 'output' });
    expect(output).toMatchObject({ count: 3 + helped, sum: 5 * (3 + helped) });
    const failed = { ...of('down'), 'error.type': 'server_error' };
    expect(pointOf('gen_ai.client.operation.duration', failed)?.count).toBeGreaterThanOrEqual(2);
    expect(pointOf('gen_ai.client.token.usage', of('down'))).toBeUndefined();
    for (const name of [
      'gen_ai.client.operation.time_to_first_chunk',
      'gen_ai.server.time_to_first_token',
      'gen_ai.server.time_per_output_token',
    ])
      expect(collector.metrics().get(name), name).toMatchObject([{ count: 1, attributes: of('up') }]);
  });

  test('metrics have what Prometheus sees, once', () => {
    const names = new Set([...exposed.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name));
    const doubled = [...names].filter((name) => name?.startsWith('gen_ai_'));
    expect(doubled).toHaveLength(3);
    const sent = collector.metrics();
    for (const name of names) expect(sent.has(String(name)), name).toBe(!doubled.includes(name));
    const calls = { rpc_method: 'intelligence.chat.v1.ChatService/Chat', rpc_system: 'rest', outcome: 'ok' };
    const point = pointOf('rpc_server_duration_seconds', calls);
    const line = exposed.split('\n').find((one) => /^rpc_server_duration_seconds_count\{.*\/Chat",.*"ok"/.test(one));
    expect(point?.count).toBe(Number(line?.split(' ').at(-1)));
    expect(point?.buckets?.reduce((sum, bucket) => sum + Number(bucket), 0)).toBe(point?.count);
    expect(point?.buckets).toHaveLength((point?.bounds?.length ?? 0) + 1);
    expect(pointOf('ledger_up', {})).toMatchObject({ value: 1 });
  });
});

test('words are sent when that is switched on, and no more of them than allowed', async () => {
  const collector = await startCollector();
  const upstream = await startUpstream();
  upstream.answer(answerOf);
  const telemetry = `tracing: { endpoint: "${collector.url}/v1/traces", content: true, contentBytesMax: 600 }`;
  const app = await startApp({ databaseUrl: content().url, settings: settingsOf(upstream.url, telemetry) });
  try {
    const at = { app, customer: await onboard(app, '100.00') };
    const whole = await ask(at, { model: 'my-tools', tools: [{ name: 'weather', description: 'tells it' }] });
    const stream = await ask(at, { model: 'my-up' }, { accept: 'text/event-stream' });
    const long = 'ä"'.repeat(5_000);
    const messages = [
      { role: 'system', content: 'the oldest' },
      { role: 'user', content: long },
      { role: 'user', content: 'the newest' },
    ];
    const cut = await ask(at, { model: 'my-up', messages });
    await app.close();

    const spanOf = ({ traceId }: Traced) =>
      collector.spans().find((span) => span.traceId === traceId && span.name.startsWith('chat '))?.attributes ?? {};
    const read = (text: unknown) => JSON.parse(String(text));
    const asked = [{ role: 'user', parts: [{ type: 'text', content: `Tell me ${secret}` }] }];
    expect(read(spanOf(whole)['gen_ai.input.messages'])).toEqual(asked);
    const { name, arguments: args } = toolCall.function;
    expect(read(spanOf(whole)['gen_ai.output.messages'])).toEqual([
      {
        role: 'assistant',
        parts: [{ type: 'tool_call', id: 'call_1', name, arguments: args }],
        finish_reason: 'tool_calls',
      },
    ]);
    expect(read(spanOf(whole)['gen_ai.tool.definitions'])).toMatchObject([{ type: 'function', name: 'weather' }]);
    expect(spanOf(whole)).not.toHaveProperty('intelligence.content_truncated');
    expect(read(spanOf(stream)['gen_ai.output.messages'])).toEqual([
      { role: 'assistant', parts: [{ type: 'text', content: `${secret} and more` }], finish_reason: 'stop' },
    ]);
    const bounded = spanOf(cut);
    const kept = read(bounded['gen_ai.input.messages']);
    expect(Buffer.byteLength(String(bounded['gen_ai.input.messages']))).toBeLessThanOrEqual(600);
    expect(kept.map(({ parts: [part] }: { parts: { content: string }[] }) => part?.content)).toEqual([
      expect.stringMatching(/^(ä"){50,}ä?$/),
      'the newest',
    ]);
    expect(bounded['intelligence.content_truncated']).toBe(true);
  } finally {
    await app.close();
    collector.close();
    await upstream.close();
  }
});
const content = useDatabase(firstServer());

describe('a collector that is not there, or takes nothing', () => {
  const database = useDatabase(firstServer());
  test('calls are answered, the log says it once, and the service stops', async () => {
    const collector = await startCollector();
    collector.close();
    const telemetry = `
tracing: { endpoint: "${collector.url}/v1/traces?key=${secret}" }
metrics: { endpoint: "${collector.url}/v1/metrics", intervalSeconds: 1 }`;
    const app = await startApp({ databaseUrl: database().url, settings: telemetry });
    const customer = await onboard(app);
    expect((await ask({ app, customer }, {})).answer.status).toBe(200);
    const warnings = (what: string) =>
      app
        .logged()
        .split('\n')
        .filter((line) => line.includes('does not take telemetry') && line.includes(`"what":"${what}"`));
    await expect.poll(() => warnings('metrics'), { timeout: 60_000 }).toHaveLength(1);
    expect((await ask({ app, customer }, {})).answer.status).toBe(200);
    await app.close();
    for (const what of ['traces', 'metrics']) expect(warnings(what)).toHaveLength(1);
    expect(app.logged()).not.toContain(secret);
    expect(app.logged()).not.toContain('closing failed');
  });
});

describe('without settings for it', () => {
  const database = useDatabase(firstServer());
  test('nothing is made of calls, nor sent', async () => {
    const app = await startApp({ databaseUrl: database().url });
    const customer = await onboard(app);
    expect((await ask({ app, customer }, {})).answer.status).toBe(200);
    expect(app.rooms).toMatchObject({ tracing: undefined, otlpMetrics: undefined, watchCall: undefined });
    await app.close();
  });
});
