import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Customer, onboard, reasonOf, send, startApp, type TestApp } from '../support/app.ts';
import { firstServer, useDatabase } from '../support/database.ts';

const database = useDatabase(firstServer());
let app: TestApp;
let customer: Customer;
beforeAll(async () => {
  app = await startApp({ databaseUrl: database().url, settings: 'limits: { requestsPerMinute: 60, concurrent: 4 }' });
  customer = await onboard(app, '0');
});
afterAll(() => app.close());

const chat = () =>
  send(app, 'POST', '/api/v1/assistant/chat', customer.apiKey, { messages: [{ role: 'user', content: 'Hello?' }] });

test('a paused account whose chats flood its limits is topped up at once, and chats again', async () => {
  let flooding = true;
  const statuses: number[] = [];
  const flood = Array.from({ length: 8 }, async () => {
    while (flooding) statuses.push((await chat()).status);
  });
  await expect.poll(() => statuses.filter((status) => status === 429).length).toBeGreaterThan(20);

  const wallet = await send(app, 'GET', '/v1/wallet', customer.managementKey);
  expect(wallet.status, wallet.text).toBe(200);
  expect(wallet.body.wallet.paused).toBe(true);
  const paid = await send(app, 'POST', '/v1/wallet/top-ups', customer.managementKey, { amountUsd: '5.00' });
  expect(paid.status, paid.text).toBe(200);
  const seen = await send(app, 'GET', `/v1/wallet/top-ups/${paid.body.topUp.topUpId}`, customer.managementKey);
  expect(seen.status).toBe(200);
  // Requests that are not needed for paying wait their turn.
  const others = await Promise.all(
    Array.from({ length: 20 }, () => send(app, 'GET', '/v1/usage', customer.managementKey)),
  );
  expect(others.map(reasonOf)).toContain('RATE_LIMITED');

  await expect.poll(() => statuses.includes(200)).toBe(true);
  flooding = false;
  await Promise.all(flood);
  expect(statuses).toContain(402);
});
