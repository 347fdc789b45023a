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
  const paid: Awaited<ReturnType<typeof chat>>[] = [];
  let refused: (typeof paid)[number] | undefined;
  // Two run concurrently, unless the first has ended before the second begins.
  for (let tries = 0; tries < 10 && !refused; tries++)
    for (const answer of await Promise.all([chat(700), chat(700)]))
      if (answer.status === 429) refused = answer;
      else paid.push(answer);
  if (!refused) throw new Error('none was refused');
  expect(reasonOf(refused)).toBe('RATE_LIMITED');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  // What the first one did not use is available again.
  const third = await chat(700);
  expect(third.status, third.text).toBe(200);
  const left = Number(third.headers.get('x-ratelimit-remaining-tokens'));
  expect(left).toBeLessThan(1_200);
  expect(left).toBeGreaterThan(500);
  const wallet = (await send(app, 'GET', '/v1/wallet', customer.managementKey)).body.wallet;
  const cost = [...paid, third].reduce((sum, { body }) => sum + Number(body.usage.costUsd), 0);
  expect(Number(before) - Number(wallet.balanceUsd)).toBeCloseTo(cost, 9);
  expect(wallet.heldUsd).toBe('0.00');
});
