import type { DescMethod } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { type Failure, FailureError, invalid } from '../base/failure.ts';
import { messageFailure } from './bounded-messages.ts';
import { brief } from './brief.ts';

/**
 * What kept a message from its handler, according to Connect's own error: its size, its form, its compression, or the caller
 * disconnecting. Connect reads messages before any interceptor runs, so its errors have its own wording and codes.
 */
export function unreadableFailure(reason: unknown, method: DescMethod, limitBytes: number): Failure {
  const known = messageFailure(reason);
  if (known) return known;
  if (reason instanceof FailureError) return reason.failure;
  const { code, rawMessage } = ConnectError.from(reason);
  // gRPC's compression.md and Connect's protocol both ask for INTERNAL.
  if (rawMessage.startsWith('received compressed envelope'))
    return {
      kind: 'protocol_error',
      description:
        'The message is marked as compressed, but no header says how: send grpc-encoding or connect-content-encoding.',
    };
  switch (code) {
    case Code.ResourceExhausted:
      return { kind: 'payload_too_large', limitBytes };
    case Code.DeadlineExceeded:
      return { kind: 'deadline_exceeded' };
    case Code.Unimplemented:
      return { kind: 'unimplemented', description: unsupported(rawMessage, method) };
    case Code.InvalidArgument:
      return malformed(rawMessage, method);
    // Connect treats bytes that are not a message as its own fault; they are the caller's.
    case Code.Internal:
      return callersFault.test(rawMessage) ? malformed(rawMessage, method) : { kind: 'cancelled' };
    default:
      return { kind: 'cancelled' };
  }
}

const callersFault = /^parse binary: |^decompression failed$/;

/** Text that came with the request is returned shortened. */
function malformed(message: string, method: DescMethod): Failure {
  const typeName = method.input.typeName;
  const [, binary] = /^parse binary: (.*)$/s.exec(message) ?? [];
  if (binary !== undefined) return invalid('body', `is not a valid protobuf message ${typeName}: ${brief(binary)}`);
  const [, timeout] = /^protocol error: invalid \w+ timeout value: (.*)$/s.exec(message) ?? [];
  if (timeout !== undefined) return invalid('timeout', `is not a time that this protocol knows: ${brief(timeout)}`);
  if (message === 'decompression failed') return invalid('body', 'is not compressed as its headers say');
  return invalid('body', `is not framed as this protocol asks: ${brief(message.replace(/^protocol error: /, ''))}`);
}

function unsupported(message: string, method: DescMethod): string {
  const [, encodings] = /^unknown compression .*: supported encodings are (.*)$/s.exec(message) ?? [];
  if (encodings !== undefined)
    return `The compression of the message is not supported. Send it uncompressed, or as ${encodings.split(',').join(' or ')}.`;
  return `${method.name} takes exactly one message: ${brief(message.replace(/^protocol error: /, ''))}.`;
}

/**
 * Makes an error on its way out say what another one says. Connect aborts a call's signal with the very error that it is about to
 * write, and this is the only place to reach it.
 */
export function reword(error: ConnectError, as: ConnectError): void {
  const { message, rawMessage, code } = as;
  Object.assign(error, { message, rawMessage, code, details: as.details });
  for (const [name, value] of as.metadata) error.metadata.set(name, value);
}
