import { createHash, createHmac } from 'node:crypto';
import { canonicalJson } from '../base/canonical-json.ts';
import type { ChatMessage, ChatPart, ChatRequest, ChatRouting } from './types.ts';

/**
 * Identifies what a request asks for, scoped to those who may read the reply: an HMAC-SHA-256, so that a reader of the table
 * cannot find out by guessing what was asked. Every field counts except those that cannot change the reply, so a new request
 * field distinguishes requests until someone decides otherwise.
 */
export function cacheKeyOf(secret: Uint8Array, scope: string, request: ChatRequest): Buffer {
  return createHmac('sha256', secret)
    .update(`chat-cache\n${JSON.stringify(scope)}\n`)
    .update(canonicalJson(meaningOf(request)))
    .digest();
}

// Left out: `cache` and `metadata`, which no model sees. No model sees `user` either, but it stays: a caller who identifies its
// end users expects that no user ever gets another's reply.
function meaningOf({ cache: _cache, metadata: _metadata, routing, messages, ...rest }: ChatRequest) {
  return {
    ...rest,
    provider: rest.provider ?? 'auto',
    model: rest.model ?? 'auto',
    routing: routingOf(routing),
    messages: messages.map(messageOf),
  };
}

// The number of retries does not change the reply; `allow` and `deny` are unordered.
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
