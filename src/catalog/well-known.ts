import type { Capability, ModelSettings } from './model.ts';

/** What is known about a model besides its price. */
type KnownModel = Omit<ModelSettings, 'provider' | 'price' | 'cost'>;

const sees: Capability[] = ['tools', 'json', 'images', 'documents'];
const thinks: Capability[] = [...sees, 'reasoning'];

/**
 * The providers' chat models, with the longest input and reply that the providers publish. They are used if the configuration
 * names the provider but none of its models. Their prices are in `list-prices.ts`; a model without a list price is known but
 * stays disabled. `reasoning` is for models that reason unless told not to. The quality is a rank for routing, not a benchmark.
 */
export const wellKnownModels: Readonly<Record<string, readonly KnownModel[]>> = {
  openai: [
    known('gpt-6-astra', 98, 922_000, 128_000, thinks),
    known('gpt-6.1-sol', 97, 922_000, 128_000, thinks),
    known('gpt-6.1-terra', 93, 922_000, 128_000, thinks),
    known('gpt-6-sol', 96, 922_000, 128_000, thinks),
    known('gpt-6-luna', 86, 922_000, 128_000, thinks),
    known('gpt-5.6-sol', 95, 922_000, 128_000, thinks),
    known('gpt-5.6-terra', 92, 922_000, 128_000, thinks),
    known('gpt-5.6-luna', 85, 922_000, 128_000, thinks),
    known('gpt-5.5', 94, 872_000, 128_000, thinks),
    known('gpt-5.4', 92, 922_000, 128_000, thinks),
    known('gpt-5.4-mini', 83, 272_000, 128_000, thinks),
    known('gpt-5.4-nano', 70, 272_000, 128_000, thinks),
    known('gpt-5', 88, 272_000, 128_000, thinks),
    known('gpt-5-mini', 80, 272_000, 128_000, thinks),
    known('gpt-5-nano', 66, 272_000, 128_000, thinks),
    known('gpt-4.1', 78, 1_047_576, 32_768, sees),
    known('gpt-4.1-mini', 71, 1_047_576, 32_768, sees),
    known('gpt-4.1-nano', 58, 1_047_576, 32_768, sees),
    known('gpt-4o', 74, 128_000, 16_384, sees),
    known('gpt-4o-mini', 60, 128_000, 16_384, sees, 40_000),
  ],
  anthropic: [
    known('claude-fable-5-2', 98, 1_000_000, 128_000, thinks),
    known('claude-fable-5-1', 98, 1_000_000, 128_000, thinks),
    known('claude-fable-5', 97, 1_000_000, 128_000, thinks),
    known('claude-opus-5-5', 97, 1_000_000, 128_000, thinks),
    known('claude-opus-5', 96, 1_000_000, 128_000, sees),
    known('claude-opus-4-8', 95, 1_000_000, 128_000, sees),
    known('claude-opus-4-7', 94, 1_000_000, 128_000, sees),
    known('claude-opus-4-6', 93, 1_000_000, 128_000, sees),
    known('claude-opus-4-5', 92, 200_000, 64_000, sees),
    known('claude-opus-4-1', 89, 200_000, 32_000, sees),
    known('claude-sonnet-5-5', 95, 1_000_000, 128_000, thinks),
    known('claude-sonnet-5', 94, 1_000_000, 128_000, sees),
    known('claude-sonnet-4-6', 92, 1_000_000, 128_000, sees),
    known('claude-sonnet-4-5', 90, 200_000, 64_000, sees),
    known('claude-haiku-5-5', 86, 200_000, 64_000, thinks),
    known('claude-haiku-4-5', 79, 200_000, 64_000, sees),
  ],
  google: [
    known('gemini-3.8-flash', 89, 1_048_576, 65_536, thinks),
    known('gemini-3.7-flash', 88, 1_048_576, 65_536, thinks),
    known('gemini-3.6-flash', 87, 1_048_576, 65_536, thinks),
    known('gemini-3.5-flash', 86, 1_048_576, 65_536, thinks),
    known('gemini-3.5-flash-lite', 74, 1_048_576, 65_536, thinks),
    known('gemini-3.1-pro-preview', 91, 1_048_576, 65_536, thinks),
    known('gemini-3.1-flash-lite', 72, 1_048_576, 65_536, thinks),
    known('gemini-3-flash-preview', 83, 1_048_576, 65_536, thinks),
    known('gemini-2.5-pro', 86, 1_048_576, 65_536, thinks),
    known('gemini-2.5-flash', 77, 1_048_576, 65_536, thinks),
    known('gemini-2.5-flash-lite', 64, 1_048_576, 65_536, sees),
  ],
};

/** The embedded model, which answers on a fresh installation. Its price lets a first request be billed for real. */
export const embeddedModel: ModelSettings = {
  id: 'extractive',
  provider: 'builtin',
  quality: 1,
  contextTokens: 1_000_000,
  maxOutputTokens: 4_096,
  capabilities: [],
  price: { inputPerMillionUsd: '0.02', cachedInputPerMillionUsd: '0.02', outputPerMillionUsd: '0.04' },
};

/** The embedded reranking model, which ranks documents by the words they share with the query. */
export const embeddedReranker: ModelSettings = {
  id: 'lexical',
  provider: 'builtin',
  quality: 1,
  contextTokens: 32_768,
  rerank: { api: 'builtin' },
  price: { inputPerMillionUsd: '0.02' },
};

function known(
  id: string,
  quality: number,
  contextTokens: number,
  maxOutputTokens: number,
  capabilities: Capability[],
  imageTokens?: number,
): KnownModel {
  return { id, quality, contextTokens, maxOutputTokens, capabilities, imageTokens };
}
