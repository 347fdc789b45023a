import type { SeenRequest, UpstreamReply } from './upstream.ts';

type Api = 'cohere' | 'jina' | 'voyage';

interface Asked {
  model: string;
  query: string;
  documents: string[];
  top_n?: number;
}

const members: Record<Api, readonly string[]> = {
  cohere: ['model', 'query', 'documents', 'top_n', 'max_tokens_per_doc', 'priority'],
  jina: ['model', 'query', 'documents', 'top_n', 'return_documents'],
  voyage: ['model', 'query', 'documents', 'top_k', 'return_documents', 'truncation'],
};
const documentsMax: Record<Api, number> = { cohere: 10_000, jina: 2_048, voyage: 1_000 };

/** Tokens of a text, as the imitation counts them. */
export function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

/** The imitation's relevance of a document: the share of the query's words that it contains. */
export function scoreOf(query: string, document: string): number {
  const words = query.toLowerCase().split(/\s+/);
  return words.filter((word) => document.toLowerCase().includes(word)).length / words.length;
}

/** What the imitation bills: each pair of query and document. */
export function billedTokens({ query, documents }: Pick<Asked, 'query' | 'documents'>): number {
  return documents.reduce((sum, document) => sum + tokensOf(query) + tokensOf(document), 0);
}

/** What the imitation of Cohere bills: a unit for each 100 documents, or parts of 500 tokens with the query. */
export function billedUnits({ query, documents }: Pick<Asked, 'query' | 'documents'>): number {
  const room = 500 - tokensOf(query);
  return Math.ceil(documents.reduce((sum, document) => sum + Math.ceil(tokensOf(document) / room), 0) / 100);
}

export type Result = { index: number; relevance_score: unknown };

/**
 * The rerank APIs, as strict as documented: unknown parameters, empty texts and too many documents are refused, and by Voyage also documents
 * longer than its model accepts when `truncation` is false. `change` turns a right reply into a wrong one.
 */
export function strictRerank(
  api: Api,
  change: (reply: { results: Result[] } & Record<string, unknown>) => object = (reply) => reply,
): (seen: SeenRequest) => UpstreamReply {
  return ({ path, headers, body }) => {
    if (path !== '/v1/rerank') return refusal(404, `no ${path}`);
    if (headers.authorization !== 'Bearer sk-upstream') return refusal(401, 'key');
    if (headers['content-type'] !== 'application/json') return refusal(415, 'type');
    for (const name of Object.keys(body)) if (!members[api].includes(name)) return refusal(422, `unknown ${name}`);
    const asked = body as unknown as Asked;
    const { query, documents, model } = asked;
    if (typeof query !== 'string' || query === '') return refusal(400, 'query');
    if (!Array.isArray(documents) || documents.length === 0 || documents.length > documentsMax[api])
      return refusal(400, 'documents');
    if (documents.some((document) => typeof document !== 'string' || document === '')) return refusal(400, 'document');
    const results: Result[] = documents.map((document, index) => ({
      index,
      relevance_score: scoreOf(query, document),
    }));
    results.sort((a, b) => Number(b.relevance_score) - Number(a.relevance_score));
    const usage = { total_tokens: billedTokens(asked) };
    if (api === 'cohere') {
      const meta = { api_version: { version: '2' }, billed_units: { search_units: billedUnits(asked) } };
      return { body: change({ id: 'a', results, meta }) };
    }
    if (api === 'jina') return { body: change({ model, object: 'list', usage, results }) };
    const { results: data, ...rest } = change({ object: 'list', results, model, usage }) as { results: unknown };
    return { body: { ...rest, data } };
  };
}

function refusal(status: number, message: string): UpstreamReply {
  return { status, body: { message } };
}
