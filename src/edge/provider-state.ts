import type { Message } from '../gen/intelligence/chat/v1/chat_pb.ts';

/** What the provider needs to continue from a reply, for the message and for individual tool calls. */
export interface ReplyState {
  message: string;
  /** By the call's id. */
  calls: ReadonlyMap<string, string>;
}

/** The state in a reply's message. */
export function stateOf({ providerState, toolCalls }: Pick<Message, 'providerState' | 'toolCalls'>): ReplyState {
  const calls = toolCalls
    .filter((call) => call.providerState !== '')
    .map((call) => [call.id, call.providerState] as const);
  return { message: providerState, calls: new Map(calls) };
}

/**
 * The state as one text, for a field that the API's clients send back unchanged; undefined if there is none. Lines of `id state`
 * follow the message's own: callers' data is read before anything about them is known, and lines are quick to read.
 */
export function dataOf({ message, calls }: ReplyState): string | undefined {
  if (message === '' && calls.size === 0) return undefined;
  const lines = [...calls].map(([id, state]) => `${encodeURIComponent(id)} ${state}`);
  return Buffer.from([message, ...lines].join('\n')).toString('base64');
}

/** Used where the API needs a non-empty state and there is none. */
export const noState = Buffer.from('none').toString('base64');

/** The contract's limit on calls per message. */
const callsMax = 128;
/** The total for a message and its calls, in base64. */
const dataCharactersMax = 12 * 1024 * 1024;

/** Parses the state from such a text; undefined if this service did not write it. */
export function stateIn(data: string): ReplyState | undefined {
  if (data.length > dataCharactersMax) return undefined;
  const [message = '', ...lines] = Buffer.from(data, 'base64')
    .toString('latin1')
    .split('\n', callsMax + 2);
  if (lines.length > callsMax) return undefined;
  const calls = new Map<string, string>();
  for (const line of lines) {
    const [id = '', state] = line.split(' ', 2);
    if (state === undefined) return undefined;
    try {
      calls.set(decodeURIComponent(id), state);
    } catch {
      return undefined;
    }
  }
  return isSealed(message) && [...calls.values()].every(isSealed) ? { message, calls } : undefined;
}

function isSealed(state: string): boolean {
  return /^[\w.:+/=-]*$/.test(state);
}
