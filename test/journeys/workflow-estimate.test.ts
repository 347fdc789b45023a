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
models: [{ id: m, provider: up, quality: 50, contextTokens: 100000, capabilities: [json], price: { inputPerMillionUsd: "1", outputPerMillionUsd: "2" } }]`,
  });
  customer = await onboard(app);
});
afterAll(async () => {
  await app.close();
  await upstream.close();
});

test('with a model an estimate asks none, and is the most that the request is charged', async () => {
  const estimate = (risk: object) => send(app, 'POST', '/v1/workflows:estimate', customer.apiKey, { risk });
  const request = { text: 'Guaranteed returns. Pay a deposit by wire today.' };
  const { body } = await estimate(request);
  expect(body).toMatchObject({ family: 'risk', rulesUsd: '0.002', assisted: true });
  expect((await estimate({ ...request, assist: 'off' })).body).toMatchObject({ ceilingUsd: '0.002', assisted: false });
  expect(upstream.seen).toEqual([]);
  const wallet = await send(app, 'GET', '/v1/wallet', customer.managementKey);
  expect(wallet.body.wallet).toMatchObject({ balanceUsd: '5.00', heldUsd: '0.00' });

  // A model's output is paid for even if it does not help.
  upstream.answer(() => ({
    body: { ...completion('no JSON'), usage: { prompt_tokens: 200, completion_tokens: 100 } },
  }));
  const checked = await send(app, 'POST', '/v1/risk/check', customer.apiKey, request);
  // Its answer did not match the schema and was sent back once.
  expect(upstream.seen).toHaveLength(2);
  const [charged, ceiling] = [Number(checked.body.usage.costUsd), Number(body.ceilingUsd)];
  expect(charged).toBeGreaterThan(0.002);
  expect(charged).toBeLessThanOrEqual(ceiling);
});
