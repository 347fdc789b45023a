import { afterAll, beforeAll, expect, test } from 'vitest';
import { LimitService } from '../../src/gen/intelligence/limit/v1/limit_service_pb.ts';
import { type Customer, onboard, reasonOf, send, startApp, type TestApp } from '../support/app.ts';
import { firstServer, useDatabase } from '../support/database.ts';
import { grpcClient } from '../support/grpc.ts';

interface LimitJson {
  level: string;
  name: string;
  most: number;
  burst: number;
  used: number;
  resetSeconds?: number;
}

const database = useDatabase(firstServer());
let app: TestApp;
let customer: Customer;
beforeAll(async () => {
  const settings = 'limits: { requestsPerMinute: 600, tokensPerMinute: 90000, concurrent: 12, concurrentStreams: 7 }';
  app = await startApp({ databaseUrl: database().url, settings });
  customer = await onboard(app);
});
afterAll(() => app.close());

const limitsOf = async (credential: string, query = ''): Promise<LimitJson[]> => {
  const answer = await send(app, 'GET', `/v1/limits${query}`, credential);
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body.shared).toBe(false);
  return answer.body.limits;
};
const stated = (limits: LimitJson[], level: string) =>
  limits.filter((limit) => limit.level === level).map(({ name, most, burst }) => [name, most, burst]);

const configured = [
  ['requests', 600, 100],
  ['tokens', 90_000, 90_000],
  ['concurrent-requests', 12, 12],
  ['concurrent-streams', 7, 7],
];

test('a key sees the limits of its account and its own, and its own request among what is in flight', async () => {
  const limits = await limitsOf(customer.apiKey);
  expect(stated(limits, 'account')).toEqual(configured);
  expect(stated(limits, 'key')).toEqual(configured);
  expect(limits).toHaveLength(8);
  const inFlight = limits.filter(({ name }) => name === 'concurrent-requests');
  expect(inFlight.map(({ used }) => used)).toEqual([1, 1]);
  for (const limit of inFlight) expect(limit).not.toHaveProperty('resetSeconds');
  for (const limit of limits.filter(({ name }) => name === 'requests')) {
    expect(limit.used).toBeLessThanOrEqual(limit.burst);
    expect(limit).toHaveProperty('resetSeconds');
  }
  const over = await grpcClient(app.url).unary(
    LimitService.method.getLimits,
    {},
    { authorization: `Bearer ${customer.apiKey}` },
  );
  expect(over.message?.limits.map(({ level, name, most }) => [level, name, most])).toEqual(
    limits.map(({ level, name, most }) => [level, name, most]),
  );
});

test('a management key sees those of any key of its account, with the limits that the key has of its own', async () => {
  const made = await send(app, 'POST', '/v1/keys', customer.managementKey, {
    ...{ displayName: 'slow', purpose: 'a test' },
    limits: { requestsPerMinute: 30, concurrent: 2 },
  });
  const limits = await limitsOf(customer.managementKey, `?keyId=${made.body.key.keyId}`);
  expect(stated(limits, 'account')).toEqual(configured);
  expect(stated(limits, 'key')).toEqual([
    ['requests', 30, 5],
    ['tokens', 90_000, 90_000],
    ['concurrent-requests', 2, 2],
    ['concurrent-streams', 7, 7],
  ]);
  // Nothing was requested with that key; the management key's own request counts for the account.
  const used = (level: string) => limits.filter((limit) => limit.level === level).map((limit) => limit.used);
  expect(used('key')).toEqual([0, 0, 0, 0]);
  expect(used('account')[2]).toBe(1);
  // The stated limits are the ones enforced.
  const refused = await Promise.all(
    Array.from({ length: 12 }, () => send(app, 'GET', '/v1/wallet', String(made.body.secret))),
  );
  expect(refused.map(reasonOf)).toContain('RATE_LIMITED');
  expect((await limitsOf(customer.managementKey, `?keyId=${made.body.key.keyId}`))[4]?.used).toBeGreaterThan(0);
});

test("another account's key is not found, and an API key sees no other one", async () => {
  const stranger = await onboard(app, '0');
  const answers = [
    await send(app, 'GET', `/v1/limits?keyId=${stranger.keyId}`, customer.managementKey),
    await send(app, 'GET', `/v1/limits?keyId=${stranger.keyId}`, customer.apiKey),
  ];
  expect(answers.map(({ status }) => status)).toEqual([404, 404]);
  expect((await limitsOf(customer.apiKey, `?keyId=${customer.keyId}`)).length).toBe(8);
});

test('an end user sees the limits that count for its token', async () => {
  const token = await send(app, 'POST', '/v1/tokens', customer.apiKey, { subject: 'user-1', scopes: ['chat'] });
  const limits = await limitsOf(String(token.body.accessToken));
  expect(limits.map(({ level }) => level)).toEqual(
    ['account', 'key', 'end_user'].flatMap((level) => Array(4).fill(level)),
  );
  expect(stated(limits, 'end_user')).toEqual(configured);
});
