import { parseKeyPairsIntoRecord } from '@opentelemetry/core';
import { nameMax } from './gen-ai.ts';

/** What callers say about the conversation that a call belongs to. */
export interface ConversationHeaders {
  /** W3C Baggage. */
  baggage: string | undefined;
  /** `X-Claude-Code-Session-Id`, which Claude Code sends with each request. */
  session: string | undefined;
}

/** The conversation's id, truncated like names. Baggage takes precedence: it was set for telemetry. */
export function conversationOf({ baggage, session }: ConversationHeaders): string | undefined {
  const named = baggage === undefined ? undefined : parseKeyPairsIntoRecord(baggage)[conversationId];
  return (named || session)?.slice(0, nameMax) || undefined;
}

export const conversationId = 'gen_ai.conversation.id';
