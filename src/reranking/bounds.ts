/** Special tokens that a model puts around a query and a document. */
const tokensAround = 8;

/** Cohere's search unit: one query with up to this many documents. A document counts once for each part of this many tokens, query included. */
const documentsInUnit = 100;
const tokensInPart = 500;

/** The sizes of a request's texts in bytes, for limits and estimates. */
export interface Sizes {
  query: number;
  documents: readonly number[];
}

export function sizesOf(query: string, documents: readonly string[]): Sizes {
  return { query: Buffer.byteLength(query), documents: documents.map((document) => Buffer.byteLength(document)) };
}

/** No tokenizer in use produces more tokens than bytes, and a model takes no more than its own limit; the query counts for each document. */
export function tokensAtMost({ query, documents }: Sizes, inputTokensMax: number): number {
  return documents.reduce((sum, bytes) => sum + Math.min(query + bytes + tokensAround, inputTokensMax), 0);
}

/** A quick guess: four bytes per token, and the query once. Never charged. */
export function tokensAbout({ query, documents }: Sizes): number {
  return documents.reduce((sum, bytes) => sum + Math.ceil(bytes / 4), Math.ceil(query / 4));
}

/** Search units for texts with this many tokens. Even with a long query, at least half of each part is left for the document. */
export function searchUnits(queryTokens: number, documentTokens: readonly number[]): number {
  const room = Math.max(tokensInPart - queryTokens, tokensInPart / 2);
  const parts = documentTokens.reduce((sum, tokens) => sum + Math.max(1, Math.ceil(tokens / room)), 0);
  return Math.ceil(parts / documentsInUnit);
}

export function searchUnitsAtMost({ query, documents }: Sizes, inputTokensMax: number): number {
  return searchUnits(
    query + tokensAround,
    documents.map((bytes) => Math.min(bytes + tokensAround, inputTokensMax)),
  );
}

/** The fewest search units: every document fits into one part. */
export function searchUnitsAtLeast({ documents }: Sizes): number {
  return Math.ceil(documents.length / documentsInUnit);
}
