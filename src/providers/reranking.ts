import { APICallError, InvalidResponseDataError } from '@ai-sdk/provider';
import { createLexicalReranker } from './lexical-reranker.ts';
import type { RerankApi, RerankCall, RerankUpstream } from './rerank-upstream.ts';
import type { ProviderSettings } from './settings.ts';
import type { UpstreamFetch, UpstreamReply, UpstreamTarget } from './upstream-fetch.ts';

interface Dialect {
  body(model: string, call: RerankCall): object;
  /** The member of a reply that holds the ranking. */
  list: 'results' | 'data';
}

const dialects: Record<Exclude<RerankApi, 'builtin'>, Dialect> = {
  cohere: {
    body: (model, { query, documents, inputTokensMax }) => ({
      ...{ model, query, documents, max_tokens_per_doc: inputTokensMax },
    }),
    list: 'results',
  },
  jina: {
    body: (model, { query, documents }) => ({ model, query, documents, return_documents: false }),
    list: 'results',
  },
  voyage: {
    body: (model, { query, documents }) => ({ model, query, documents, return_documents: false, truncation: false }),
    list: 'data',
  },
};

/** The provider's reranking models, by its own names for them; undefined for a provider without an address of its own. */
export function connectReranking(
  { baseUrl, apiKey, headers, kind }: ProviderSettings,
  { post }: UpstreamFetch,
): ((model: string, api: RerankApi) => RerankUpstream | undefined) | undefined {
  if (kind === 'builtin') return connectBuiltinReranking;
  if (kind !== 'openai-compatible' || !baseUrl) return undefined;
  const { origin, pathname } = new URL(`${baseUrl.replace(/\/$/, '')}/rerank`);
  const named = {
    'content-type': 'application/json',
    ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
    ...headers,
  };
  const target = { origin, path: pathname, headers: Object.entries(named).flat() };
  return (model, api) => {
    if (api === 'builtin') return undefined;
    const { body, list } = dialects[api];
    return {
      async rerank(call) {
        const reply = await post(target, JSON.stringify(body(model, call)), call.signal);
        return readReply(jsonOf(reply, target), list);
      },
    };
  };
}

/** The embedded model. */
export function connectBuiltinReranking(_model: string, api: RerankApi): RerankUpstream | undefined {
  return api === 'builtin' ? createLexicalReranker() : undefined;
}

function jsonOf(
  { status: statusCode, headers, body }: UpstreamReply,
  { origin, path }: UpstreamTarget,
): Record<string, unknown> {
  const json = parsed(Buffer.from(body).toString());
  if (statusCode < 200 || statusCode > 299)
    throw new APICallError({
      ...{ message: 'The provider refused the request.', url: origin + path, requestBodyValues: {}, statusCode },
      responseHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
      data: json,
    });
  if (typeof json !== 'object' || json === null) throw unreadable();
  return json as Record<string, unknown>;
}

function readReply(reply: Record<string, unknown>, list: Dialect['list']) {
  const results = reply[list];
  if (!Array.isArray(results)) throw unreadable();
  const ranking = results.map((result: { index?: unknown; relevance_score?: unknown } | null) => {
    const { index, relevance_score: score } = result ?? {};
    if (typeof index !== 'number' || typeof score !== 'number') throw unreadable();
    return { index, score };
  });
  const { meta, usage } = reply as { meta?: { billed_units?: Counts }; usage?: Counts };
  return {
    ranking,
    tokens: numberOf(usage?.total_tokens ?? usage?.prompt_tokens),
    searchUnits: numberOf(meta?.billed_units?.search_units),
  };
}

type Counts = Record<string, unknown> | null;

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function unreadable(): InvalidResponseDataError {
  return new InvalidResponseDataError({ data: undefined, message: 'The reply is no ranking.' });
}
