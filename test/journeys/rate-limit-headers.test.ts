import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type Customer, onboard, send, startApp, type TestApp } from '../support/app.ts';
import { firstServer, useDatabase } from '../support/database.ts';
import { startRedis } from '../support/redis.ts';

/** A field of draft-ietf-httpapi-ratelimit-headers: its items by name, each with its parameters. */
function itemsOf(header: string | null): Record<string, Record<string, string>> {
  const items = (header ?? '').split(', ').map((item) => {
    const [name = '', ...parameters] = item.split(';');
    return [name.replaceAll('"', ''), Object.fromEntries(parameters.map((each) => each.split('=')))];
  });
  return Object.fromEntries(items);
}

const redis = await startRedis();
afterAll(() => redis.kill());

describe.each([
  ['one node', ''],
  ['shared limits', `limits: { redisUrl: "${redis.url}" }`],
])('on %s', (_name, settings) => {
  const database = useDatabase(firstServer());
  let app: TestApp;
  let customer: Customer;
  beforeAll(async () => {
    app = await startApp({ databaseUrl: database().url, settings });
    customer = await onboard(app);
  });
  afterAll(() => app.close());

  const keyWith = async (limits: object): Promise<string> => {
    const asked = { displayName: 'small', purpose: 'a test', limits };
    return (await send(app, 'POST', '/v1/keys', customer.managementKey, asked)).body.secret;
  };
  /** Sends requests until one is refused: a machine may be so slow that the used allowance is refilled. */
  const untilRefused = async (ask: () => Promise<Answer>): Promise<Answer> => {
    let answer = await ask();
    for (let tries = 0; tries < 50 && answer.status === 200; tries++) answer = await ask();
    expect(answer.status, answer.text).toBe(429);
    return answer;
  };

  test('what the policy says may be sent at once is let in, and what is too much is refused by the same policy', async () => {
    // Two at once, one of which is refilled every five seconds.
    const key = await keyWith({ requestsPerMinute: 12 });
    const ask = () => send(app, 'GET', '/v1/models', key);
    const [first, second] = await Promise.all([ask(), ask()]);
    expect([first.status, second.status]).toEqual([200, 200]);
    const policy = itemsOf(first.headers.get('ratelimit-policy'));
    expect(policy).toEqual({ requests: { q: '2', w: '10' }, tokens: { q: '1000000', w: '60' } });
    const refused = await untilRefused(ask);
    expect(itemsOf(refused.headers.get('ratelimit-policy'))).toEqual({ requests: policy.requests });
    expect(itemsOf(refused.headers.get('ratelimit'))).toEqual({
      requests: { r: '0', t: refused.headers.get('retry-after') },
    });
    expect(refused.headers.get('x-ratelimit-remaining-requests')).toBe('0');
  });

  test('a request for more tokens than are left is told how many are', async () => {
    const key = await keyWith({ tokensPerMinute: 60 });
    const messages = [{ role: 'user', content: 'Which plan fits a small shop? The Basic plan fits small shops.' }];
    // More than a minute's tokens: it waits for an unused minute.
    const refused = await untilRefused(() =>
      send(app, 'POST', '/api/v1/assistant/chat', key, { messages, maxOutputTokens: 100 }),
    );
    expect(itemsOf(refused.headers.get('ratelimit-policy'))).toEqual({ tokens: { q: '60', w: '60' } });
    const { r, t } = itemsOf(refused.headers.get('ratelimit')).tokens ?? {};
    expect(t).toBe(refused.headers.get('retry-after'));
    expect(Number(r)).toBeGreaterThan(0);
    expect(Number(r)).toBeLessThan(60);
  });

  test('a request beyond the places is refused with how many there are', async () => {
    const key = await keyWith({ concurrent: 1 });
    const ask = () => send(app, 'GET', '/v1/models', key);
    let refused: Answer | undefined;
    for (let tries = 0; tries < 50 && !refused; tries++)
      refused = (await Promise.all(Array.from({ length: 8 }, ask))).find(({ status }) => status === 429);
    expect(refused?.headers.get('ratelimit-policy')).toBe('"concurrent-requests";q=1;qu="concurrent-requests"');
    expect(refused?.headers.get('ratelimit')).toBe('"concurrent-requests";r=0;t=1');
  });
});
