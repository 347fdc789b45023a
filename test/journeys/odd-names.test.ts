import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Customer, onboard, startApp, type TestApp } from '../support/app.ts';
import { firstServer, useDatabase } from '../support/database.ts';

// Callers may call things by names that JavaScript's objects inherit. Requests are written as text: an object literal has no
// property `__proto__`.

const database = useDatabase(firstServer());
let app: TestApp;
let customer: Customer;
beforeAll(async () => {
  app = await startApp({ databaseUrl: database().url });
  customer = await onboard(app);
});
afterAll(() => app.close());

async function post(path: string, text: string, key = customer.apiKey): Promise<{ status: number; text: string }> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const reply = await fetch(`${app.url}${path}`, { method: 'POST', headers, body: text });
  return { status: reply.status, text: await reply.text() };
}

const define = (members: string, workflow = 'odd') =>
  post(
    '/v1/workflow-definitions',
    `{"definition":{"client":"acme","workflow":"${workflow}","inputSchema":{"type":"object"},"outputSchema":{"type":"object"},${members}}}`,
    customer.managementKey,
  );

describe('a workflow', () => {
  test('reads and computes properties of such names', async () => {
    const fields = `"fields":[{"name":"constructor","expression":"input.__proto__ + 2.0"},{"name":"b","expression":"fields.constructor + 1.0"}]`;
    const samples = '"samples":[{"input":{"__proto__":3},"expect":{"constructor":5,"b":6}}]';
    const made = await define(`${fields},${samples}`);
    expect(made.status, made.text).toBe(200);
    const ran = await post('/v1/workflows/acme/odd', '{"__proto__":4}');
    expect(ran.text).toContain('"output":{"constructor":6,"b":7}');
  });

  test('with a computed field that no schema can describe is refused', async () => {
    const made = await define('"fields":[{"name":"a","expression":"1"},{"name":"__proto__","expression":"1"}]', 'lost');
    expect(made.status).toBe(400);
    expect(made.text).toContain('definition.fields[1].name: is a name that no schema can describe');
  });

  test.each(['constructor', 'toString', '__proto__'])('has no %s where it computes none', async (name) => {
    const made = await define(
      `"fields":[{"name":"a","expression":"1"}],"samples":[{"input":{},"expect":{"${name}":1}}]`,
      'expecting',
    );
    expect(made.status, made.text).toBe(400);
    expect(made.text).toContain(`definition.samples[0].expect.${name}: should be 1, but the workflow yields nothing`);
  });
});

test('labels of such names come back', async () => {
  const metadata = '{"__proto__":"a","constructor":"b"}';
  const chat = await post(
    '/api/v1/assistant/chat',
    `{"messages":[{"role":"user","content":"Hi"}],"metadata":${metadata}}`,
  );
  const { id } = JSON.parse(chat.text);
  const headers = { authorization: `Bearer ${customer.managementKey}` };
  const charge = await (await fetch(`${app.url}/v1/charges/${id}`, { headers })).text();
  expect(charge).toContain(`"metadata":${metadata}`);
});

test('forms, scorecards, decisions and drafts take them for names', async () => {
  const form = await post(
    '/v1/guidance/profile-check',
    '{"assist":"off","form":{"name":"own","fields":[{"name":"__proto__","label":"A","kind":"choice","choices":["Yes","No"]},{"name":"constructor","label":"B","kind":"text","pattern":"[a-z]+","required":true}]},"values":{"__proto__":"yes"}}',
  );
  expect(JSON.parse(form.text).fields).toMatchObject([{ status: 'ok' }, { status: 'missing' }]);
  const bare = await post(
    '/v1/guidance/profile-check',
    '{"assist":"off","form":{"name":"own","fields":[{"name":"constructor","label":"Country of residence","kind":"country"},{"name":"toString","label":"Date of birth","kind":"date"},{"name":"valueOf","label":"IBAN","kind":"text"},{"name":"hasOwnProperty","label":"Age","kind":"integer","pattern":"[0-9]+"}]},"values":{}}',
  );
  expect(bare.status, bare.text).toBe(200);
  expect(JSON.parse(bare.text).fields.map((field: { status: string }) => field.status)).toEqual(Array(4).fill('empty'));
  const scored = await post(
    '/v1/scoring/business-readiness',
    '{"assist":"off","customScorecard":{"name":"own","dimensions":[{"name":"__proto__","indicators":[{"name":"__proto__","curve":[{"value":0,"score":0},{"value":10,"score":100}]},{"name":"constructor","choices":{"__proto__":70,"toString":10}}]}]},"metrics":{"__proto__":5},"answers":{"constructor":"__proto__"}}',
  );
  expect(JSON.parse(scored.text)).toMatchObject({ overallScore: 60, missingFacts: [] });
  const lowest = await post(
    '/v1/scoring/business-readiness',
    '{"assist":"off","customScorecard":{"name":"own","dimensions":[{"name":"valueOf","indicators":[{"name":"constructor","choices":{"__proto__":70,"toString":10}}]},{"name":"b","indicators":[{"name":"toString","choices":{"__proto__":5}}]}]},"answers":{"constructor":"toString","toString":"__proto__"}}',
  );
  expect(lowest.status, lowest.text).toBe(200);
  expect(JSON.parse(lowest.text)).toMatchObject({ overallScore: 7.5 });
  const decided = await post(
    '/v1/decision/memo',
    '{"assist":"off","question":"Which?","options":[{"name":"__proto__","attributes":{"__proto__":1}},{"name":"constructor","attributes":{"__proto__":2}}],"criteria":[{"name":"__proto__","weight":1}]}',
  );
  expect(JSON.parse(decided.text).ranking).toMatchObject([{ option: 'constructor' }, { option: '__proto__' }]);
  const drafted = await post(
    '/v1/draft/document',
    '{"assist":"off","purpose":"Remind them","kind":"payment_reminder","facts":[{"name":"__proto__","value":"x1"}]}',
  );
  expect(JSON.parse(drafted.text).draft.body).toContain('__proto__: x1');
});
