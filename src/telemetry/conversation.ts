import { parseKeyPairsIntoRecord } from '@opentelemetry/core';
import { nameMax } from './gen-ai.ts';

/** What callers say of the conversation that a call belongs to. */
export interface ConversationHeaders {
  /** W3C Baggage. */
  baggage: string | undefined;
  /** `X-Claude-Code-Session-Id`, which Claude Code sends with each request. */
  session: string | undefined;
}

/** The conversation's id, cut as names are. Baggage wins: it was set for the telemetry. */
export function conversationOf({ baggage, session }: ConversationHeaders): string | undefined {
  const named = baggage === undefined ? undefined : parseKeyPairsIntoRecord(baggage)[conversationId];
  return (named || session)?.slice(0, nameMax) || undefined;
}

export const conversationId = 'gen_ai.conversation.id';
