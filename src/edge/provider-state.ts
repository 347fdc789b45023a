import type { Message } from '../gen/intelligence/chat/v1/chat_pb.ts';

/** What the provider needs to go on from a reply: of its message, and of single calls of tools. */
export interface ReplyState {
  message: string;
  /** By the call's id. */
  calls: ReadonlyMap<string, string>;
}

/** The state that a reply's message brings. */
export function stateOf({ providerState, toolCalls }: Pick<Message, 'providerState' | 'toolCalls'>): ReplyState {
  const calls = toolCalls
    .filter((call) => call.providerState !== '')
    .map((call) => [call.id, call.providerState] as const);
  return { message: providerState, calls: new Map(calls) };
}

/**
 * The state as one text, for the place of an API that its clients send back as it came; undefined: there is none. Lines of
 * `id state` after the message's own: what callers send is read before anything is known of them, and lines are read in no time.
 */
export function dataOf({ message, calls }: ReplyState): string | undefined {
  if (message === '' && calls.size === 0) return undefined;
  const lines = [...calls].map(([id, state]) => `${encodeURIComponent(id)} ${state}`);
  return Buffer.from([message, ...lines].join('\n')).toString('base64');
}

/** In the place of a state where that may not be empty, and there is none. */
export const noState = Buffer.from('none').toString('base64');

/** The contract's bound for the calls of one message. */
const callsMax = 128;
/** What a message and its calls may have in all, in base64. */
const dataCharactersMax = 12 * 1024 * 1024;

/** The state in such a text; undefined when it is none of this service's. */
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
