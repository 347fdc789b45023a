import { expect, test } from 'vitest';
import { testConfig } from '../support/app.ts';

const databaseUrl = 'mysql://root@127.0.0.1/x';

test('a provider needs no setting when its key is in the environment', () => {
  const { providers } = testConfig({ databaseUrl, variables: { OPENAI_API_KEY: 'sk-1', GEMINI_API_KEY: 'g-1' } });
  expect(providers).toMatchObject([
    { id: 'openai', kind: 'openai', apiKey: 'sk-1' },
    { id: 'google', kind: 'google', apiKey: 'g-1' },
  ]);
  expect(testConfig({ databaseUrl }).providers).toEqual([]);
});

test('a configured provider of that name stands as it is configured', () => {
  const settings = 'providers: [{ id: openai, kind: openai, apiKeyEnv: OTHER }]';
  const { providers } = testConfig({ databaseUrl, settings, variables: { OPENAI_API_KEY: 'sk-1', OTHER: 'sk-2' } });
  expect(providers).toMatchObject([{ id: 'openai', apiKey: 'sk-2' }]);
});
