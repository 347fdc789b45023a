import { createHash, createHmac } from 'node:crypto';
import { canonicalJson } from '../base/canonical-json.ts';
import type { ChatMessage, ChatPart, ChatRequest, ChatRouting } from './types.ts';

/**
 * Names what a request asks for, within the scope of those who may read the reply: an HMAC-SHA-256, so that nobody who reads
 * the table can tell by guessing what was asked. All of the request counts but what cannot change the reply, so a field
 * that is new in a request tells requests apart until somebody decides otherwise.
 */
export function cacheKeyOf(secret: Uint8Array, scope: string, request: ChatRequest): Buffer {
  return createHmac('sha256', secret)
    .update(`chat-cache\n${JSON.stringify(scope)}\n`)
    .update(canonicalJson(meaningOf(request)))
    .digest();
}

// Left out: `cache` and `metadata`, which no model sees. `user` stays, though none sees it either: a caller who names its end
// users expects that one is never answered with another's reply.
function meaningOf({ cache: _cache, metadata: _metadata, routing, messages, ...rest }: ChatRequest) {
  return {
    ...rest,
    provider: rest.provider ?? 'auto',
    model: rest.model ?? 'auto',
    routing: routingOf(routing),
    messages: messages.map(messageOf),
  };
}

// How often a route is tried changes no reply; `allow` and `deny` have no order.
function routingOf({ maxRetries: _maxRetries, maxCost, mode, fallback, allow, deny, ownKey }: ChatRouting = {}) {
  return {
    mode: mode ?? 'balanced',
    fallback: fallback ?? true,
    maxCost: maxCost?.toString(),
    allow: allow?.toSorted() ?? [],
    deny: deny?.toSorted() ?? [],
    ...(ownKey ? { ownKey } : {}),
  };
}

function messageOf({ parts, ...message }: ChatMessage) {
  return { ...message, parts: parts?.map(partOf) };
}

function partOf(part: ChatPart) {
  return 'data' in part ? { ...part, data: createHash('sha256').update(part.data).digest('base64') } : part;
}
