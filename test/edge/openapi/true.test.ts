import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { missingFields } from '../../support/always-set.ts';
import { type Answer, type Customer, onboard, send, startApp, type TestApp } from '../../support/app.ts';
import { firstServer, useDatabase } from '../../support/database.ts';

// The document as the service serves it, held against linters and against what the service does.

const database = useDatabase(firstServer());
let app: TestApp;
let customer: Customer;
// biome-ignore lint/suspicious/noExplicitAny: a document is walked here as any JSON
let document: any;
beforeAll(async () => {
  app = await startApp({ databaseUrl: database().url });
  customer = await onboard(app);
  document = (await send(app, 'GET', '/openapi.json')).body;
});
afterAll(() => app.close());

interface Operation {
  operationId: string;
  parameters?: { name: string; in: string; required?: boolean }[];
  responses: Record<string, { content?: Record<string, { schema: object }> }>;
}

const operations = (): [string, Operation][] =>
  Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [`${method} ${path}`, operation]),
  );

test('redocly finds nothing to warn of', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'redocly-'));
  const file = join(folder, 'openapi.json');
  writeFileSync(file, JSON.stringify(document));
  writeFileSync(join(folder, 'redocly.yaml'), 'extends: [recommended]\ntelemetry: off\n');
  const redocly = fileURLToPath(new URL('../../../node_modules/.bin/redocly', import.meta.url));
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' };
  const { stdout } = await promisify(execFile)(redocly, ['lint', file, '--format=json'], { cwd: folder, env }).catch(
    (error: { stdout: string }) => error,
  );
  rmSync(folder, { recursive: true });
  const { problems, totals } = JSON.parse(stdout.slice(stdout.indexOf('{')));
  const found = problems.map(({ ruleId, message }: Record<string, string>) => `${ruleId}: ${message}`);
  expect(found).toEqual([]);
  expect(totals).toMatchObject({ errors: 0, warnings: 0 });
});

test('the Idempotency-Key is named where it counts, required where it is, and so are its refusals', () => {
  const uses = operations().flatMap(([name, { parameters = [], responses }]) => {
    const header = parameters.find((parameter) => parameter.in === 'header' && parameter.name === 'Idempotency-Key');
    return header
      ? [{ name, required: header.required ?? false, refusals: ['409', '422'].filter((s) => responses[s]) }]
      : [];
  });
  expect(uses.filter(({ refusals }) => refusals.length < 2)).toEqual([]);
  expect(uses.filter(({ required }) => required).map(({ name }) => name)).toEqual([
    'post /v1/accounts/{accountId}/adjustments',
  ]);
  const names = uses.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['post /v1/keys', 'post /v1/accounts', 'post /v1/pulse/events']));
  expect(names.filter((name) => !name.startsWith('post '))).toEqual([]);
  expect(names).not.toContain('post /v1/keys/{keyId}:revoke');
});

test('a whole reply and a stream are things apart', () => {
  const { content } = document.paths['/api/v1/assistant/chat'].post.responses[200];
  expect(content['application/json'].schema).toEqual({
    $ref: '#/components/schemas/intelligence.chat.v1.ChatResponse',
  });
  for (const type of ['text/event-stream', 'application/x-ndjson'])
    expect(content[type].schema, type).toMatchObject({ type: 'string' });
  const file = document.paths['/v1/usage:export'].get.responses[200].content;
  expect(Object.keys(file)).toEqual(['text/csv', 'application/jsonl']);
});

test('what replies always have is required, and words of a list are an enum', () => {
  const { schemas } = document.components;
  expect(schemas['intelligence.wallet.v1.Wallet'].required).toEqual(
    expect.arrayContaining(['walletId', 'balanceUsd', 'paused']),
  );
  expect(schemas['intelligence.wallet.v1.GetWalletResponse'].required).toEqual(['wallet']);
  expect(schemas['intelligence.chat.v1.ChatResponse'].required).toEqual(
    expect.arrayContaining(['message', 'usage', 'routing']),
  );
  expect(schemas['intelligence.chat.v1.ChatResponse'].required).not.toContain('cache');
  expect(schemas['intelligence.key.v1.Key'].required).toContain('createTime');
  expect(schemas['intelligence.key.v1.Key'].required).not.toContain('expireTime');
  expect(schemas['intelligence.wallet.v1.ListEntriesResponse'].required).toEqual(['entries', 'nextPageToken']);
  // Of what is in requests and in replies, requests may leave out what replies always have.
  expect(schemas['intelligence.chat.v1.Message'].required ?? []).not.toContain('toolCallId');
  expect(schemas['intelligence.chat.v1.Message.Reply'].required).toContain('content');
  expect(schemas['intelligence.key.v1.Key'].properties.state.enum).toEqual(['active', 'expired', 'revoked']);
  expect(schemas['intelligence.wallet.v1.Entry'].properties.kind.enum).toContain('adjustment');
});

