import { z } from 'zod';
import type { Message } from '../gen/intelligence/chat/v1/chat_pb.ts';

/** What the provider needs to go on from a reply: of its message, and of single calls of tools. */
export interface ReplyState {
  message: string;
  /** By the call's id. */
  calls: Record<string, string>;
}

const state = z.object({ message: z.string(), calls: z.record(z.string(), z.string()) });

/** The state that a reply's message brings. */
export function stateOf({ providerState, toolCalls }: Pick<Message, 'providerState' | 'toolCalls'>): ReplyState {
  const calls = toolCalls.filter((call) => call.providerState !== '').map((call) => [call.id, call.providerState]);
  return { message: providerState, calls: Object.fromEntries(calls) };
}

/** The state as one text, for the place of an API that its clients send back as it came; undefined: there is none. */
export function dataOf({ message, calls }: ReplyState): string | undefined {
  if (message === '' && Object.keys(calls).length === 0) return undefined;
  return Buffer.from(JSON.stringify({ message, calls })).toString('base64');
}

/** The state in such a text; undefined when it is none of this service's. */
export function stateIn(data: string): ReplyState | undefined {
  try {
    return state.parse(JSON.parse(Buffer.from(data, 'base64').toString('utf8')));
  } catch {
    return undefined;
  }
}
