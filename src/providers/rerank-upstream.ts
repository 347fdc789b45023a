/**
 * The APIs of reranking models, each a `POST <baseUrl>/rerank`.
 * - `cohere`: Cohere's v2. It bills search units.
 * - `jina`: Jina's, which most servers of open models speak. It bills tokens.
 * - `voyage`: Voyage's. It bills tokens.
 * - `builtin`: the embedded model, by tokens.
 */
export type RerankApi = 'cohere' | 'jina' | 'voyage' | 'builtin';

/** One document in a ranking: its index in the request, and its relevance. */
export interface Ranked {
  index: number;
  score: number;
}

/** A reranking model at its provider. */
export interface RerankUpstream {
  /**
   * The documents in the provider's order, with the amounts it reports for billing. Rejects as the provider packages do. The
   * result is not validated yet: numbers may have any value.
   */
  rerank(
    call: RerankCall,
  ): Promise<{ ranking: Ranked[]; tokens?: number | undefined; searchUnits?: number | undefined }>;
}

export interface RerankCall {
  /** Who asks: the embedded model shares its time among owners. */
  owner: string;
  query: string;
  documents: readonly string[];
  /** The most tokens for the query and one document together: providers that truncate longer ones are told not to truncate earlier. */
  inputTokensMax: number;
  signal: AbortSignal;
}
