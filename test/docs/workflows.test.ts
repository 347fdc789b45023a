import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { catalogue } from '../../scripts/facts.ts';
import { listPacks } from '../../src/workflows/list-packs.ts';
import { type Customer, onboard, send, startApp, type TestApp } from '../support/app.ts';
import { firstServer, useDatabase } from '../support/database.ts';
import { partly } from '../support/partly.ts';

const database = useDatabase(firstServer());
let app: TestApp;
let customer: Customer;
beforeAll(async () => {
  app = await startApp({ databaseUrl: database().url });
  customer = await onboard(app);
});
afterAll(() => app.close());

const page = readFileSync('docs/workflows.md', 'utf8');
const shown = [...page.matchAll(/```json POST (\S+)\n(.*?)```\n\n```json reply\n(.*?)```/gs)].map(
  ([, path = '', request = '', reply = '']) => [path, JSON.parse(request), JSON.parse(reply)] as const,
);

test('the page shows each family, and packs of one’s own', () => {
  expect(new Set(shown.map(([path]) => path)).size).toBe(7);
  expect(page.match(/```json POST/g)).toHaveLength(shown.length);
});

test.each(shown)('%s is answered as the page says', async (path, request, reply) => {
  const key = path === '/v1/risk-packs' ? customer.managementKey : customer.apiKey;
  const { status, body } = await send(app, 'POST', path, key, request);
  expect(status, JSON.stringify(body)).toBe(200);
  expect(body).toEqual(partly(reply));
});

test('the catalogue of facts is that of the packs', () => {
  expect(readFileSync('docs/facts.md', 'utf8')).toBe(catalogue(listPacks('')));
});
