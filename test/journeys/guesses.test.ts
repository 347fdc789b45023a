import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { formatSecret } from '../../src/keys/secret.ts';
import { type Customer, onboard, reasonOf, send, startApp, type TestApp } from '../support/app.ts';
import { firstServer, useDatabase } from '../support/database.ts';

const database = useDatabase(firstServer());
let app: TestApp;
let customer: Customer;
beforeAll(async () => {
  app = await startApp({ databaseUrl: database().url });
  customer = await onboard(app);
});
afterAll(() => app.close());

const listModels = (key: string) => send(app, 'GET', '/api/v1/assistant/models', key);
const guess = () => listModels(formatSecret('live', newId('key'), randomBytes(32)));

test('an address that guesses is refused before its guesses are looked up, and known keys go on from there', async () => {
  expect((await listModels(customer.apiKey)).status).toBe(200);
  let wrong = 0;
  let answer = await guess();
  for (; answer.status === 401 && wrong < 100; answer = await guess()) wrong += 1;
  // Two per second are refilled meanwhile.
  expect(wrong).toBeGreaterThanOrEqual(20);
  expect(wrong).toBeLessThan(100);
  expect(reasonOf(answer)).toBe('RATE_LIMITED');
  expect(answer.text).toContain('refused credentials per minute of the address');
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  // Unknown credentials from there are no longer looked up, not even valid ones; known ones need no look-up.
  const made = await send(app, 'POST', '/v1/keys', customer.managementKey, { displayName: 'new', purpose: 'a test' });
  while (app.rooms.limits.anonymous.lookUps.may('127.0.0.1').ok) app.rooms.limits.anonymous.lookUps.failed('127.0.0.1');
  const [unread, known] = await Promise.all([listModels(String(made.body.secret)), listModels(customer.apiKey)]);
  expect([unread.status, known.status]).toEqual([429, 200]);
});

test('credentials that can be none keep no new key of their address out', async () => {
  const other = await startApp({ databaseUrl: database().url });
  const { apiKey, managementKey } = await onboard(other);
  const list = (key: string) => send(other, 'GET', '/api/v1/assistant/models', key);
  for (let index = 0; index < 60; index++) await list(index % 2 === 0 ? 'nonsense' : `${apiKey}x`);
  const made = await send(other, 'POST', '/v1/keys', managementKey, { displayName: 'new', purpose: 'a test' });
  expect((await list(String(made.body.secret))).status).toBe(200);
  await other.close();
});

test.each([
  ['a key in a header of its own', '/v1/messages', { 'x-api-key': 'nonsense' }],
  ['a session', '/v1/wallet', { cookie: '__Host-console=nonsense', 'sec-fetch-site': 'same-origin' }],
])('%s that is wrong counts beside an empty Authorization, too', async (_name, path, headers) => {
  const other = await startApp({ databaseUrl: database().url });
  const statuses = new Set<number>();
  for (let index = 0; index < 200 && !statuses.has(429); index++)
    statuses.add(
      (
        await send(other, path === '/v1/wallet' ? 'GET' : 'POST', path, undefined, undefined, {
          ...headers,
          authorization: '',
        })
      ).status,
    );
  expect([...statuses]).toEqual([401, 429]);
  await other.close();
});

test('guessed tokens are refused before their signature is checked, like guessed keys', async () => {
  const other = await startApp({ databaseUrl: database().url });
  const header = Buffer.from('{"alg":"ES256","typ":"at+jwt","kid":"x"}').toString('base64url');
  const token = (index: number) => `${header}.${Buffer.from(`{"jti":"${index}"}`).toString('base64url')}.AAAA`;
  const reasons: (string | undefined)[] = [];
  let isShut = false;
  // Two per second are refilled, so one may appear available again by the time its answer arrives.
  for (let index = 0; index < 200 && !(isShut && reasons.includes('RATE_LIMITED')); index++) {
    reasons.push(reasonOf(await send(other, 'GET', '/api/v1/assistant/models', token(index))));
    isShut ||= !other.rooms.limits.anonymous.lookUps.may('127.0.0.1').ok;
  }
  expect(reasons).toContain('RATE_LIMITED');
  expect(isShut).toBe(true);
  await other.close();
});
