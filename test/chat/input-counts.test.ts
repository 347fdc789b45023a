import type { LanguageModelV4Usage } from '@ai-sdk/provider';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PricedModel } from '../../src/catalog/index.ts';
import { inputCountsOf } from '../../src/chat/input-counts.ts';
import { attemptCost, worstCost } from '../../src/chat/quote.ts';
import { inputKindsOf, measureInput } from '../../src/chat/tokens.ts';
import type { ChatRequest } from '../../src/chat/types.ts';
import { dialects } from '../../src/providers/dialects/index.ts';
import { anyRates } from '../catalog/rates.ts';

const text: ChatRequest = { messages: [{ role: 'user', content: 'Hi' }] };
const heard: ChatRequest = {
  messages: [{ role: 'user', parts: [{ kind: 'audio', data: Buffer.from('RIFF'), mediaType: 'audio/wav' }] }],
};
const kept: ChatRequest = { messages: [{ role: 'user', content: 'Hi', cachePoint: { ttl: '1h' } }] };

const hourRate = { inputPerMillion: 1n, outputPerMillion: 1n, cacheWrite1hInputPerMillion: 2n, version: 1 };

/** A usage as Anthropic or an OpenAI-compatible server states it, in numbers that need not fit each other. */
function stating(cached: number, written: number, raw: { hour?: number; audio?: number }): LanguageModelV4Usage {
  return {
    inputTokens: { total: 1_000, noCache: undefined, cacheRead: cached, cacheWrite: written },
    outputTokens: { total: 1, text: undefined, reasoning: undefined },
    raw: {
      cache_creation: { ephemeral_1h_input_tokens: raw.hour ?? null },
      prompt_tokens_details: { audio_tokens: raw.audio ?? null },
    },
  };
}

function countsOf(
  kind: 'anthropic' | 'openai-compatible',
  usage: LanguageModelV4Usage,
  request: ChatRequest,
  more = {},
) {
  const route = { price: { ...hourRate, ...more } } as PricedModel;
  return inputCountsOf(usage, 1_000, { dialect: dialects[kind], measure: measureInput(request), route });
}

test('what a provider states of audio, or of an hour, counts where the request has brought it about', () => {
  const written = stating(100, 500, { hour: 400 });
  const counts = { cachedInputTokens: 100, cacheWriteInputTokens: 500 };
  expect(countsOf('anthropic', written, kept)).toEqual({ ...counts, cacheWrite1hInputTokens: 400 });
  expect(countsOf('anthropic', written, text)).toEqual(counts);
  expect(countsOf('anthropic', written, kept, { cacheWrite1hInputPerMillion: undefined })).toEqual(counts);
  const recorded = stating(100, 0, { audio: 300 });
  const plain = { cachedInputTokens: 100, cacheWriteInputTokens: 0 };
  expect(countsOf('openai-compatible', recorded, heard)).toEqual({ ...plain, audioInputTokens: 300 });
  expect(countsOf('openai-compatible', recorded, text)).toEqual(plain);
});

test('what is not stated, or is no count, stays unknown', () => {
  for (const audio of [undefined, -1, 0.5, 2 ** 40])
    expect(countsOf('openai-compatible', stating(0, 0, audio === undefined ? {} : { audio }), heard)).toEqual({
      cachedInputTokens: 0,
      cacheWriteInputTokens: 0,
    });
  expect(countsOf('openai-compatible', stating(0, 0, { audio: 0 }), heard)).toMatchObject({ audioInputTokens: 0 });
});

test('no token is of two kinds, and whatever is stated costs no more than was held for', () => {
  const count = fc.nat(1_500);
  const request = fc.constantFrom(text, heard, kept);
  const kind = fc.constantFrom('anthropic' as const, 'openai-compatible' as const);
  fc.assert(
    fc.property(anyRates, kind, request, fc.tuple(count, count, count, count), (rates, kind, request, stated) => {
      const [cached, written, hour, audio] = stated;
      const counts = countsOf(kind, stating(cached, written, { hour, audio }), request, rates);
      const { audioInputTokens = 0, cachedInputTokens = 0, cacheWriteInputTokens = 0 } = counts;
      expect(audioInputTokens + cachedInputTokens + cacheWriteInputTokens).toBeLessThanOrEqual(1_000);
      expect(counts.cacheWrite1hInputTokens ?? 0).toBeLessThanOrEqual(cacheWriteInputTokens);
      const route = { price: { ...rates, version: 1 } } as PricedModel;
      const tokens = { inputTokens: 1_000, outputTokens: 5 };
      const most = { ...tokens, ...inputKindsOf(measureInput(request)) };
      expect(attemptCost(route, { ...tokens, ...counts })).toBeLessThanOrEqual(worstCost(route, most));
    }),
    { seed: 20261122, numRuns: 2_000 },
  );
});
