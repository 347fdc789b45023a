import type { OwnKey } from '../base/own-key.ts';
import type { Price } from './price.ts';

/** What a model can do beyond text. `json`: replies that fit a JSON Schema. `documents`: PDFs. */
export type Capability = 'tools' | 'json' | 'images' | 'reasoning' | 'documents' | 'audio';

export const capabilities: readonly Capability[] = ['tools', 'json', 'images', 'reasoning', 'documents', 'audio'];

/** A model's prices as written in the configuration: decimal USD. */
export interface PriceSettings {
  inputPerMillionUsd?: string | undefined;
  cachedInputPerMillionUsd?: string | undefined;
  cacheWriteInputPerMillionUsd?: string | undefined;
  cacheWrite1hInputPerMillionUsd?: string | undefined;
  audioInputPerMillionUsd?: string | undefined;
  outputPerMillionUsd?: string | undefined;
  /** What requests with long input cost instead. */
  tiers?: readonly ContextTierSettings[] | undefined;
  perRequestUsd?: string | undefined;
  perThousandEventsUsd?: string | undefined;
  perThousandSearchUnitsUsd?: string | undefined;
}

export interface ContextTierSettings {
  /** Above this many input tokens, the whole request is charged at these prices. */
  aboveInputTokens: number;
  inputPerMillionUsd: string;
  cachedInputPerMillionUsd?: string | undefined;
  cacheWriteInputPerMillionUsd?: string | undefined;
  cacheWrite1hInputPerMillionUsd?: string | undefined;
  audioInputPerMillionUsd?: string | undefined;
  outputPerMillionUsd: string;
}

/** One model, as named in the configuration or the default catalog. */
export interface ModelSettings {
  id: string;
  provider: string;
  /** The provider's own name for it, if it differs from `id`. */
  upstreamModel?: string | undefined;
  /** The operator's assessment of its quality, 0 to 100. */
  quality: number;
  contextTokens: number;
  /** The most tokens in one reply. */
  maxOutputTokens?: number | undefined;
  /** The most tokens that one image can count as. */
  imageTokens?: number | undefined;
  capabilities?: readonly Capability[] | undefined;
  price?: PriceSettings | undefined;
  /** What the operator pays for it; a price below this is refused. */
  cost?: PriceSettings | undefined;
  /** An embedding model, which does not chat. `contextTokens` is then the length of one input. */
  embedding?: EmbeddingSettings | undefined;
  /** A reranking model, which does not chat. `contextTokens` is then the length of the query plus one document. */
  rerank?: RerankSettings | undefined;
  /** Chosen by `auto` only if every other model failed; the embedded model also if there is no other. */
  lastResort?: boolean | undefined;
}

export interface EmbeddingSettings {
  /** The length of a vector. */
  dimensions: number;
  /** The shortest length that a request may ask for; absent: the vectors cannot be shortened. */
  dimensionsMin?: number | undefined;
}

export interface RerankSettings {
  /** The API that its provider speaks, which determines what is billed: search units for `cohere`, tokens for the others. */
  api: 'cohere' | 'jina' | 'voyage' | 'builtin';
  /** The most documents per request; 1,000 when absent. */
  documentsMax?: number | undefined;
}

/** An available model: its provider is enabled and every dimension has a price. */
export interface Model {
  /** `provider/id`. */
  name: string;
  id: string;
  provider: string;
  upstreamModel: string;
  quality: number;
  contextTokens: number;
  maxOutputTokens: number;
  imageTokens: number;
  capabilities: ReadonlySet<Capability>;
  /** Whether it is the embedded model, which `auto` skips as soon as there is another. */
  embedded: boolean;
  lastResort: boolean;
}

/** A model with the price that one account pays for it now. */
export interface PricedModel {
  model: Model;
  price: Price;
  /** Set if it is called with a key that the account brought: `price` is then the fee for a request. */
  ownKey?: OwnKey;
}

/** An embedding model, with the price that one account pays for it now. */
export interface PricedEmbeddingModel extends PricedModel {
  embedding: { dimensions: number; dimensionsMin: number };
}

/** A reranking model, with the price that one account pays for it now. */
export interface PricedRerankModel extends PricedModel {
  rerank: { api: RerankSettings['api']; documentsMax: number; bills: 'tokens' | 'searchUnits' };
}

/** Whether a list names the model or its provider. */
export function namesModel({ id, name, provider }: Model, names: readonly string[]): boolean {
  return names.some((each) => each === id || each === name || each === provider);
}
