import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CallSetting } from '../../src/providers/call-settings.ts';
import { createProviders, type ProviderKind, type Providers, providerOptionsOf } from '../../src/providers/index.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

// One model of each kind that providers serve, and of each generation that they treat in its own way.
const models: [ProviderKind, string][] = [
  ['openai', 'gpt-4.1-mini'],
  ['openai', 'gpt-5-mini'],
  ['openai', 'gpt-5.6'],
  ['openai', 'o3'],
  ['anthropic', 'claude-opus-4-1'],
  ['anthropic', 'claude-sonnet-4-5'],
  ['anthropic', 'claude-haiku-4-5'],
  ['google', 'gemini-2.5-flash'],
  ['google', 'gemini-3-pro-preview'],
  ['openai-compatible', 'any'],
];

const tool = { type: 'function' as const, name: 'f', inputSchema: { type: 'object' as const, properties: {} } };
const prompt: LanguageModelV4CallOptions['prompt'] = [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }];

/** A call with a setting, and how the body shows that the provider is told of it. */
const settings: Record<CallSetting, { options: LanguageModelV4CallOptions; shows: RegExp }> = {
  penalties: {
    options: { prompt, presencePenalty: 0.5, frequencyPenalty: 0.25 },
    shows: /^(?=.*presence_?penalty":0\.5)(?=.*frequency_?penalty":0\.25)/i,
  },
  oneToolCall: {
    options: {
      prompt,
      tools: [tool],
      toolChoice: { type: 'auto' },
      providerOptions: providerOptionsOf({ parallelToolCalls: false }) ?? {},
    },
    shows: /"parallel_tool_calls":false|"disable_parallel_tool_use":true/,
  },
  strictTools: {
    options: { prompt, tools: [{ ...tool, strict: true }], toolChoice: { type: 'auto' } },
    shows: /"strict":true|"mode":"VALIDATED"/,
  },
};

let upstream: Upstream;
let providers: Providers;
beforeAll(async () => {
  upstream = await startUpstream({ status: 400, body: { error: { message: 'no' } } });
  const kinds = [...new Set(models.map(([kind]) => kind))];
  providers = createProviders({
    providers: kinds.map((kind) => ({ id: kind, kind, baseUrl: `${upstream.url}/v1`, apiKey: 'k' })),
    log: pino({ level: 'silent' }),
  });
});
afterAll(async () => {
  await providers.close();
  await upstream.close();
});

describe.each(models)('%s %s', (kind, name) => {
  test.each(Object.keys(settings) as CallSetting[])('is told of %s, or is not chosen with it', async (setting) => {
    const model = providers.model(kind, name) as LanguageModelV4;
    const { options, shows } = settings[setting];
    for (const send of [() => model.doGenerate(options), () => model.doStream(options)]) {
      const before = upstream.seen.length;
      await expect(send()).rejects.toThrow();
      expect(upstream.seen).toHaveLength(before + 1);
      const told = shows.test(JSON.stringify(upstream.seen.at(-1)?.body));
      // A model that would be told, and is not chosen, is a miss; one that is chosen and not told drops what was asked.
      if (providers.takes(kind, name, setting)) expect(told).toBe(true);
      else if (kind !== 'google') expect(told).toBe(false);
    }
  });
});

test('what is not enabled takes nothing', () => {
  expect(providers.takes('nobody', 'm', 'penalties')).toBe(false);
  expect(providers.takes('builtin', 'extractive', 'oneToolCall')).toBe(false);
});
