import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { settingsOf } from './common.ts';
import { createExtractiveModel } from './extractive.ts';
import { createOpenAICompatibleModel } from './openai-compatible.ts';
import type { ProviderKind, ProviderSettings } from './settings.ts';
import { usageShapes } from './stated-usage.ts';
import type { UpstreamFetch } from './upstream-fetch.ts';

type Connect = (settings: ProviderSettings, upstream: UpstreamFetch) => (model: string) => LanguageModelV4;

// A new kind of provider is one line here.
const kinds: Record<ProviderKind, Connect> = {
  builtin: () => createExtractiveModel,
  openai: (settings, { fetchStating }) =>
    createOpenAI({ ...settingsOf(settings), fetch: fetchStating(usageShapes.openai) }).responses,
  anthropic: (settings, { fetchStating }) =>
    createAnthropic({ ...settingsOf(settings), fetch: fetchStating(usageShapes.anthropic) }),
  google: (settings, { fetchStating }) =>
    createGoogle({ ...settingsOf(settings), fetch: fetchStating(usageShapes.google) }),
  'openai-compatible': createOpenAICompatibleModel,
};

/** The provider's models, by the provider's own names for them. */
export function connectProvider(
  settings: ProviderSettings,
  upstream: UpstreamFetch,
): (model: string) => LanguageModelV4 {
  return kinds[settings.kind](settings, upstream);
}
