// What a client's own workflow may compute, and what its failures, which are free, may tell.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toldMost } from '../../src/workflows/custom/sample-results.ts';
import { type Customer, onboard, send, startApp, type TestApp } from '../support/app.ts';
import { firstServer, useDatabase } from '../support/database.ts';

const database = useDatabase(firstServer());
let app: TestApp;
let customer: Customer;

beforeAll(async () => {
  app = await startApp({ databaseUrl: database().url });
  customer = await onboard(app);
});
afterAll(() => app.close());

const inputSchema = {
  type: 'object',
  properties: { t: { type: 'string' }, a: { type: 'array', items: { type: 'number' } } },
};

async function define(workflow: string, expressions: Record<string, string>, more: object = {}) {
  const fields = Object.entries(expressions).map(([name, expression]) => ({ name, expression }));
  const definition = {
    ...{ client: 'acme', workflow, displayName: workflow, inputSchema, outputSchema: { type: 'object' }, fields },
    ...more,
  };
  return send(app, 'POST', '/v1/workflow-definitions', customer.managementKey, { definition });
}

const run = (workflow: string, input: object) =>
  send(app, 'POST', `/v1/workflows/acme/${workflow}`, customer.apiKey, input);
const balance = async () => (await send(app, 'GET', '/v1/wallet', customer.managementKey)).body.wallet.balanceUsd;

test.each([
  [
    'values',
    { r: 'input.a.map(x, input.a)' },
    { a: Array.from({ length: 1_000 }, () => 1) },
    'output: holds more than 10000 values',
  ],
  ['levels', deepFields(), {}, 'output: is nested deeper than 32 levels'],
])('an output of too many %s is refused and costs nothing', async (name, fields, input, told) => {
  expect((await define(name, fields)).status).toBe(200);
  const before = await balance();
  const { status, body } = await run(name, input);
  expect(status, JSON.stringify(body).slice(0, 300)).toBe(400);
  expect(body.error.message).toContain(told);
  expect(await balance()).toBe(before);
});

function deepFields(): Record<string, string> {
  const fields: Record<string, string> = { f0: '1' };
  for (let at = 1; at < 11; at++) fields[`f${at}`] = `${'['.repeat(20)}fields.f${at - 1}${']'.repeat(20)}`;
  return fields;
}

test('failed runs and samples tell what was computed only so often, whatever way they fail', async () => {
  const closed = { type: 'object', properties: { r: { type: 'object', properties: {}, additionalProperties: false } } };
  expect((await define('by-error', { r: '{"a":"b"}["RESULT " + input.t]' })).status).toBe(200);
  expect((await define('by-schema', { r: '{"RESULT " + input.t: true}' }, { outputSchema: closed })).status).toBe(200);
  const ways = [
    () => run('by-error', { t: 'x' }),
    () => run('by-schema', { t: 'x' }),
    () => define('by-sample-error', { r: '{"a":"b"}["RESULT " + input.t]' }, { samples: [{ input: { t: 'x' } }] }),
    () =>
      define(
        'by-sample-schema',
        { r: '{"RESULT " + input.t: true}' },
        { outputSchema: closed, samples: [{ input: { t: 'x' } }] },
      ),
  ];
  const before = await balance();
  let told = 0;
  const tells = async (way: (typeof ways)[number]) => {
    const { status, body } = await way();
    expect(status).toBeGreaterThanOrEqual(400);
    const words = JSON.stringify(body);
    const isTold = words.includes('RESULT');
    // Nothing else may be what keeps it from telling.
    if (!isTold) expect(words).toContain('is told no more');
    return isTold;
  };
  for (const way of ways) expect(await tells(way)).toBe(true);
  // On a slow machine, one more is told every minute.
  while (told < 2 * toldMost && (await tells(ways[told % ways.length] as (typeof ways)[number]))) told++;
  expect(told).toBeLessThan(2 * toldMost);
  const after = await Promise.all(ways.map(tells));
  expect(after.filter(Boolean).length).toBeLessThanOrEqual(1);
  expect(await balance()).toBe(before);
});
