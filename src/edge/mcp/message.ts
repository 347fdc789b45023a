import { FailureError, invalid } from '../../base/failure.ts';
import { brief } from '../brief.ts';

/** A protocol message, divided. */
export interface McpMessage {
  /** What the protocol package reads: the message without its tool arguments, and with its texts shortened. */
  envelope: unknown;
  /** The id for its answer; null if it cannot be answered. */
  messageId: string | number | null;
  /** The tool that it calls; undefined if none. */
  toolName: string | undefined;
  /** The tool's arguments, as sent. */
  toolArguments: Record<string, unknown>;
}

/** Names and values outside the tool arguments. Clients' messages have a few dozen; the package takes up to 20 us for each. */
const envelopeValuesMax = 1_000;

/**
 * One message per request: the protocol dropped batches, and each call is paid for separately. The package looks at every value
 * it is given several times and describes each invalid one, so it is given only what belongs to the protocol itself.
 */
export function divideMessage(message: unknown): McpMessage {
  if (Array.isArray(message)) throw new FailureError(invalid('body', 'must be one message: batches are not taken'));
  const { id, method, params } = asObject(message);
  if (method === 'subscriptions/listen') throw new FailureError({ kind: 'unimplemented' });
  const given = method === 'tools/call' ? asObject(params) : {};
  const isCall = isObject(given.arguments);
  const envelope = isCall ? { ...asObject(message), params: { ...given, arguments: {} } } : message;
  if (countValues(envelope, envelopeValuesMax) > envelopeValuesMax)
    throw new FailureError(
      invalid('body', `has more than ${envelopeValuesMax} names and values beside the arguments of a tool`),
    );
  return {
    envelope: shortened(envelope, id),
    messageId: typeof id === 'string' || typeof id === 'number' ? id : null,
    toolName: typeof given.name === 'string' ? given.name : undefined,
    toolArguments: isCall ? asObject(given.arguments) : {},
  };
}

/** The package repeats names and versions that it does not know. Only the id has to come back as it was. */
function shortened(envelope: unknown, id: unknown): unknown {
  const short = shortTexts(envelope);
  return isObject(short) && id !== undefined ? { ...asObject(short), id } : short;
}

function shortTexts(value: unknown): unknown {
  if (typeof value === 'string') return brief(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(shortTexts);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [brief(name), shortTexts(inner)]));
}

/** The number of values within a value, itself included; stops soon after `max`. */
function countValues(value: unknown, max: number): number {
  let count = 1;
  if (typeof value !== 'object' || value === null) return count;
  for (const each of Array.isArray(value) ? value : Object.values(value)) {
    if (count > max) break;
    count += countValues(each, max - count);
  }
  return count;
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function asObject(value: unknown): Record<string, unknown> {
  return isObject(value) ? (value as Record<string, unknown>) : {};
}
