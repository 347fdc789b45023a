import { expect, test } from 'vitest';
import { onboard, send, startApp } from '../support/app.ts';
import { firstServer, useDatabase } from '../support/database.ts';

const database = useDatabase(firstServer());

test("a provider's key alone offers its models at list prices, and the log says which are off", async () => {
  const app = await startApp({ databaseUrl: database().url, variables: { OPENAI_API_KEY: 'no-key' } });
  try {
    const customer = await onboard(app);
    const { body } = await send(app, 'GET', '/api/v1/assistant/models', customer.apiKey);
    const offered = body.models as { provider: string; id: string; price: object }[];
    expect(offered.find(({ id }) => id === 'gpt-5.5')).toMatchObject({
      provider: 'openai',
      price: {
        inputPerMillionUsd: '5.00',
        cachedInputPerMillionUsd: '0.50',
        outputPerMillionUsd: '30.00',
        tiers: [{ aboveInputTokens: 271_999, inputPerMillionUsd: '10.00', outputPerMillionUsd: '45.00' }],
      },
    });
    expect(offered.map(({ id }) => id)).not.toContain('gpt-6.1-sol');
    const off = app
      .logged()
      .split('\n')
      .filter((line) => line.includes('a model is not offered'))
      .map((line) => JSON.parse(line));
    expect(off.find(({ model }) => model === 'openai/gpt-6.1-sol')?.reason).toContain('do not name it');
  } finally {
    await app.close();
  }
});
