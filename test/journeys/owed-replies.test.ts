import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ChatService } from '../../src/gen/intelligence/chat/v1/chat_service_pb.ts';
import { auditLedger } from '../../src/wallet/index.ts';
import { type Customer, onboard, send, startApp, type TestApp } from '../support/app.ts';
import { eachServer, useDatabase } from '../support/database.ts';
import { grpcClient } from '../support/grpc.ts';
import { completion, startUpstream, streamedCompletion, type Upstream } from '../support/upstream.ts';

/** The provider counts more of this than we do, and a token of it costs a cent: more than there is credit for. */
const content = 'word '.repeat(200);
const messages = [{ role: 'user', content }];
const usage = { prompt_tokens: 900, completion_tokens: 2 };
const costUsd = '9.02';

/** Returns every place in which the reply states its cost. */
type Ask = (app: TestApp, key: string, idempotencyKey: string) => Promise<(string | null | undefined)[]>;

const asks: Record<string, Ask> = {
  'the service’s own chat': async (app, key, id) => {
    const answer = await send(app, 'POST', '/api/v1/assistant/chat', key, { model: 'm', messages }, named(id));
    return [answer.headers.get('x-charge-usd'), answer.body.usage?.costUsd];
  },
  'its stream': async (app, key, id) => {
    const headers = { ...named(id), accept: 'text/event-stream' };
    const body = { model: 'm', messages };
    const { text } = await send(app, 'POST', '/api/v1/assistant/chat', key, body, headers);
    return [/"costUsd": ?"([^"]*)"/.exec(text)?.[1] ?? text];
  },
  'chat completions': async (app, key, id) => {
    const answer = await send(app, 'POST', '/v1/chat/completions', key, { model: 'm', messages }, named(id));
    return [answer.headers.get('x-charge-usd')];
  },
  responses: async (app, key, id) => {
    const body = { model: 'm', input: content, store: false };
    const answer = await send(app, 'POST', '/v1/responses', key, body, named(id));
    return [answer.headers.get('x-charge-usd')];
  },
  messages: async (app, key, id) => {
    const body = { model: 'm', max_tokens: 4_096, messages };
    const answer = await send(app, 'POST', '/v1/messages', key, body, named(id));
    return [answer.headers.get('x-charge-usd')];
  },
  gRPC: async (app, key, id) => {
    const client = grpcClient(app.url);
    const request = { model: 'm', messages: [{ role: 'user', content }] };
    const reply = await client.unary(ChatService.method.chat, request, {
      authorization: `Bearer ${key}`,
      ...named(id),
    });
    client.close();
    return [reply.headers.get('x-charge-usd')[0]?.toString(), reply.message?.usage?.costUsd];
  },
};

eachServer((server) => {
  const database = useDatabase(server);
  let upstream: Upstream;
  let app: TestApp;
  beforeAll(async () => {
    upstream = await startUpstream();
    upstream.answer(({ body }) =>
      body.stream === true ? { pieces: streamedCompletion(['Yes.'], usage) } : { body: completion('Yes.', usage) },
    );
    app = await startApp({
      databaseUrl: database().url,
      settings: `
providers: [{ id: up, kind: openai-compatible, baseUrl: "${upstream.url}/v1" }]
models: [{ id: m, provider: up, quality: 50, contextTokens: 100000, price: { inputPerMillionUsd: "10000", outputPerMillionUsd: "10000" } }]`,
    });
  });
  afterAll(async () => {
    expect(await auditLedger(app.rooms.db)).toEqual([]);
    await app.close();
    await upstream.close();
  });

  describe.each(Object.entries(asks))('a reply of %s that is owed in part', (_, ask) => {
    test('states what it costs, charged and owed together, at first and when it is repeated', async () => {
      const customer: Customer = await onboard(app);
      const asked = upstream.seen.length;
      const first = await ask(app, customer.apiKey, 'k');
      const [charge] = (await send(app, 'GET', '/v1/charges', customer.managementKey)).body.charges;
      expect(charge).toMatchObject({ chargedUsd: '5.00', owedUsd: '4.02' });
      expect(new Set(first)).toEqual(new Set([costUsd]));
      expect(await ask(app, customer.apiKey, 'k')).toEqual(first);
      // Also once the debt is repaid.
      await send(app, 'POST', '/v1/wallet/top-ups', customer.managementKey, { amountUsd: '6.00' });
      expect(await ask(app, customer.apiKey, 'k')).toEqual(first);
      expect(upstream.seen.length).toBe(asked + 1);
      const { wallet } = (await send(app, 'GET', '/v1/wallet', customer.managementKey)).body;
      expect(wallet).toMatchObject({ balanceUsd: '1.98', owedUsd: '0.00' });
    });
  });
});

function named(id: string): { 'idempotency-key': string } {
  return { 'idempotency-key': id };
}
