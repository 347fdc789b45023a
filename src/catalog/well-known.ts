import type { Capability, ContextTierSettings, ModelSettings } from './model.ts';

/** Gemini 2.5 Pro above 200,000 input tokens. */
const geminiLong: ContextTierSettings = {
  aboveInputTokens: 200_000,
  inputPerMillionUsd: '2.50',
  cachedInputPerMillionUsd: '0.25',
  outputPerMillionUsd: '15',
};

/**
 * Well-known models with the list prices, context windows and reply limits that their providers published, as of
 * 2025-10-01. They are used where the configuration names the provider and no models of its own for it; an operator who
 * wants other prices, or newer models, writes them in the configuration. What Anthropic writes into its cache costs 1.25
 * times the input for the five minutes that it is kept by default. The quality is a rank for routing, not a benchmark.
 */
export const wellKnownModels: Readonly<Record<string, readonly Omit<ModelSettings, 'provider'>[]>> = {
  openai: [
    known('gpt-5', 92, 272_000, 128_000, ['tools', 'json', 'images', 'reasoning'], '1.25', '0.125', '10'),
    known('gpt-5-mini', 82, 272_000, 128_000, ['tools', 'json', 'images', 'reasoning'], '0.25', '0.025', '2'),
    known('gpt-5-nano', 66, 272_000, 128_000, ['tools', 'json', 'images', 'reasoning'], '0.05', '0.005', '0.40'),
    known('gpt-4.1', 80, 1_047_576, 32_768, ['tools', 'json', 'images'], '2', '0.50', '8'),
    known('gpt-4.1-mini', 72, 1_047_576, 32_768, ['tools', 'json', 'images'], '0.40', '0.10', '1.60'),
    known('gpt-4.1-nano', 58, 1_047_576, 32_768, ['tools', 'json', 'images'], '0.10', '0.025', '0.40'),
    known('gpt-4o', 76, 128_000, 16_384, ['tools', 'json', 'images'], '2.50', '1.25', '10'),
    known('gpt-4o-mini', 60, 128_000, 16_384, ['tools', 'json', 'images'], '0.15', '0.075', '0.60', {
      imageTokens: 40_000,
    }),
  ],
  anthropic: [
    known('claude-opus-4-1', 91, 200_000, 32_000, ['tools', 'json', 'images'], '15', '1.50', '75', {
      cacheWriteInputPerMillionUsd: '18.75',
    }),
    known('claude-sonnet-4-5', 90, 200_000, 64_000, ['tools', 'json', 'images'], '3', '0.30', '15', {
      cacheWriteInputPerMillionUsd: '3.75',
    }),
    known('claude-haiku-4-5', 79, 200_000, 64_000, ['tools', 'json', 'images'], '1', '0.10', '5', {
      cacheWriteInputPerMillionUsd: '1.25',
    }),
  ],
  google: [
    known('gemini-2.5-pro', 88, 1_048_576, 65_536, ['tools', 'json', 'images', 'reasoning'], '1.25', '0.125', '10', {
      tiers: [geminiLong],
    }),
    known('gemini-2.5-flash', 78, 200_000, 65_536, ['tools', 'json', 'images', 'reasoning'], '0.30', '0.03', '2.50'),
    known('gemini-2.5-flash-lite', 64, 200_000, 65_536, ['tools', 'json', 'images'], '0.10', '0.01', '0.40'),
  ],
};

/** The embedded model, which a fresh machine answers with. Its price lets a first request be billed for real. */
export const embeddedModel: ModelSettings = {
  id: 'extractive',
  provider: 'builtin',
  quality: 1,
  contextTokens: 1_000_000,
  maxOutputTokens: 4_096,
  capabilities: [],
  price: { inputPerMillionUsd: '0.02', cachedInputPerMillionUsd: '0.02', outputPerMillionUsd: '0.04' },
};

function known(
  id: string,
  quality: number,
  contextTokens: number,
  maxOutputTokens: number,
  abilities: Capability[],
  inputPerMillionUsd: string,
  cachedInputPerMillionUsd: string,
  outputPerMillionUsd: string,
  {
    imageTokens,
    ...rates
  }: { imageTokens?: number; cacheWriteInputPerMillionUsd?: string; tiers?: ContextTierSettings[] } = {},
): Omit<ModelSettings, 'provider'> {
  const price = { inputPerMillionUsd, cachedInputPerMillionUsd, outputPerMillionUsd, ...rates };
  return { id, quality, contextTokens, maxOutputTokens, capabilities: abilities, price, cost: price, imageTokens };
}