// `send` asks this of every reply of every test.
test('a reply that lacks what is always there is found, also within', async () => {
  expect(await missingFields('GET', '/v1/wallet?x=1', {})).toEqual(['GetWalletResponse.wallet']);
  const keys = { keys: [{ createTime: '2026-01-31T12:00:00Z' }, {}] };
  expect(await missingFields('GET', '/v1/keys', keys)).toEqual(['ListKeysResponse.keys[1].createTime']);
  expect(await missingFields('POST', '/v1/keys/key_1:revoke', { key: {} })).toEqual([
    'RevokeKeyResponse.key.createTime',
  ]);
  expect(await missingFields('GET', '/openapi.json', {})).toEqual([]);
});

test('what the service answers is what the document says', async () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema({ $id: 'https://api.example/openapi.json', ...document });
  const problems: string[] = [];
  const seen = new Set<string>();
  const check = (method: string, path: string, answer: Answer) => {
    const place = path.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D');
    const response = document.paths[path][method].responses[answer.status];
    const pointer = response?.$ref
      ? `${response.$ref}/content/application~1json/schema`
      : `#/paths/${place}/${method}/responses/${answer.status}/content/application~1json/schema`;
    const validate = ajv.compile({ $ref: `https://api.example/openapi.json${pointer}` });
    seen.add(`${method} ${path} ${answer.status}`);
    if (!validate(answer.body))
      problems.push(`${method} ${path} ${answer.status}: ${ajv.errorsText(validate.errors)} in ${answer.text}`);
  };
  const { managementKey, apiKey } = customer;
  const ask = async (method: string, template: string, credential: string, body?: object, path = template) => {
    const answer = await send(app, method.toUpperCase(), path, credential, body);
    check(method, template.split('?')[0] as string, answer);
    return answer.body;
  };
  const messages = [{ role: 'user', content: 'Which plan fits a small shop? The Basic plan fits small shops.' }];
  await ask('post', '/v1/accounts', app.operatorToken, { displayName: 'Another' });
  const made = await ask('post', '/v1/keys', managementKey, { displayName: 'one', purpose: 'a test' });
  const keyPath = `/v1/keys/${made.key.keyId}`;
  await ask('post', '/v1/keys', managementKey, {});
  await ask('post', '/v1/keys/{keyId}:rotate', managementKey, { overlapSeconds: 5 }, `${keyPath}:rotate`);
  await ask('get', '/v1/keys/{keyId}', managementKey, undefined, keyPath);
  await ask('get', '/v1/keys/{keyId}', managementKey, undefined, '/v1/keys/key_none');
  await ask('post', '/v1/keys/{keyId}:revoke', managementKey, {}, `${keyPath}:revoke`);
  await ask('get', '/v1/keys', managementKey);
  await ask('get', '/v1/keys', 'nothing-good');
  await ask('get', '/v1/keys', apiKey);
  await ask('post', '/v1/tokens', apiKey, { subject: 'ann' });
  await ask('post', '/v1/clients', managementKey, { displayName: 'An app', keyId: customer.keyId });
  await ask('get', '/v1/clients', managementKey);
  await ask('get', '/v1/wallet', managementKey);
  await ask('post', '/v1/wallet/top-ups', managementKey, { amountUsd: '5.00' });
  await ask('post', '/api/v1/assistant/chat', apiKey, { messages });
  await ask('post', '/v1/risk/check', apiKey, { text: 'Pay by gift card today, or you will regret it.' });
  await ask('post', '/v1/readiness/listing', apiKey, { listing: { title: 'Red bicycle', description: 'For sale.' } });
  const drafted = await ask('post', '/v1/draft/document', apiKey, { purpose: 'the order is late', facts: [] });
  await ask('get', '/v1/drafts', managementKey);
  const { draftId } = drafted.draft;
  await ask('get', '/v1/drafts/{draftId}', managementKey, undefined, `/v1/drafts/${draftId}`);
  await ask(
    'post',
    '/v1/drafts/{draftId}:reject',
    managementKey,
    { reviewer: 'Eva', note: 'No.' },
    `/v1/drafts/${draftId}:reject`,
  );
  await ask('get', '/v1/wallet/entries', managementKey);
  await ask('get', '/v1/charges', managementKey);
  await ask('get', '/v1/usage', managementKey);
  await ask('get', '/v1/workflows/packs', apiKey);
  await ask('get', '/v1/workflows/prices', apiKey);
  const definition = {
    ...{ client: 'acme', workflow: 'double', inputSchema: { type: 'number' }, outputSchema: { type: 'object' } },
    ...{ fields: [{ name: 'twice', expression: 'input * 2.0' }], samples: [{ input: 4, expect: { twice: 8 } }] },
  };
  await ask('post', '/v1/workflow-definitions', managementKey, { definition });
  await ask('get', '/v1/workflow-definitions', managementKey, undefined, '/v1/workflow-definitions?view=full');
  await ask('post', '/v1/webhooks/endpoints', managementKey, { url: 'https://example.com/hooks' });
  await ask('get', '/v1/webhooks/endpoints', managementKey);
  expect(problems).toEqual([]);
  expect([...seen].filter((each) => each.endsWith(' 200')).length).toBeGreaterThan(25);
  expect([...seen].filter((each) => !each.endsWith(' 200'))).toEqual([
    'post /v1/keys 400',
    'get /v1/keys/{keyId} 404',
    'get /v1/keys 401',
    'get /v1/keys 403',
  ]);
});
