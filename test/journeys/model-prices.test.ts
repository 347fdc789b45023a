import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Customer, onboard, send, startApp, type TestApp } from '../support/app.ts';
import { firstServer, useDatabase } from '../support/database.ts';
import { completion, startUpstream, type Upstream } from '../support/upstream.ts';

const database = useDatabase(firstServer());
let upstream: Upstream;
let app: TestApp;
let customer: Customer;

beforeAll(async () => {
  upstream = await startUpstream();
  app = await startApp({
    databaseUrl: database().url,
    settings: `
providers: [{ id: up, kind: openai-compatible, baseUrl: "${upstream.url}/v1" }]
models:
  - id: long
    provider: up
    quality: 50
    contextTokens: 1000000
    price:
      inputPerMillionUsd: "1"
      cachedInputPerMillionUsd: "0.10"
      cacheWriteInputPerMillionUsd: "1.25"
      outputPerMillionUsd: "4"
      tiers:
        - { aboveInputTokens: 1000, inputPerMillionUsd: "2", cacheWriteInputPerMillionUsd: "2.50", outputPerMillionUsd: "6" }`,
  });
  customer = await onboard(app);
});
afterAll(async () => {
  await app.close();
  await upstream.close();
});

function stating(input: number, cached: number, written: number): void {
  upstream.answer(() => ({
    body: completion('Yes.', {
      prompt_tokens: input,
      completion_tokens: 10,
      prompt_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
    }),
  }));
}

const question = { model: 'long', messages: [{ role: 'user', content: 'long '.repeat(400) }] };

test('models are listed with their cache writes and tiers', async () => {
  const { body } = await send(app, 'GET', '/api/v1/assistant/models', customer.apiKey);
  expect(body.models.find(({ id }: { id: string }) => id === 'long')?.price).toEqual({
    inputPerMillionUsd: '1.00',
    cachedInputPerMillionUsd: '0.10',
    cacheWriteInputPerMillionUsd: '1.25',
    outputPerMillionUsd: '4.00',
    perRequestUsd: '0.00',
    tiers: [
      {
        aboveInputTokens: 1_000,
        inputPerMillionUsd: '2.00',
        cacheWriteInputPerMillionUsd: '2.50',
        outputPerMillionUsd: '6.00',
      },
    ],
  });
});

test('a reply costs what was written into the cache, at the tier that its input is in', async () => {
  stating(900, 100, 500);
  const short = await send(app, 'POST', '/api/v1/assistant/chat', customer.apiKey, question);
  // 300 x 1 + 100 x 0.10 + 500 x 1.25 + 10 x 4, in millionths.
  expect(short.body.usage).toMatchObject({ cacheWriteInputTokens: 500, cachedInputTokens: 100, costUsd: '0.000975' });
  stating(1_001, 100, 500);
  const long = await send(app, 'POST', '/api/v1/assistant/chat', customer.apiKey, question);
  // 501 x 2 + 500 x 2.50 + 10 x 6; the tier has no rate for cached input.
  expect(long.body.usage).toMatchObject({ cacheWriteInputTokens: 500, costUsd: '0.002312' });
  expect(long.body.balanceUsd).toBe('4.996713');
});

test("OpenAI's clients see them where that API has them", async () => {
  stating(900, 100, 500);
  const reply = await send(app, 'POST', '/v1/chat/completions', customer.apiKey, question);
  expect(reply.body.usage.prompt_tokens_details).toEqual({ cached_tokens: 100, cache_write_tokens: 500 });
});

test('the ceiling of an estimate covers input that is all written into the cache, in the dearest tier', async () => {
  const { body } = await send(app, 'POST', '/api/v1/assistant/chat:estimate', customer.apiKey, {
    ...question,
    maxOutputTokens: 100,
  });
  // 2,000 bytes of text and at most 24 tokens around them, and the reply.
  expect(body.ceilingUsd).toBe('0.00566');
});
