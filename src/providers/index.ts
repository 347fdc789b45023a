import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { Logger } from 'pino';
import { createExtractiveModel } from './extractive.ts';
import { connectProvider } from './kinds.ts';
import type { ProviderSettings } from './settings.ts';
import { createUpstreamFetch, type UpstreamLimits } from './upstream-fetch.ts';

export { findOllamaModels } from './find-ollama.ts';
export type { ProviderKind, ProviderSettings } from './settings.ts';
export { type UpstreamFailure, type UpstreamOutcome, upstreamFailure } from './upstream-failure.ts';
export { defaultUpstreamLimits, type UpstreamLimits } from './upstream-fetch.ts';

/** The enabled providers, each behind the AI SDK's provider specification. */
export interface Providers {
  /** Ids of the providers that can be called. */
  readonly enabled: readonly string[];
  /** A provider's model, or undefined when the provider is not enabled. Costs nothing: models are kept. */
  model(provider: string, model: string): LanguageModelV4 | undefined;
  /** Ends the connections to the providers. */
  close(): Promise<void>;
}

/** Connects the configured providers; those whose key is absent stay off and the log says so. */
export function createProviders(deps: {
  providers: readonly ProviderSettings[];
  log: Logger;
  limits?: UpstreamLimits;
}): Providers {
  const upstream = createUpstreamFetch(deps.limits);
  const connected = new Map<string, (model: string) => LanguageModelV4>();
  connected.set('builtin', createExtractiveModel);
  for (const settings of deps.providers) {
    if (connected.has(settings.id) && settings.kind !== 'builtin')
      throw new Error(`Provider "${settings.id}" is configured twice.`);
    const missing = missingSetting(settings);
    if (missing) deps.log.info({ provider: settings.id }, `provider ${settings.id} is not enabled: ${missing}`);
    else connected.set(settings.id, connectProvider(settings, upstream));
  }

  const models = new Map<string, LanguageModelV4>();
  return {
    enabled: [...connected.keys()],
    model(provider, model) {
      const id = `${provider}/${model}`;
      let found = models.get(id);
      if (!found) {
        found = connected.get(provider)?.(model);
        if (found) models.set(id, found);
      }
      return found;
    },
    close: upstream.close,
  };
}

function missingSetting(settings: ProviderSettings): string | undefined {
  if (settings.kind === 'builtin') return undefined;
  if (!settings.apiKey && (settings.apiKeyEnv || settings.kind !== 'openai-compatible'))
    return `set ${settings.apiKeyEnv ?? 'its apiKeyEnv'} to its key`;
  if (settings.kind === 'openai-compatible' && !settings.baseUrl) return 'it has no baseUrl';
  return undefined;
}
