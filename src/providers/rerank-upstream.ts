/**
 * The APIs of models that rank documents, each a `POST <baseUrl>/rerank`.
 * - `cohere`: Cohere's v2. It bills search units.
 * - `jina`: Jina's, which most servers of open models speak. It bills tokens.
 * - `voyage`: Voyage's. It bills tokens.
 * - `builtin`: the embedded model, by tokens.
 */
export type RerankApi = 'cohere' | 'jina' | 'voyage' | 'builtin';

/** One document in a ranking: its place in the request, and how relevant it is. */
export interface Ranked {
  index: number;
  score: number;
}

/** A model that ranks documents, at its provider. */
export interface RerankUpstream {
  /**
   * The documents in the order of the provider, with what it states that it bills. Rejects as the provider packages do. What
   * it answers is not believed yet: numbers may be of any value.
   */
  rerank(
    call: RerankCall,
  ): Promise<{ ranking: Ranked[]; tokens?: number | undefined; searchUnits?: number | undefined }>;
}

export interface RerankCall {
  query: string;
  documents: readonly string[];
  /** What the query and one document may have together: providers that cut longer ones are told not to cut before. */
  inputTokensMax: number;
  signal: AbortSignal;
}
