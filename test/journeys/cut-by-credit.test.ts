import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chatInvariants } from '../../src/chat/index.ts';
import { countPiece, piecesOf } from '../../src/sandbox/index.ts';
import { auditLedger } from '../../src/wallet/index.ts';
import { type Customer, onboard, send, startApp, type TestApp } from '../support/app.ts';
import { eachServer, useDatabase } from '../support/database.ts';
import {
  completion,
  type SeenRequest,
  startUpstream,
  streamedCompletion,
  type Upstream,
  type UpstreamReply,
} from '../support/upstream.ts';

const messages = [{ role: 'user', content: 'Hi' }];
/** Far more than is paid for, and than the upstream was asked for. */
const words = Array.from({ length: 900 }, () => ' word');
const capUsd = '0.0003';

interface Api {
  path: string;
  body: object;
  /** How it reports that a reply was cut. */
  says: string;
  textOf(reply: Record<string, unknown>): string;
  deltaOf(event: Record<string, unknown>): string;
}

interface Said {
  content?: string;
  text?: string;
}

const apis: Record<string, Api> = {
  'the service’s own': {
    path: '/api/v1/assistant/chat',
    body: { model: 'm', messages },
    says: '"finishReason":"credit"',
    textOf: ({ message }) => (message as Said).content ?? '',
    deltaOf: (event) => (event as Said).content ?? '',
  },
  'chat completions': {
    path: '/v1/chat/completions',
    body: { model: 'm', messages, stream_options: { include_usage: true } },
    says: '"finish_reason":"length"',
    textOf: ({ choices }) => (choices as { message: Said }[])[0]?.message.content ?? '',
    deltaOf: ({ choices }) => (choices as { delta: Said }[] | undefined)?.[0]?.delta.content ?? '',
  },
  responses: {
    path: '/v1/responses',
    body: { model: 'm', input: 'Hi', store: false },
    says: '"incomplete_details":{"reason":"max_output_tokens"}',
    textOf: ({ output }) => (output as { content: Said[] }[])[0]?.content[0]?.text ?? '',
    deltaOf: ({ type, delta }) => (type === 'response.output_text.delta' ? String(delta) : ''),
  },
  messages: {
    path: '/v1/messages',
    body: { model: 'm', max_tokens: 4_096, messages },
    says: '"stop_reason":"max_tokens"',
    textOf: ({ content }) => (content as Said[])[0]?.text ?? '',
    deltaOf: ({ delta }) => (delta as Said | undefined)?.text ?? '',
  },
};

const answer = ({ body }: SeenRequest): UpstreamReply =>
  body.stream === true
    ? { pieces: streamedCompletion(words) }
    : { body: completion(words.join(''), { prompt_tokens: 10, completion_tokens: 900 }) };

eachServer((server) => {
  const database = useDatabase(server);
  let upstream: Upstream;
  let app: TestApp;
  let customer: Customer;
  beforeAll(async () => {
    upstream = await startUpstream();
    upstream.answer(answer);
    app = await startApp({
      databaseUrl: database().url,
      settings: `
providers: [{ id: up, kind: openai-compatible, baseUrl: "${upstream.url}/v1" }]
models: [{ id: m, provider: up, quality: 50, contextTokens: 100000, price: { inputPerMillionUsd: "1", outputPerMillionUsd: "2" } }]`,
    });
    customer = await onboard(app);
  });
  afterAll(async () => {
    expect(await auditLedger(app.rooms.db, { more: chatInvariants })).toEqual([]);
    await app.close();
    await upstream.close();
  });

  describe.each(Object.entries(apis))('a reply of %s that the credit cuts', (_, api) => {
    test.each([false, true])('says so in its words, and costs what left (streamed: %s)', async (stream) => {
      const asked = { displayName: 'small', purpose: 'a test', spendingCapUsd: capUsd };
      const key = (await send(app, 'POST', '/v1/keys', customer.managementKey, asked)).body;
      const headers = stream ? { accept: 'text/event-stream' } : undefined;
      const isOwn = api.path.startsWith('/api');
      const body = stream && !isOwn ? { ...api.body, stream } : withoutStreaming(api.body);
      const answer = await send(app, 'POST', api.path, key.secret, body, headers);
      expect([answer.status, answer.text.replaceAll(': ', ':')]).toEqual([200, expect.stringContaining(api.says)]);
      const text = stream ? eventsIn(answer.text).map(api.deltaOf).join('') : api.textOf(answer.body);
      expect(words.join('').startsWith(text)).toBe(true);

      const { charges } = (await send(app, 'GET', `/v1/charges?keyId=${key.key.keyId}`, customer.managementKey)).body;
      expect(charges).toHaveLength(1);
      const [charge] = charges;
      const outputTokens = [...piecesOf(text)].reduce((sum, piece) => sum + countPiece(piece), 0);
      expect(outputTokens).toBeGreaterThan(50);
      expect([charge.state, Number(charge.outputTokens ?? charge.usage?.outputTokens)]).toEqual([
        'settled',
        outputTokens,
      ]);
      expect(nano(charge.chargedUsd)).toBeLessThanOrEqual(nano(capUsd));
      const cost = 1_000n * BigInt(charge.inputTokens ?? charge.usage?.inputTokens) + 2_000n * BigInt(outputTokens);
      // The last of the credit may pay for a part of the last token.
      expect(nano(charge.chargedUsd)).toBe(cost < nano(capUsd) ? cost : nano(capUsd));
    });
  });

  test('a stream stops with what it holds when the cap of its key is lowered', async () => {
    const asked = { displayName: 'lowered', purpose: 'a test', spendingCapUsd: '1.00' };
    const { key, secret } = (await send(app, 'POST', '/v1/keys', customer.managementKey, asked)).body;
    const lowered = Promise.withResolvers<void>();
    const seen = upstream.seen.length;
    const pieces = streamedCompletion(Array.from({ length: 3_500 }, () => ' word'));
    upstream.answer(() => ({ pieces, gate: { before: 100, open: lowered.promise } }));
    const headers = { accept: 'text/event-stream' };
    const stream = send(app, 'POST', '/api/v1/assistant/chat', secret, { model: 'm', messages }, headers);
    await expect.poll(() => upstream.seen.length).toBe(seen + 1);
    const path = `/v1/keys/${key.keyId}`;
    expect((await send(app, 'PATCH', path, customer.managementKey, { spendingCapUsd: capUsd })).status).toBe(200);
    lowered.resolve();
    expect((await stream).text.replaceAll(': ', ':')).toContain('"finishReason":"credit"');
    upstream.answer(answer);
    const { charges } = (await send(app, 'GET', `/v1/charges?keyId=${key.keyId}`, customer.managementKey)).body;
    expect(charges).toMatchObject([{ state: 'settled', finishReason: 'credit' }]);
    // Its first hold: for 1,024 tokens after its input.
    expect(Number(charges[0].outputTokens)).toBeGreaterThan(1_000);
    expect(Number(charges[0].outputTokens)).toBeLessThan(1_100);
    const { spentUsd } = (await send(app, 'GET', path, customer.managementKey)).body.key;
    expect(spentUsd).toBe(charges[0].chargedUsd);
  });
});

function withoutStreaming(body: object): object {
  const { stream_options: _, ...rest } = body as { stream_options?: object };
  return rest;
}

function eventsIn(text: string): Record<string, unknown>[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)) as Record<string, unknown>);
}

function nano(usd: string): bigint {
  const [whole = '0', part = ''] = usd.split('.');
  return BigInt(whole) * 1_000_000_000n + BigInt(part.padEnd(9, '0'));
}
