import type { IncomingHttpHeaders } from 'node:http';
import { namesVersion, refusedReply } from './anthropic/index.ts';
import { errorBody } from './error-body.ts';
import type { PrintedRefusal } from './facade.ts';
import { openAiError, statusOf } from './openai/index.ts';
import type { Refusal } from './refusal.ts';

/** Other APIs whose clients are served here. */
export type OtherApi = 'anthropic' | 'openai';

/** A refusal in the shape of another API. */
export function printFor(api: OtherApi, refusal: Refusal, requestId: string | undefined): PrintedRefusal {
  if (api === 'anthropic') return refusedReply(refusal, requestId);
  return { status: statusOf(refusal), body: openAiError(refusal) };
}

/** Also where a client's base URL has too much of its path or too little. */
const paths: readonly [OtherApi, RegExp][] = [
  ['anthropic', /^(\/v1)*\/messages(\/|$)/],
  ['openai', /^(\/v[12])*\/(chat\/completions|completions|responses|embeddings|rerank|models)(\/|$)/],
];

/**
 * A refusal that no call came of, as the API prints it that the caller speaks: by its path, or because it names Anthropic's
 * version where nothing is served. Everybody else gets the body of our own JSON paths.
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
