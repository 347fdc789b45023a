import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Customer, onboard, send, startApp, type TestApp } from '../../support/app.ts';
import { pageHeaders, signIn, type TestBrowser } from '../../support/browser.ts';
import { firstServer, useDatabase } from '../../support/database.ts';

const database = useDatabase(firstServer());
let app: TestApp;
let customer: Customer;
let browser: TestBrowser;
beforeAll(async () => {
  app = await startApp({ databaseUrl: database().url });
  customer = await onboard(app);
  browser = await signIn(app, customer.managementKey);
});
afterAll(() => app.close());

type Case = [what: string, reason: string, ask: () => Promise<[string, string, unknown?, Record<string, string>?]>];

const cases: Case[] = [
  ['nothing to sign in with', 'INVALID_ARGUMENT', async () => ['POST', '/console/session', {}]],
  ['a field that is not known', 'INVALID_ARGUMENT', async () => ['POST', '/console/session', { token: 'x' }]],
  ['no JSON', 'INVALID_ARGUMENT', async () => ['POST', '/console/session', '{']],
  ['too much', 'PAYLOAD_TOO_LARGE', async () => ['POST', '/console/session', { key: 'x'.repeat(20_000) }]],
  [
    'a form',
    'UNSUPPORTED_MEDIA_TYPE',
    async () => ['POST', '/console/session', 'key=a', { 'content-type': 'text/plain' }],
  ],
  [
    'another site',
    'NOT_FROM_CONSOLE',
    async () => ['POST', '/console/session', {}, { 'sec-fetch-site': 'cross-site' }],
  ],
  ['a wrong key', 'CREDENTIAL_INVALID', async () => ['POST', '/console/session', { key: 'ik_mgmt_wrong' }]],
  ['a wrong code', 'CREDENTIAL_INVALID', async () => ['POST', '/console/session', { code: 'wrong' }]],
  ['a key of programs', 'SCOPE_MISSING', async () => ['POST', '/console/session', { key: customer.apiKey }]],
  ['a list for nobody', 'SESSION_ENDED', async () => ['GET', '/console/sessions', undefined, { cookie: '' }]],
  ['an end of a session that is not there', 'NOT_FOUND', async () => ['DELETE', '/console/sessions/ses_x']],
  ['a confirmation by nobody', 'SESSION_ENDED', async () => ['POST', '/console/session/confirm', {}, { cookie: '' }]],
  ['a confirmation by a code', 'INVALID_ARGUMENT', async () => ['POST', '/console/session/confirm', { code: 'c' }]],
  [
    'a confirmation by another key',
    'SCOPE_MISSING',
    async () => ['POST', '/console/session/confirm', { key: customer.apiKey }],
  ],
  ['a path of a page', 'METHOD_NOT_ALLOWED', async () => ['POST', '/console/session/other', {}]],
  ['a verb that is not there', 'METHOD_NOT_ALLOWED', async () => ['PUT', '/console/session', {}]],
];

test.each(cases)('%s is refused as %s, in words, with the request id', async (_what, reason, ask) => {
  const [method, path, body, headers = {}] = await ask();
  const own = headers.cookie === '' ? {} : { cookie: browser.cookie() ?? '' };
  const { cookie: _none, ...more } = headers;
  const answer = await send(app, method, path, undefined, body, { ...pageHeaders, ...own, ...more });
  const { error } = answer.body ?? {};
  expect([answer.status, error?.details?.[0]?.reason], answer.text).toEqual([error?.code, reason]);
  expect(error.message).toMatch(/^\w.{10,}/);
  expect(answer.headers.get('x-request-id')).toMatch(/.{8,}/);
  expect(answer.headers.get('content-type')).toContain('application/json');
});
