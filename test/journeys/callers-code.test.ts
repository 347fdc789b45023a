import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Answer, type Customer, onboard, reasonOf, send, startApp, type TestApp } from '../support/app.ts';
import { firstServer, useDatabase } from '../support/database.ts';
import { completion, startUpstream, type Upstream } from '../support/upstream.ts';

// Code from callers (schemas, expressions, patterns) that is meant to stop the service: it is refused at its place, costs nothing, and the
// service answers the next request. The service runs in this process, so if it ended, so would the test.

const chatPath = '/api/v1/assistant/chat';

let app: TestApp;
let upstream: Upstream;
let customer: Customer;
const database = useDatabase(firstServer());
beforeAll(async () => {
  upstream = await startUpstream({ body: completion('{}') });
  app = await startApp({
    databaseUrl: database().url,
    settings: `
providers: [{ id: up, kind: openai-compatible, baseUrl: "${upstream.url}/v1" }]
models:
  - { id: m, provider: up, quality: 50, contextTokens: 2000000, capabilities: [json], price: { inputPerMillionUsd: "1", outputPerMillionUsd: "2" } }
limits: { requestsPerMinute: 1000000, tokensPerMinute: 1000000000, concurrent: 1000 }`,
  });
  customer = await onboard(app, '100.00');
  // The first job waits for the first process.
  await vi.waitUntil(async () => (await estimate({ type: 'object' })).status === 200, { timeout: 60_000 });
});
afterAll(async () => {
  await app.close();
  await upstream.close();
});

const post = (path: string, body: unknown) => patient(path, customer.apiKey, body);
/** Retries when the service asks for that: on a busy machine a process may take seconds to be replaced. */
async function patient(path: string, credential: string, body: unknown): Promise<Answer> {
  for (;;) {
    const answer = await send(app, 'POST', path, credential, body);
    if (answer.status !== 503) return answer;
  }
}
const request = (schema: object, content = 'Hi') => ({
  messages: [{ role: 'user', content }],
  responseFormat: { kind: 'json', schema },
});
const chat = (schema: object) => post(chatPath, request(schema));
const estimate = (schema: object) => post(`${chatPath}:estimate`, request(schema));
const wallet = async () => (await send(app, 'GET', '/v1/wallet', customer.managementKey)).body.wallet;

function fieldsOf({ body }: Answer): string[] {
  return (body?.error?.details ?? []).flatMap(({ fieldViolations = [] }: { fieldViolations?: { field: string }[] }) =>
    fieldViolations.map(({ field }) => field),
  );
}

function doublings(count: number): object {
  const twice = (at: number) => [{ $ref: `#/$defs/d${at}` }, { $ref: `#/$defs/d${at}` }];
  const $defs = Object.fromEntries(Array.from({ length: count }, (_, at) => [`d${at}`, { allOf: twice(at + 1) }]));
  return { allOf: twice(0), $defs: { ...$defs, [`d${count}`]: { type: 'string' } } };
}

