import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { buildApp } from '../../src/app.ts';
import { prepareQuickstart, quickstartConfig } from '../../src/quickstart.ts';
import { onboard, send, testConfig, testSecrets } from '../support/app.ts';
import { firstServer, useDatabase } from '../support/database.ts';

const operatorToken = 'test-operator-token-of-more-than-32-characters';
const database = useDatabase(firstServer());

/** Starts quickstart with one provider's key set, and returns its models, logs and output. */
const secrets = testSecrets();

async function quickstartWith(variable: string) {
  const folder = mkdtempSync(join(tmpdir(), 'list-prices-'));
  const own = testConfig({ databaseUrl: database().url, variables: { [variable]: 'no-key' } });
  const config = { ...(await quickstartConfig(own, 'http://127.0.0.1:9')), dataDir: folder };
  const lines: string[] = [];
  const log = pino({ level: 'info', base: null }, { write: (line: string) => lines.push(line) });
  const app = await buildApp({ config, secrets, log, progress: () => {} });
  try {
    const told = await prepareQuickstart({ app, config, secrets });
    const customer = await onboard({ ...app, operatorToken, logged: () => '' });
    const { body } = await send(app, 'GET', '/api/v1/assistant/models?pageSize=100', customer.apiKey);
    const off = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'a model is not offered');
    return { told, off, offered: body.models as { provider: string; id: string; price: object }[] };
  } finally {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

// Their prices on the day of the data, which a newer package may change.
const examples = [
  {
    variable: 'OPENAI_API_KEY',
    provider: 'openai',
    id: 'gpt-5.5',
    price: {
      inputPerMillionUsd: '5.00',
      cachedInputPerMillionUsd: '0.50',
      outputPerMillionUsd: '30.00',
      tiers: [{ aboveInputTokens: 271_999, inputPerMillionUsd: '10.00', outputPerMillionUsd: '45.00' }],
    },
    off: 'gpt-6.1-sol',
  },
  {
    variable: 'ANTHROPIC_API_KEY',
    provider: 'anthropic',
    id: 'claude-opus-5-5',
    price: { inputPerMillionUsd: '4.00', cacheWriteInputPerMillionUsd: '5.00', outputPerMillionUsd: '20.00' },
    off: 'claude-sonnet-5-5',
  },
  {
    variable: 'GEMINI_API_KEY',
    provider: 'google',
    id: 'gemini-3.5-flash',
    price: { inputPerMillionUsd: '1.50', cachedInputPerMillionUsd: '0.15', outputPerMillionUsd: '9.00' },
    off: undefined,
  },
];

test.each(examples)(
  '$variable alone: quickstart offers its models at list prices, and says which are off',
  { timeout: 120_000 },
  async ({ variable, provider, id, price, off: unpriced }) => {
    const { offered, off, told } = await quickstartWith(variable);
    expect(offered.find((model) => model.id === id)).toMatchObject({ provider, price });
    expect(offered.filter((model) => model.provider === provider).length).toBeGreaterThan(8);
    expect(told).toContain(`It answers with ${provider}/`);
    expect(
      off.map(({ model }) => model).filter((name) => offered.some((each) => name.endsWith(`/${each.id}`))),
    ).toEqual([]);
    if (unpriced === undefined) {
      expect(told).not.toContain('models are off');
      return;
    }
    expect(offered.map((model) => model.id)).not.toContain(unpriced);
    expect(off.find(({ model }) => model === `${provider}/${unpriced}`)?.reason).toContain('no list price');
    expect(told).toContain(`${off.length} models are off: "npm run cli -- prices off" says why.`);
  },
);
