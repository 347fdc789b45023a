import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Customer, onboard, send, startApp, type TestApp } from '../support/app.ts';
import { firstServer, useDatabase } from '../support/database.ts';

const database = useDatabase(firstServer());
let app: TestApp;
let customer: Customer;
// biome-ignore lint/suspicious/noExplicitAny: a document is walked here as any JSON
let paths: Record<string, any>;
beforeAll(async () => {
  app = await startApp({ databaseUrl: database().url });
  customer = await onboard(app);
  const document = (await (await fetch(`${app.url}/openapi.json`)).json()) as { paths: typeof paths };
  paths = document.paths;
});
afterAll(() => app.close());

/** The body that the document shows for a path. */
function exampleOf(path: string): object {
  const example = paths[path]?.post.requestBody.content['application/json'].example;
  expect(example, path).toBeDefined();
  return example;
}

const example = (path: string, key = customer.apiKey, at = path) => send(app, 'POST', at, key, exampleOf(path));

// What the reader of each example is told.
const replies: Record<string, object> = {
  '/v1/guidance/profile-check': { ready: false, nextField: 'email', unusedFields: [] },
  '/v1/readiness/listing': { readinessScore: expect.any(Number), unusedFields: [] },
  '/v1/risk/check': { riskLevel: expect.stringMatching(/high|critical/) },
  '/v1/draft/document': {
    unusedFields: [],
    missingFacts: [],
    draft: { title: 'Delay of your order 48213', placeholders: [], body: expect.stringContaining('3 December 2026') },
  },
  '/v1/decision/memo': { recommendation: { option: expect.stringMatching(/North|South/) } },
  '/v1/workflows:estimate': { family: 'risk', rulesUsd: '0.002', ceilingUsd: expect.any(String) },
  '/v1/workflows/batch': {
    results: [
      { risk: { riskLevel: expect.stringMatching(/high|critical/) } },
      { readiness: { kind: expect.any(String) } },
    ],
  },
  '/v1/scoring/business-readiness': { unusedFields: [], impossibleValues: [], missingFacts: expect.any(Array) },
};

test.each(Object.entries(replies))('the example of %s is answered, and uses names that exist', async (path, reply) => {
  const { status, body } = await example(path);
  expect(status, JSON.stringify(body)).toBe(200);
  expect(body).toMatchObject(reply);
  if ('summary' in body) expect(body.nextBestAction).not.toBe('');
});

test('the examples of reviews follow that of a draft', async () => {
  const path = '/v1/drafts/{draftId}';
  const draft = async () => (await example('/v1/draft/document')).body.draft.draftId as string;
  const at = (draftId: string, verb: string) => `/v1/drafts/${draftId}:${verb}`;
  const first = await draft();
  expect((await example(`${path}:approve`, customer.apiKey, at(first, 'approve'))).body.draft.state).toBe('approved');
  expect((await example(`${path}:revise`, customer.apiKey, at(first, 'revise'))).body.draft).toMatchObject({
    version: 2,
    state: 'pending_review',
  });
  const second = await draft();
  expect((await example(`${path}:reject`, customer.apiKey, at(second, 'reject'))).body.draft.state).toBe('rejected');
  const { body } = await send(app, 'GET', '/v1/drafts?state=pending_review', customer.managementKey);
  const waiting = body.drafts.map(({ draftId, version }: { draftId: string; version: number }) => [draftId, version]);
  expect(waiting[0]).toEqual([first, 2]);
  expect(JSON.stringify(waiting)).not.toContain(second);
});

test('the example of a workflow of one’s own is made, and that of its run fits it', async () => {
  const made = await example('/v1/workflow-definitions', customer.managementKey);
  expect(made.status, JSON.stringify(made.body)).toBe(200);
  const { client, workflow } = made.body.definition;
  const ran = await example(
    '/v1/workflows/{client}/{workflow}',
    customer.apiKey,
    `/v1/workflows/${client}/${workflow}`,
  );
  expect(ran.body).toMatchObject({ output: { affordable: true } });
});

test('the example of a risk pack is made, and that of its change follows it', async () => {
  const made = await example('/v1/risk-packs', customer.managementKey);
  expect(made.body.pack).toMatchObject({ packId: 'brand-rules', version: 1 });
  const found = Object.entries(paths).find(
    ([path, { put }]) => put !== undefined && path.startsWith('/v1/risk-packs/'),
  );
  const { example: change } = found?.[1].put.requestBody.content['application/json'] ?? {};
  const changed = await send(app, 'PUT', '/v1/risk-packs/brand-rules', customer.managementKey, change);
  expect(changed.body.pack, changed.text).toMatchObject({ version: 2, displayName: 'Rules of our brand' });
});

test('every workflow example of the document is run here', () => {
  const shown = Object.entries(paths)
    .filter(([, { post }]) => post?.tags?.includes('WorkflowService'))
    .filter(([, { post }]) => post.requestBody.content['application/json'].example !== undefined)
    .map(([path]) => path);
  expect(shown.length).toBeGreaterThan(6);
  const run = [
    ...Object.keys(replies),
    ...['approve', 'reject', 'revise'].map((verb) => `/v1/drafts/{draftId}:${verb}`),
    ...['/v1/workflow-definitions', '/v1/workflows/{client}/{workflow}', '/v1/risk-packs'],
  ];
  expect(shown.sort()).toEqual(run.sort());
});
