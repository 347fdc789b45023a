import { expect, test } from 'vitest';
import { send } from '../../support/app.ts';
import { openConsole, settled } from './harness.ts';

const site = openConsole({
  settings: `
providers:
  - { id: up, kind: openai-compatible, baseUrl: "http://127.0.0.1:9", apiKeyEnv: UP_KEY }
models:
  - { id: large-model, provider: up, quality: 90, contextTokens: 1000000, maxOutputTokens: 64000, capabilities: [tools, json, images, reasoning],
      price: { inputPerMillionUsd: "2.5", cachedInputPerMillionUsd: "0.25", outputPerMillionUsd: "15",
        tiers: [{ aboveInputTokens: 200000, inputPerMillionUsd: "5", outputPerMillionUsd: "22.5" }] } }
  - { id: small-model, provider: up, quality: 40, contextTokens: 32000, maxOutputTokens: 4000, capabilities: [json],
      price: { inputPerMillionUsd: "0.15", outputPerMillionUsd: "0.6" } }
  - { id: embeds, provider: up, quality: 50, contextTokens: 8191, price: { inputPerMillionUsd: "0.02" }, embedding: { dimensions: 1536 } }
  - { id: ranks-by-units, provider: up, quality: 60, contextTokens: 32764, price: { perThousandSearchUnitsUsd: "2.5" }, rerank: { api: cohere } }
  - { id: ranks-by-tokens, provider: up, quality: 50, contextTokens: 32000, price: { inputPerMillionUsd: "0.05" }, rerank: { api: voyage } }`,
  variables: { UP_KEY: 'a-key' },
});

test('each price is the one of the API, to the nano-USD', async () => {
  const { app, customer } = site;
  const read = async (path: string) => (await send(app, 'GET', path, customer.managementKey)).body;
  const { models } = await read('/api/v1/assistant/models');
  const { prices } = await read('/v1/workflows/prices');
  expect(models.length).toBeGreaterThan(2);

  const page = await site.open('/models');
  await settled(page);
  const rows = page.getByRole('table', { name: 'Chat models' }).locator('tbody tr');
  expect(await rows.count()).toBe(models.length);
  for (const [index, { id, price }] of models.entries()) {
    const row = rows.nth(index);
    expect(await row.locator('strong').first().textContent()).toBe(id);
    const amounts = await row.locator('data.money').evaluateAll((all) => all.map((each) => each.getAttribute('value')));
    const known = [
      price.inputPerMillionUsd,
      price.cachedInputPerMillionUsd,
      price.outputPerMillionUsd,
      price.perRequestUsd,
    ];
    expect(amounts.slice(0, -1)).toEqual(known.filter((each) => each !== undefined));
  }
  const workflows = page.getByRole('table', { name: 'Workflows and events' }).locator('tbody data.money');
  expect(await workflows.evaluateAll((all) => all.map((each) => each.getAttribute('value')))).toEqual(
    prices.map(({ priceUsd }: { priceUsd: string }) => priceUsd),
  );
});

test('models that make vectors and rankings have the prices of the API, and say what a price is for', async () => {
  const { app, customer } = site;
  const read = async (path: string) => (await send(app, 'GET', path, customer.managementKey)).body.models;
  const [embedding, ranking] = [await read('/api/v1/embeddings/models'), await read('/api/v1/rerank/models')];
  const page = await site.open('/models');
  await settled(page);
  const shown = async (table: string, id: string) => {
    const row = page.getByRole('table', { name: table }).getByRole('row').filter({ hasText: id });
    const amounts = await row.locator('data.money').evaluateAll((all) => all.map((each) => each.getAttribute('value')));
    return { amounts, text: (await row.textContent()) ?? '' };
  };
  expect(embedding.length).toBeGreaterThan(0);
  for (const { id, inputPerMillionUsd, perRequestUsd } of embedding)
    expect((await shown('Embedding models', id)).amounts).toEqual([inputPerMillionUsd, perRequestUsd]);
  expect(ranking.length).toBeGreaterThan(2);
  for (const { id, perThousandSearchUnitsUsd, inputPerMillionUsd, perRequestUsd } of ranking) {
    const { amounts, text } = await shown('Rerank models', id);
    expect(amounts).toEqual([perThousandSearchUnitsUsd ?? inputPerMillionUsd, perRequestUsd]);
    expect(text).toContain(perThousandSearchUnitsUsd ? '1,000 search units' : '1,000,000 tokens read');
  }
});

test('the calculator counts a thousand requests, in the tier that they are in', async () => {
  const page = await site.open('/models');
  const calculated = page.getByRole('row', { name: /large-model/ }).locator('strong data.money');
  expect(await calculated.getAttribute('value')).toBe('7.00');
  await page.getByLabel('of them cached').fill('500');
  expect(await calculated.getAttribute('value')).toBe('5.875');
  await page.getByLabel('of them cached').fill('0');
  await page.getByLabel('Tokens in').fill('200,001');
  expect(await calculated.getAttribute('value')).toBe('1006.755');
  expect(await page.getByRole('row', { name: /small-model/ }).textContent()).toContain('too long');
  await page.getByLabel('Tokens out').fill('many');
  expect(await page.getByText('A whole number up to 10,000,000').count()).toBe(1);
  expect(await calculated.count()).toBe(0);
});

test('filters narrow the models and live in the address; typing is one step back', async () => {
  const page = await site.open('/');
  await page.getByRole('link', { name: 'Models' }).click();
  const rows = page.getByRole('table', { name: 'Chat models' }).locator('tbody tr');
  await page.getByLabel('Name or provider').fill('small');
  await expect.poll(() => rows.count()).toBe(1);
  expect(new URL(page.url()).search).toBe('?search=small');
  await page.getByLabel('Ability').selectOption('images');
  await page.getByText('No model matches. Remove a filter.').waitFor();
  await page.goBack();
  await expect.poll(() => rows.count()).toBe(1);
  await page.goBack();
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();

  const shared = await site.open('/models?ability=images');
  await settled(shared);
  expect(await shared.getByRole('table', { name: 'Chat models' }).locator('tbody strong').first().textContent()).toBe(
    'large-model',
  );
  expect(await shared.getByRole('table', { name: 'Chat models' }).locator('tbody tr').count()).toBe(1);
});

site.matrix('/models', { name: 'models', states: ['filled', 'slow', 'failing'] });
