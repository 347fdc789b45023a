import type { IncomingHttpHeaders } from 'node:http';
import { namesVersion, refusedReply } from './anthropic/index.ts';
import { errorBody } from './error-body.ts';
import type { PrintedRefusal } from './facade.ts';
import { openAiError, statusOf } from './openai/index.ts';
import type { Refusal } from './refusal.ts';

/** Other APIs whose clients are supported. */
export type OtherApi = 'anthropic' | 'openai';

/** A refusal in another API's format. */
export function printFor(api: OtherApi, refusal: Refusal, requestId: string | undefined): PrintedRefusal {
  if (api === 'anthropic') return refusedReply(refusal, requestId);
  return { status: statusOf(refusal), body: openAiError(refusal) };
}

/** Also matches when a client's base URL includes too much or too little of the path. */
const paths: readonly [OtherApi, RegExp][] = [
  ['anthropic', /^(\/v1)*\/messages(\/|$)/],
  ['openai', /^(\/v[12])*\/(chat\/completions|completions|responses|embeddings|rerank|models)(\/|$)/],
];

/**
 * A refusal without a call, in the format of the API that the caller uses, going by the path or, where nothing is served, by an
 * Anthropic version header. All other callers get the body of our own JSON paths.
 */
export function refusedAt(
  { path, headers, pathPrefix }: { path: string; headers: IncomingHttpHeaders; pathPrefix: string },
  refusal: Refusal,
  requestId: string,
): { body: string; headers: Record<string, string> } {
  const within = path.startsWith(pathPrefix) ? path.slice(pathPrefix.length) : '';
  const api = paths.find(([, pattern]) => pattern.test(within))?.[0];
  const spoken = namesVersion(headers) && (api !== undefined || isUnserved(refusal)) ? 'anthropic' : api;
  const printed = spoken && printFor(spoken, refusal, requestId);
  return {
    body: printed ? JSON.stringify(printed.body) : errorBody(refusal, requestId),
    headers: { 'x-request-id': requestId, ...printed?.headers },
  };
}

function isUnserved({ reason, status, metadata }: Refusal): boolean {
  return reason === 'METHOD_NOT_ALLOWED' || (status === 404 && metadata === undefined);
}
