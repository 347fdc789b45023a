import type { JSONObject } from '@ai-sdk/provider';
import { type Failure, fail, invalid, type Result, succeed } from '../base/failure.ts';
import type { Seal } from '../base/seal.ts';
import type { ChatMessage } from './types.ts';

/** One piece of a message as its provider gave it, with the metadata that the provider wants back. */
export type StatePart =
  | { kind: 'reasoning'; text: string; metadata: JSONObject }
  /** Length in UTF-16 units of the message's text. */
  | { kind: 'text'; length: number; metadata: JSONObject }
  | { kind: 'call'; id: string };

/** What a provider needs about a message to continue from it. */
export interface MessageState {
  provider: string;
  /** The model's id. */
  model: string;
  /** In the provider's order. */
  parts: StatePart[];
}

/** What a provider needs about a tool call to take its result. */
export interface CallState {
  provider: string;
  model: string;
  /** The call's id. */
  id: string;
  metadata: JSONObject;
}

/** The states that a request gives back, keyed by message index; for calls, by message and call. */
export interface OpenedStates {
  messages: ReadonlyMap<number, MessageState>;
  calls: ReadonlyMap<string, CallState>;
  /** The origin of the newest state of a message that awaits tool results or ends the conversation. */
  newest?: { provider: string; model: string } | undefined;
}

export const noStates: OpenedStates = { messages: new Map(), calls: new Map() };

/** Seals the state that providers want back, bound to one account, and opens it for that account only. */
export interface ProviderStates {
  seal(accountId: string, state: MessageState | CallState): string;
  /** Fails with `invalid_argument` and the path if a state belongs to another account, was changed, or was moved. */
  open(accountId: string, messages: readonly ChatMessage[]): Result<OpenedStates>;
}

/** States sealed with the service's own keys: nobody else can read the reasoning, and none of it goes to another account or provider. */
export function createProviderStates(seal: Seal): ProviderStates {
  const contextOf = (accountId: string) => `provider-state:${accountId}`;

  function opened<State>(accountId: string, text: string): State | undefined {
    const plain = seal.open(Buffer.from(text, 'base64url'), contextOf(accountId));
    return plain && (JSON.parse(Buffer.from(plain).toString('utf8')) as State);
  }

  return {
    seal: (accountId, state) =>
      Buffer.from(seal.seal(Buffer.from(JSON.stringify(state)), contextOf(accountId))).toString('base64url'),
    open(accountId, given) {
      const messages = new Map<number, MessageState>();
      const calls = new Map<string, CallState>();
      let newest: OpenedStates['newest'];
      for (const [index, { providerState, toolCalls = [] }] of given.entries()) {
        if (providerState) {
          const state = opened<MessageState | CallState>(accountId, providerState);
          if (!state || !('parts' in state)) return fail(broken(`messages[${index}].providerState`));
          messages.set(index, state);
          newest = state;
        }
        for (const [place, call] of toolCalls.entries()) {
          if (!call.providerState) continue;
          const state = opened<MessageState | CallState>(accountId, call.providerState);
          if (!state || !('id' in state) || state.id !== call.id)
            return fail(broken(`messages[${index}].toolCalls[${place}].providerState`));
          calls.set(`${index}/${place}`, state);
          newest = state;
        }
      }
      return succeed({ messages, calls, newest });
    },
  };
}

function broken(field: string): Failure {
  return invalid(field, 'This state was not issued to this account. Send it back unchanged, or leave it out.');
}
