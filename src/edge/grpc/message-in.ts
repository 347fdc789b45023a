import type { ServerHttp2Stream } from 'node:http2';
import { type DescMethod, fromBinary, type Message } from '@bufbuild/protobuf';
import { isEncoding, longBytes } from '@intelligence-api/transcoding/parts';
import { type Failure, fail, invalid, type Result, succeed } from '../../base/failure.ts';
import { ownTurn } from '../../base/turn.ts';
import { brief } from '../brief.ts';
import { checkBinary, openMessage } from '../message-bytes.ts';

/** The flag and length before each message (gRPC over HTTP/2, "Length-Prefixed-Message"). */
export const prefixBytes = 5;

/** One message's bytes, as received. */
export interface Frame {
  isCompressed: boolean;
  bytes: Buffer;
}

export interface Receiving {
  method: DescMethod;
  bytesMax: number;
  /** Called with bytes before they are kept, including decompressed ones; fails to refuse them. */
  receive(bytes: number): Result<void>;
}

/**
 * Collects a call's one message, however it is split, until the caller has sent everything. Reports a second message, or one over
 * `bytesMax`, as soon as it shows. Reports once, and not at all if the stream closes first.
 */
export function receiveFrame(
  stream: ServerHttp2Stream,
  { method, bytesMax, receive }: Receiving,
  received: (frame: Result<Frame>) => void,
): void {
  let held: Buffer = nothing;
  let length = 0;
  stream.on('data', take);
  stream.on('end', end);

  function take(chunk: Buffer): void {
    const room = receive(chunk.length);
    if (!room.ok) {
      settle(room);
      return;
    }
    if (length === 0) held = chunk;
    else append(chunk);
    length += chunk.length;
    if (length < prefixBytes) return;
    const declared = held.readUInt32BE(1);
    if (declared > bytesMax) settle(fail({ kind: 'payload_too_large', limitBytes: bytesMax }));
    else if (length > prefixBytes + declared) settle(fail(notOne(method, 'it received another one')));
  }

  /** Uses one buffer that doubles in size: one-byte frames must not each be kept as an object. */
  function append(chunk: Buffer): void {
    const needed = length + chunk.length;
    if (needed > held.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(needed, Math.min(needed * 2, prefixBytes + bytesMax)));
      held.copy(grown, 0, 0, length);
      held = grown;
    }
    chunk.copy(held, length);
  }

  function end(): void {
    // A stream that its caller resets also emits its end, before it closes.
    if (stream.closed) return;
    settle(length === 0 ? fail(notOne(method, 'it received none')) : frameOf(held.subarray(0, length)));
  }

  function settle(frame: Result<Frame>): void {
    stream.off('data', take);
    stream.off('end', end);
    received(frame);
  }
}

const nothing = Buffer.alloc(0);

function frameOf(bytes: Buffer): Result<Frame> {
  const declared = bytes.length < prefixBytes ? undefined : bytes.readUInt32BE(1);
  if (declared === undefined || bytes.length < prefixBytes + declared)
    return fail(invalid('body', `is not framed as gRPC asks: it ends after ${bytes.length} bytes, within a message`));
  const flag = bytes[0];
  if (flag !== 0 && flag !== 1)
    return fail({ kind: 'protocol_error', description: `A message begins with ${flag}, where gRPC has 0 or 1.` });
  return succeed({ isCompressed: flag === 1, bytes: bytes.subarray(prefixBytes) });
}

function notOne({ name }: DescMethod, what: string): Failure {
  return { kind: 'unimplemented', description: `${name} takes exactly one message: ${what}.` };
}

/** The message in a frame, decompressed and within its limits. Synchronous if short and not compressed. */
export function readMessage(
  { isCompressed, bytes }: Frame,
  { method, bytesMax, receive }: Receiving,
  encoding: string | undefined,
): Result<Message> | Promise<Result<Message>> {
  if (!isCompressed)
    return bytes.length > longBytes ? ownTurn().then(() => parse(bytes, method)) : parse(bytes, method);
  if (encoding === undefined || !isEncoding(encoding))
    return fail({
      kind: 'protocol_error',
      description: 'The message is marked as compressed, but no header says how: send grpc-encoding.',
    });
  return openMessage(bytes, encoding, bytesMax).then(async (opened) => {
    if (!opened.ok) return opened;
    const room = receive(opened.value.length);
    if (!room.ok) return room;
    if (opened.value.length > longBytes) await ownTurn();
    return parse(opened.value, method);
  });
}

function parse(bytes: Buffer, { input }: DescMethod): Result<Message> {
  const problem = checkBinary(bytes, input);
  if (problem) return fail(problem);
  try {
    return succeed(fromBinary(input, bytes));
  } catch (error) {
    return fail(
      invalid('body', `is not a valid protobuf message ${input.typeName}: ${brief((error as Error).message)}`),
    );
  }
}
