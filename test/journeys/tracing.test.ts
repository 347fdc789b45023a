import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { onboard, send, startApp } from '../support/app.ts';
import { firstServer, useDatabase } from '../support/database.ts';

interface Span {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
}

const database = useDatabase(firstServer());
const received: string[] = [];
const collector = createServer(async (request, response) => {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  received.push(text);
  response.end('{}');
});
beforeAll(async () => {
  collector.listen(0, '127.0.0.1');
  await once(collector, 'listening');
});
afterAll(() => collector.close());

test('a call is one trace, child of its caller’s, down to the ledger and the model, without anybody’s words', async () => {
  const { port } = collector.address() as AddressInfo;
  const app = await startApp({
    databaseUrl: database().url,
    settings: `tracing: { endpoint: "http://127.0.0.1:${port}/v1/traces" }`,
  });
  const customer = await onboard(app);
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const ask = (headers: Record<string, string>) =>
    send(
      app,
      'POST',
      '/api/v1/assistant/chat',
      customer.apiKey,
      { messages: [{ role: 'user', content: 'a secret word' }] },
      {
        traceparent: `00-${traceId}-b7ad6b7169203331-01`,
        ...headers,
      },
    );
  expect((await ask({})).status).toBe(200);
  expect((await ask({ accept: 'text/event-stream' })).status).toBe(200);
  await app.close();

  const all = received.join('');
  for (const secret of ['a secret word', customer.apiKey]) expect(all).not.toContain(secret);
  const spans = received
    .flatMap((text) => JSON.parse(text).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans: own }) => own as Span[])
    .filter((span) => span.traceId === traceId);
  const calls = spans.filter(({ name }) => name.startsWith('intelligence.chat.v1.ChatService/'));
  expect(calls.map(({ name }) => name.split('/')[1]).sort()).toEqual(['Chat', 'StreamChat']);
  for (const call of calls) {
    expect(call.parentSpanId).toBe('b7ad6b7169203331');
    const parts = spans.filter(({ parentSpanId }) => parentSpanId === call.spanId).map(({ name }) => name);
    expect(parts.sort()).toEqual(['chat extractive', 'ledger.hold', 'ledger.settle']);
  }
});
