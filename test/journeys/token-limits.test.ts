import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Customer, onboard, reasonOf, send, startApp, type TestApp } from '../support/app.ts';
import { firstServer, useDatabase } from '../support/database.ts';

const database = useDatabase(firstServer());
let app: TestApp;
let customer: Customer;
beforeAll(async () => {
  app = await startApp({ databaseUrl: database().url, settings: 'limits: { tokensPerMinute: 1200 }' });
  customer = await onboard(app);
});
afterAll(() => app.close());

const chat = (maxOutputTokens: number) =>
  send(app, 'POST', '/api/v1/assistant/chat', customer.apiKey, {
    messages: [{ role: 'user', content: 'Which plan fits a small shop? The Basic plan fits small shops.' }],
    maxOutputTokens,
  });

test('model tokens a minute are set aside before a call and counted as used after it; a refusal costs nothing', async () => {
  const before = (await send(app, 'GET', '/v1/wallet', customer.managementKey)).body.wallet.balanceUsd;
  const answers = await Promise.all([chat(700), chat(700)]);
  const [paid, refused] = answers.toSorted((a, b) => a.status - b.status);
  expect([paid?.status, refused?.status]).toEqual([200, 429]);
  if (!paid || !refused) throw new Error('two answers');
  expect(reasonOf(refused)).toBe('RATE_LIMITED');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  // What the first one did not use is there again.
  const third = await chat(700);
  expect(third.status, third.text).toBe(200);
  const left = Number(third.headers.get('x-ratelimit-remaining-tokens'));
  expect(left).toBeLessThan(1_200);
  expect(left).toBeGreaterThan(900);
  const wallet = (await send(app, 'GET', '/v1/wallet', customer.managementKey)).body.wallet;
  const cost = Number(paid.body.usage.costUsd) + Number(third.body.usage.costUsd);
  expect(Number(before) - Number(wallet.balanceUsd)).toBeCloseTo(cost, 9);
  expect(wallet.heldUsd).toBe('0.00');
});
