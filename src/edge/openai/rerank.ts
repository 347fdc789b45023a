import { create } from '@bufbuild/protobuf';
import {
  type RerankRequest,
  RerankRequestSchema,
  type RerankResponse,
} from '../../gen/intelligence/rerank/v1/rerank_service_pb.ts';
import { MemberCheck, refuse, rerankDocumentMembers, rerankMembers } from './parameters.ts';

/** A request in Cohere's or Jina's format converted to ours. */
export interface RankingRequest {
  /** Ignored parameters. */
  ignored: string[];
  message: RerankRequest;
}

/** Reads the body of `POST /v1/rerank` and `/v2/rerank`. Documents are texts, or objects with only a `text`. */
export function readRerankRequest(body: unknown): RankingRequest {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) refuse('body', 'must be an object');
  const request = body as Readonly<Record<string, unknown>>;
  const members = new MemberCheck();
  members.check(request, rerankMembers);
  const { query, return_documents: returnDocuments, user } = request;
  const model = request.model ?? 'auto';
  if (typeof model !== 'string') refuse('model', 'must be a text');
  if (typeof query !== 'string') refuse('query', 'must be a text');
  if (user != null && typeof user !== 'string') refuse('user', 'must be a text');
  if (returnDocuments != null && typeof returnDocuments !== 'boolean') refuse('return_documents', 'must be a boolean');
  return {
    ignored: members.ignored,
    message: create(RerankRequestSchema, {
      ...{ model: model as string, query: query as string, documents: documentsOf(request.documents, members) },
      ...countOf(request),
      returnDocuments: returnDocuments === true,
      ...(user == null ? {} : { user: user as string }),
    }),
  };
}

function documentsOf(documents: unknown, members: MemberCheck): string[] {
  if (!Array.isArray(documents)) return refuse('documents', 'must be a list of texts');
  return documents.map((document: unknown, index) => {
    if (typeof document === 'string') return document;
    const place = `documents[${index}]`;
    if (typeof document !== 'object' || document === null) return refuse(place, 'must be a text');
    members.check(document as Record<string, unknown>, rerankDocumentMembers, place);
    const { text } = document as { text?: unknown };
    return typeof text === 'string' ? text : refuse(`${place}.text`, 'must be a text');
  });
}

function countOf({ top_n: topN, top_k: topK }: Readonly<Record<string, unknown>>): { topN?: number } {
  if (topN != null && topK != null) refuse('top_k', 'is another word for top_n: send one of them');
  const name = topN != null ? 'top_n' : 'top_k';
  const count = topN ?? topK;
  if (count == null) return {};
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 1 || count > 1_000)
    return refuse(name, 'must be a whole number from 1 to 1000');
  return { topN: count };
}

/** A reply in the format of `POST /v1/rerank`: what Cohere's and Jina's clients read, side by side, and in `data` what Voyage's do. */
export function rankingOf(reply: RerankResponse): object {
  const { inputTokens, searchUnits, costUsd = '0.00', estimated = false } = reply.usage ?? {};
  return {
    id: reply.id,
    object: 'list',
    model: reply.model,
    provider: reply.provider,
    charge_id: reply.id,
    results: reply.results.map(({ index, relevanceScore, document }) => ({
      ...{ index, relevance_score: relevanceScore },
      ...(document === undefined ? {} : { document: { text: document } }),
    })),
    data: reply.results.map(({ index, relevanceScore, document }) => ({
      ...{ object: 'reranking', index, relevance_score: relevanceScore },
      ...(document === undefined ? {} : { document }),
    })),
    usage: {
      ...(inputTokens === undefined ? {} : { prompt_tokens: inputTokens, total_tokens: inputTokens }),
      ...{ cost_usd: costUsd, estimated },
    },
    meta: {
      api_version: { version: '2' },
      billed_units: {
        ...(searchUnits === undefined ? {} : { search_units: searchUnits }),
        ...(inputTokens === undefined ? {} : { total_tokens: inputTokens }),
      },
    },
  };
}
