import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Customer, onboard, send, startApp, type TestApp } from '../support/app.ts';
import { firstServer, useDatabase } from '../support/database.ts';
import { completion, startUpstream, type Upstream } from '../support/upstream.ts';

const database = useDatabase(firstServer());
let app: TestApp;
let upstream: Upstream;
let customer: Customer;
beforeAll(async () => {
  upstream = await startUpstream();
  app = await startApp({
    databaseUrl: database().url,
    settings: `
providers: [{ id: up, kind: openai-compatible, baseUrl: "${upstream.url}/v1" }]
models: [{ id: m, provider: up, quality: 50, contextTokens: 100000, price: { inputPerMillionUsd: "1", outputPerMillionUsd: "2" } }]`,
  });
  customer = await onboard(app);
});
afterAll(async () => {
  await app.close();
  await upstream.close();
});

test('a request over JSON that asks for retries gets through a fault, pays once, and sees each try', async () => {
  let turn = 0;
  upstream.answer(() => (turn++ === 0 ? { status: 503, body: 'no' } : { body: completion('Here.') }));
  const body = { messages: [{ role: 'user', content: 'Hi' }], model: 'm' };
  const ask = (routing: object) => send(app, 'POST', '/api/v1/assistant/chat', customer.apiKey, { ...body, routing });
  expect(await ask({ maxRetries: 1 })).toMatchObject({
    status: 200,
    body: {
      message: { content: 'Here.' },
      usage: { costUsd: '0.00002' },
      balanceUsd: '4.99998',
      routing: { attempts: [{ outcome: 'server_error' }, { outcome: 'ok' }] },
    },
  });
  expect((await ask({ maxRetries: 4 })).status).toBe(400);
  turn = 0;
  expect((await ask({})).status).toBe(502);
});
