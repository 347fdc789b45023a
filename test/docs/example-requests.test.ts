// Requests as people send them (examples/workflows), and what is answered.
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Customer, onboard, send, startApp, type TestApp } from '../support/app.ts';
import { firstServer, useDatabase } from '../support/database.ts';
import { partly } from '../support/partly.ts';

const database = useDatabase(firstServer());
let app: TestApp;
let customer: Customer;
beforeAll(async () => {
  // There are more examples than one account may send in a burst.
  app = await startApp({ databaseUrl: database().url, settings: 'limits: { requestsPerMinute: 1000000 }' });
  customer = await onboard(app);
});
afterAll(() => app.close());

interface Example {
  /** What a management key sends first, such as the definition of a workflow. */
  before?: { path: string; request: unknown };
  path: string;
  request: unknown;
  reply: unknown;
}

const folder = 'examples/workflows';
const files = readdirSync(folder);
const examples = files.map((file) => [file, JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')) as Example] as const);

test('each family has requests in several languages', () => {
  for (const family of ['listing', 'risk', 'guidance', 'form', 'scoring', 'decision', 'draft', 'own']) {
    const languages = files.filter((file) => file.startsWith(`${family}-`)).map((file) => file.split('.').at(-2));
    expect(new Set(languages).size, family).toBeGreaterThan(1);
  }
});

test.each(examples)('examples/workflows/%s is answered as it says', async (_, { before, path, request, reply }) => {
  if (before) {
    const { status, body } = await send(app, 'POST', before.path, customer.managementKey, before.request);
    expect(status, JSON.stringify(body)).toBe(200);
  }
  const { status, body } = await send(app, 'POST', path, customer.apiKey, request);
  expect(status, JSON.stringify(body)).toBe(200);
  expect(body).toEqual(partly(reply));
});
