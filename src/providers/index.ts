import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { Logger } from 'pino';
import type { OwnKey } from '../base/own-key.ts';
import { type CallSetting, takesSetting } from './call-settings.ts';
import { type Dialect, dialects } from './dialects/index.ts';
import { connectEmbeddings, type EmbeddingUpstream } from './embeddings.ts';
import { createExtractiveModel } from './extractive.ts';
import { createKeyedConnections, kept } from './keyed.ts';
import { connectProvider } from './kinds.ts';
import type { RerankApi, RerankUpstream } from './rerank-upstream.ts';
import { connectBuiltinReranking, connectReranking } from './reranking.ts';
import type { ProviderKind, ProviderSettings } from './settings.ts';
import { createUpstreamFetch, type UpstreamLimits } from './upstream-fetch.ts';

export { type CallSetting, providerOptionsOf } from './call-settings.ts';
export type { AskedModel, Dialect, ReasoningWish, Setting, Unsupported } from './dialects/index.ts';
export type { EmbeddingCall, EmbeddingUpstream } from './embeddings.ts';
export { findOllamaModels } from './find-ollama.ts';
export { type AnsweredInTurn, type CallBreaker, type CallOutcome, tryInTurn } from './in-turn.ts';
export { failureOfOwnKey, refusesKey } from './own-key-failure.ts';
export { toolCallsMax, tooMany } from './reply-structure.ts';
export type { Ranked, RerankApi, RerankUpstream } from './rerank-upstream.ts';
export type { ProviderKind, ProviderSettings } from './settings.ts';
export { isTokenCount } from './stated-usage.ts';
export { canBeStrict } from './strict-schema.ts';
export { type UpstreamFailure, type UpstreamOutcome, upstreamFailure } from './upstream-failure.ts';
export { defaultUpstreamLimits, type UpstreamLimits } from './upstream-fetch.ts';

/** The enabled providers, each behind the AI SDK's provider specification. */
export interface Providers {
  /** Ids of the providers that can be called. */
  readonly enabled: readonly string[];
  /** Ids of the providers that can be called with a key that an account brought, even if the operator has none. */
  readonly ownKeys: readonly string[];
  /**
   * A provider's model, or undefined if the provider is not enabled. Costs nothing: models are cached, those of an account's
   * `key` for as long as the key object lives. Requests with such a key omit the configured headers, which may hold keys as
   * well.
   */
  model(provider: string, model: string, key?: OwnKey): LanguageModelV4 | undefined;
  /** How to ask a provider for what not all of them support. */
  dialect(provider: string): Dialect;
  /** A provider's embedding model, or undefined if the provider is not enabled or has none. */
  embed(provider: string, model: string, key?: OwnKey): EmbeddingUpstream | undefined;
  /** A provider's reranking model, or undefined if the provider is not enabled or does not speak this API. */
  rerank(provider: string, model: string, api: RerankApi, key?: OwnKey): RerankUpstream | undefined;
  /** Whether a request setting reaches the model; false for a provider that is not enabled. */
  takes(provider: string, model: string, setting: CallSetting): boolean;
  /** Closes the connections to the providers. */
  close(): Promise<void>;
}

/** Connects the configured providers; those without a key stay disabled, which is logged. */
export function createProviders(deps: {
  providers: readonly ProviderSettings[];
  /** Ids of the providers that accounts may bring keys for; absent: none. */
  ownKeys?: readonly string[];
  log: Logger;
  limits?: UpstreamLimits;
}): Providers {
  const upstream = createUpstreamFetch(deps.limits);
  const connected = new Map<string, (model: string) => LanguageModelV4>();
  const byOwnKey = createKeyedConnections((settings) => kept(connectProvider(settings, upstream)));
  const vectorsByOwnKey = createKeyedConnections((settings) => connectEmbeddings(settings, upstream));
  const rankingByOwnKey = createKeyedConnections((settings) => connectReranking(settings, upstream));
  const ownable = new Map<string, ProviderSettings>();
  const embedding = new Map<string, (model: string) => EmbeddingUpstream>();
  const reranking = new Map<string, NonNullable<ReturnType<typeof connectReranking>>>();
  const kinds = new Map<string, ProviderKind>([['builtin', 'builtin']]);
  const spoken = new Map<string, Dialect>([['builtin', dialects.builtin]]);
  connected.set('builtin', createExtractiveModel);
  reranking.set('builtin', connectBuiltinReranking);
  for (const settings of deps.providers) {
    if (connected.has(settings.id) && settings.kind !== 'builtin')
      throw new Error(`Provider "${settings.id}" is configured twice.`);
    if (settings.kind !== 'builtin' && deps.ownKeys?.includes(settings.id)) {
      ownable.set(settings.id, settings);
      kinds.set(settings.id, settings.kind);
      spoken.set(settings.id, dialects[settings.kind]);
    }
    const missing = missingSetting(settings);
    if (missing) deps.log.info({ provider: settings.id }, `provider ${settings.id} is not enabled: ${missing}`);
    else {
      connected.set(settings.id, connectProvider(settings, upstream));
      kinds.set(settings.id, settings.kind);
      const embeddings = connectEmbeddings(settings, upstream);
      if (embeddings) embedding.set(settings.id, embeddings);
      const rerankers = connectReranking(settings, upstream);
      if (rerankers) reranking.set(settings.id, rerankers);
      spoken.set(settings.id, dialects[settings.kind]);
    }
  }

  const models = new Map<string, LanguageModelV4>();
  return {
    enabled: [...connected.keys()],
    ownKeys: [...ownable.keys()],
    model(provider, model, key) {
      if (key) {
        const settings = ownable.get(provider);
        return settings && byOwnKey(settings, key)(model);
      }
      const id = `${provider}/${model}`;
      let found = models.get(id);
      if (!found) {
        found = connected.get(provider)?.(model);
        if (found) models.set(id, found);
      }
      return found;
    },
    embed(provider, model, key) {
      const settings = key && ownable.get(provider);
      return (key ? settings && vectorsByOwnKey(settings, key) : embedding.get(provider))?.(model);
    },
    rerank(provider, model, api, key) {
      const settings = key && ownable.get(provider);
      return (key ? settings && rankingByOwnKey(settings, key) : reranking.get(provider))?.(model, api);
    },
    takes(provider, model, setting) {
      const kind = kinds.get(provider);
      return kind !== undefined && takesSetting(kind, model, setting);
    },
    dialect: (provider) => spoken.get(provider) ?? dialects['openai-compatible'],
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
