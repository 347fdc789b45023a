import { FailureError, invalid } from '../../base/failure.ts';

/** A message of the protocol, divided. */
export interface McpMessage {
  /** What the protocol's package reads: the message without the arguments of its tool. */
  envelope: unknown;
  /** What its answer is to be marked with; null: it is not one that can be answered. */
  messageId: string | number | null;
  /** The tool that it calls; undefined: it calls none. */
  toolName: string | undefined;
  /** What that tool is given, as it was sent. */
  toolArguments: Record<string, unknown>;
}

/** Names and values beside a tool's arguments. Messages of clients have a few dozen; the package takes up to 20 us for each. */
const envelopeValuesMax = 1_000;

/**
 * One message a request: batches left the protocol, and each call is paid by itself. The package looks at every value of what it is
 * given several times, and describes each one that is wrong, so it is given no more than is the protocol's own.
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
    envelope,
    messageId: typeof id === 'string' || typeof id === 'number' ? id : null,
    toolName: typeof given.name === 'string' ? given.name : undefined,
    toolArguments: isCall ? asObject(given.arguments) : {},
  };
}

/** Values within a value, itself included; stops soon after `max`. */
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
