import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import type { OwnKey } from '../../src/base/own-key.ts';
import { createProviders, type ProviderKind } from '../../src/providers/index.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

let upstream: Upstream | undefined;
afterEach(() => upstream?.close());

const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }];
const keyed = (id: string, secret: string): OwnKey => ({
  ...{ id, provider: 'p', lastFour: secret.slice(-4) },
  secret: () => secret,
});

const cases: [ProviderKind, string, string][] = [
  ['openai', 'authorization', 'Bearer '],
  ['anthropic', 'x-api-key', ''],
  ['google', 'x-goog-api-key', ''],
  ['openai-compatible', 'authorization', 'Bearer '],
];

test.each(cases)("%s is shown the account's key in %s, and nothing of the operator's", async (kind, header, prefix) => {
  upstream = await startUpstream({ status: 401, body: { error: { message: 'no' } } });
  const headers = { [header]: `${prefix}operators-header`, 'x-operator': 'operators-header' };
  const settings = { id: 'p', kind, baseUrl: upstream.url, apiKey: 'operators-key', headers };
  const providers = createProviders({ providers: [settings], ownKeys: ['p'], log: pino({ level: 'silent' }) });
  try {
    const keys = [keyed('pky_1', 'sk-one-0001'), keyed('pky_2', 'sk-two-0002')];
    for (const key of keys) await expect(providers.model('p', 'm', key)?.doGenerate({ prompt })).rejects.toThrow();
    expect(upstream.seen.map((seen) => seen.headers[header])).toEqual(keys.map((key) => `${prefix}${key.secret()}`));
    expect(JSON.stringify(upstream.seen.map((seen) => seen.headers))).not.toContain('operators');
    expect(JSON.stringify(keys)).not.toContain('sk-');
  } finally {
    await providers.close();
  }
});

test('a provider that no keys are taken of is not called with one, and needs none of the operator to be called so', async () => {
  const log = pino({ level: 'silent' });
  const key = keyed('pky_1', 'sk-one-0001');
  const settings = [{ id: 'p', kind: 'openai' as const, apiKeyEnv: 'NONE' }];
  const closed = createProviders({ providers: settings, log });
  expect([closed.enabled, closed.ownKeys, closed.model('p', 'm', key)]).toEqual([['builtin'], [], undefined]);
  const open = createProviders({ providers: settings, ownKeys: ['p', 'builtin'], log });
  expect([open.enabled, open.ownKeys]).toEqual([['builtin'], ['p']]);
  expect(open.model('p', 'm')).toBeUndefined();
  expect(open.model('p', 'm', key)).toBe(open.model('p', 'm', key));
  await Promise.all([closed.close(), open.close()]);
});