describe('a schema for a reply', () => {
  const hostile: [string, object, string][] = [
    ['that answers with a promise', { $async: true, type: 'object' }, '#/$async'],
    ['with 38 KB of repetitions', { pattern: 'a{1000}'.repeat(5_400) }, '#/pattern'],
    ['with repetitions inside repetitions', { pattern: '((a{0,1000}){0,1000}){0,1000}' }, '#/pattern'],
    ['that doubles 29 times', doublings(29), '#/$defs/'],
    ['that doubles 60 times', doublings(60), '#/$defs/'],
    ['that refers to itself', { $ref: '#' }, '#/$ref'],
    ['that is elsewhere', { $ref: 'http://127.0.0.1:1/schema' }, '#/$ref'],
    ['that nests deep', JSON.parse(`${'{"not":'.repeat(70)}{}${'}'.repeat(70)}`), ''],
  ];
  test.each(hostile)('%s is refused at its place by the chat and by its free estimate', async (_, schema, place) => {
    const before = await wallet();
    for (const answer of [await chat(schema), await estimate(schema)]) {
      expect(answer.status, answer.text.slice(0, 500)).toBe(400);
      expect(fieldsOf(answer)[0]).toContain(`responseFormat.schema${place}`);
    }
    expect(await wallet()).toEqual(before);
    expect(upstream.seen).toHaveLength(0);
  });

  test('of which many are sent leave the service as it was', async () => {
    for (let at = 0; at < 9; at++) {
      const schema = { properties: { [`a${at}`]: { pattern: '(a{0,1000})'.repeat(9) } } };
      expect((await estimate(schema)).status).toBe(200);
    }
    expect((await estimate({ type: 'object' })).status).toBe(200);
  });

  test('whose check of a reply does not end: the reply counts as one that does not fit, and what the model took is paid', async () => {
    const twice = { properties: { n: { allOf: [{ $ref: '#' }, { $ref: '#' }] } } };
    upstream.answer(() => ({ body: completion(`${'{"n":'.repeat(40)}1${'}'.repeat(40)}`) }));
    const before = await wallet();
    const answer = await chat(twice);
    expect(answer.status, answer.text).toBe(502);
    expect(reasonOf(answer)).toBe('UPSTREAM_FAILED');
    const after = await wallet();
    // 10 tokens at 1 USD and 5 at 2 USD a million.
    expect(Math.round((Number(before.balanceUsd) - Number(after.balanceUsd)) * 1e9)).toBe(20_000);
    expect(Number(after.heldUsd)).toBe(0);
    upstream.answer(() => ({ body: completion('{}') }));
    expect((await chat(twice)).status).toBe(200);
  });
});

describe('an expression', () => {
  const sum = (times: number) => Array(times).fill('a').join(' + ');

  test('that doubles a text until no memory is left is refused, before anything is held', async () => {
    const before = await wallet();
    const pass = `[attributes.text].map(a, ${sum(28)}).map(a, (${sum(34)}).lowerAscii())[0].contains("b")`;
    expect(pass.length).toBeLessThanOrEqual(500);
    const listing = { title: 'A bicycle', description: 'Blue.', attributes: { text: 'a'.repeat(100_000) } };
    const answer = await post('/v1/readiness/listing', { listing, checks: [{ id: 'own', pass }] });
    expect(answer.status, answer.text).toBe(400);
    expect(fieldsOf(answer)).toEqual(['checks']);
    expect(await wallet()).toEqual(before);
    expect((await post('/v1/readiness/listing', { listing, assist: 'off' })).status).toBe(200);
  });

  test('of eleven that each double a text is refused when the workflow is made', async () => {
    const fields = Array.from({ length: 11 }, (_, at) => {
      const before = at === 0 ? 'input.text' : `fields.f${at - 1}`;
      return { name: `f${at}`, expression: `${before} + ${before}` };
    });
    const definition = {
      client: 'acme',
      workflow: 'doubling',
      inputSchema: { type: 'object' },
      outputSchema: { type: 'object' },
      fields,
      samples: [{ input: { text: 'a'.repeat(100_000) } }],
    };
    const answer = await patient('/v1/workflow-definitions', customer.managementKey, { definition });
    expect(answer.status, answer.text).toBe(400);
    expect(fieldsOf(answer)[0]).toMatch(/^definition/);
    expect((await estimate({ type: 'object' })).status).toBe(200);
  });

  test('and a pattern of a form are refused at their place', async () => {
    const form = { name: 'own', fields: [{ name: 'a', label: 'A', kind: 'text', pattern: 'a{1000}'.repeat(20) }] };
    const answer = await post('/v1/guidance/profile-check', { form, values: { a: 'aaa' } });
    expect(answer.status, answer.text).toBe(400);
    expect(fieldsOf(answer)).toEqual(['form.fields[0].pattern']);
  });
});

test('a long text of a model that states no usage is counted in another process, and charged as counted', async () => {
  upstream.answer(() => ({ body: completion('ok', null) }));
  const content = '这是一个测试'.repeat(5_000);
  const answer = await post(chatPath, { messages: [{ role: 'user', content }], routing: { maxRetries: 0 } });
  expect(answer.status, answer.text.slice(0, 500)).toBe(200);
  expect(answer.body.usage.estimated).toBe(true);
  // Three or four tokens each time.
  expect(answer.body.usage.inputTokens).toBeGreaterThan(14_000);
  expect(answer.body.usage.inputTokens).toBeLessThan(31_000);
});
