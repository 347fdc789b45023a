import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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
        - { aboveInputTokens: 1000, inputPerMillionUsd: "2", cacheWriteInputPerMillionUsd: "2.50", outputPerMillionUsd: "6" }
  - id: heard
    provider: up
    quality: 50
    contextTokens: 10000
    capabilities: [audio]
    price:
      inputPerMillionUsd: "1"
      cacheWrite1hInputPerMillionUsd: "2"
      audioInputPerMillionUsd: "8"
      outputPerMillionUsd: "4"
      tiers:
        - { aboveInputTokens: 1000, inputPerMillionUsd: "2", audioInputPerMillionUsd: "9", outputPerMillionUsd: "6" }
  - { id: deaf, provider: up, quality: 50, contextTokens: 10000, capabilities: [audio], price: { inputPerMillionUsd: "1", outputPerMillionUsd: "4" } }`,
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

describe('audio', () => {
  const audio = { data: Buffer.from('RIFF').toString('base64'), mediaType: 'audio/wav' };
  const recording = { model: 'heard', maxOutputTokens: 100, messages: [{ role: 'user', parts: [{ audio }] }] };

  test('a model has a rate for it, or is not listed', async () => {
    const { body } = await send(app, 'GET', '/api/v1/assistant/models', customer.apiKey);
    const priceOf = (name: string) => body.models.find(({ id }: { id: string }) => id === name)?.price;
    expect(priceOf('heard')).toMatchObject({
      audioInputPerMillionUsd: '8.00',
      cacheWrite1hInputPerMillionUsd: '2.00',
      tiers: [{ audioInputPerMillionUsd: '9.00' }],
    });
    expect(priceOf('deaf')).toBeUndefined();
  });

  test('a reply costs what of the input was audio, and all of it is held for', async () => {
    upstream.answer(() => ({
      body: completion('Yes.', {
        prompt_tokens: 400,
        completion_tokens: 10,
        prompt_tokens_details: { cached_tokens: 0, audio_tokens: 300 },
      }),
    }));
    const { body } = await send(app, 'POST', '/api/v1/assistant/chat', customer.apiKey, recording);
    // 100 x 1 + 300 x 8 + 10 x 4, in millionths.
    expect(body.usage).toMatchObject({ inputTokens: 400, audioInputTokens: 300, costUsd: '0.00254' });
    const estimate = await send(app, 'POST', '/api/v1/assistant/chat:estimate', customer.apiKey, recording);
    // The whole window as audio, and the longest reply.
    expect(estimate.body.ceilingUsd).toBe('0.0906');
    const usage = await send(app, 'GET', '/v1/usage?groupBy=model', customer.managementKey);
    expect(usage.body.rows.find(({ model }: { model: string }) => model === 'heard')).toMatchObject({
      audioInputTokens: '300',
      cacheWrite1hInputTokens: '0',
      costUsd: '0.00254',
    });
  });
});
