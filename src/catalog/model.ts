import type { OwnKey } from '../base/own-key.ts';
import type { Price } from './price.ts';

/** What a model can do beyond text. `json`: replies that fit a JSON Schema. `documents`: PDFs. */
export type Capability = 'tools' | 'json' | 'images' | 'reasoning' | 'documents' | 'audio';

export const capabilities: readonly Capability[] = ['tools', 'json', 'images', 'reasoning', 'documents', 'audio'];

/** Prices of a model as the configuration writes them: decimal USD. */
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
  /** With more input tokens than this, the whole request costs these prices. */
  aboveInputTokens: number;
  inputPerMillionUsd: string;
  cachedInputPerMillionUsd?: string | undefined;
  cacheWriteInputPerMillionUsd?: string | undefined;
  cacheWrite1hInputPerMillionUsd?: string | undefined;
  audioInputPerMillionUsd?: string | undefined;
  outputPerMillionUsd: string;
}

/** One model, as the configuration or the default catalog names it. */
export interface ModelSettings {
  id: string;
  provider: string;
  /** The provider's own name for it, where it differs from `id`. */
  upstreamModel?: string | undefined;
  /** The operator's judgement of its quality, 0 to 100. */
  quality: number;
  contextTokens: number;
  /** The most tokens of one reply. */
  maxOutputTokens?: number | undefined;
  /** The most tokens that one image counts for. */
  imageTokens?: number | undefined;
  capabilities?: readonly Capability[] | undefined;
  price?: PriceSettings | undefined;
  /** What the operator pays for it; a price below it is refused. */
  cost?: PriceSettings | undefined;
  /** A model that makes vectors of texts, and answers no conversations. `contextTokens` is then the length of one input. */
  embedding?: EmbeddingSettings | undefined;
  /** A model that ranks documents, and answers no conversations. `contextTokens` is then the length of the query and one document. */
  rerank?: RerankSettings | undefined;
  /** Chosen by `auto` only when every other model failed; the embedded model also when there is no other. */
  lastResort?: boolean | undefined;
}

export interface EmbeddingSettings {
  /** How many numbers a vector has. */
  dimensions: number;
  /** The fewest that a request may ask for; absent: the vectors can't be shortened. */
  dimensionsMin?: number | undefined;
}

export interface RerankSettings {
  /** The API that its provider speaks, which says what is billed: search units by `cohere`, tokens by the others. */
  api: 'cohere' | 'jina' | 'voyage' | 'builtin';
  /** The most documents of one request; 1,000 when absent. */
  documentsMax?: number | undefined;
}

/** A model that can be chosen: its provider is enabled and every dimension has a price. */
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
  /** Whether it is the embedded one, which `auto` leaves aside as soon as there is another. */
  embedded: boolean;
  lastResort: boolean;
}

/** A model with the price that one account pays for it now. */
export interface PricedModel {
  model: Model;
  price: Price;
  /** Set when it is called with a key that the account brought: `price` is then the fee for a request. */
  ownKey?: OwnKey;
}

/** A model that makes vectors, with the price that one account pays for it now. */
export interface PricedEmbeddingModel extends PricedModel {
  embedding: { dimensions: number; dimensionsMin: number };
}

/** A model that ranks documents, with the price that one account pays for it now. */
export interface PricedRerankModel extends PricedModel {
  rerank: { api: RerankSettings['api']; documentsMax: number; bills: 'tokens' | 'searchUnits' };
}

/** Whether a list names the model or its provider. */
export function namesModel({ id, name, provider }: Model, names: readonly string[]): boolean {
  return names.some((each) => each === id || each === name || each === provider);
}
