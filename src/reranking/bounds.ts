/** Marks that a model puts around a query and a document. */
const tokensAround = 8;

/** Cohere's search unit: one query with so many documents, of which each part of so many tokens, query included, counts as one. */
const documentsInUnit = 100;
const tokensInPart = 500;

/** What one request can have at most, and has about, in bytes of its texts. */
export interface Sizes {
  query: number;
  documents: readonly number[];
}

export function sizesOf(query: string, documents: readonly string[]): Sizes {
  return { query: Buffer.byteLength(query), documents: documents.map((document) => Buffer.byteLength(document)) };
}

/** No tokenizer in use gives more tokens than there are bytes, and a model takes no more than its own bound; the query counts each time. */
export function tokensAtMost({ query, documents }: Sizes, inputTokensMax: number): number {
  return documents.reduce((sum, bytes) => sum + Math.min(query + bytes + tokensAround, inputTokensMax), 0);
}

/** A quick guess: four bytes a token, and the query once. Never charged. */
export function tokensAbout({ query, documents }: Sizes): number {
  return documents.reduce((sum, bytes) => sum + Math.ceil(bytes / 4), Math.ceil(query / 4));
}

/** Search units of texts with so many tokens. A long query leaves a part at least half of itself for the document. */
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

/** The fewest: every document in one part. */
export function searchUnitsAtLeast({ documents }: Sizes): number {
  return Math.ceil(documents.length / documentsInUnit);
}
