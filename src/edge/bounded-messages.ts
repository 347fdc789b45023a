import type { IncomingMessage } from 'node:http';
import type { DescMethod } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import {
  defaultJsonBounds,
  findJsonFault,
  isEncoding,
  longBytes,
  ownTurn,
  positionInBytes,
} from '@intelligence-api/transcoding/parts';
import { type Failure, invalid, type Result } from '../base/failure.ts';
import { fieldsMax } from './binary-bounds.ts';
import { holdsValues } from './binary-values.ts';
import { checkBinary, openMessage } from './message-bytes.ts';

const failures = new WeakMap<object, Failure>();

/** Why a message was refused before Connect saw it, from the error that says so. */
export function messageFailure(reason: unknown): Failure | undefined {
  return typeof reason === 'object' && reason !== null ? failures.get(reason) : undefined;
}

/** An error that Connect carries on as it is. Any class of our own it would take for its own, so the failure stands beside it. */
export function refusedMessage(failure: Failure): ConnectError {
  const error = new ConnectError('the message is refused', Code.InvalidArgument);
  failures.set(error, failure);
  return error;
}

export interface MessageBounds {
  /** Largest message in, after decompression. */
  bytesMax: number;
  /** Largest message in as JSON, which takes longer to read. */
  jsonBytesMax: number;
  /** Told of bytes before they are kept, also of those that come of decompression; fails to refuse them. */
  receive(bytes: number): Result<void> | undefined;
}

const envelopeBytes = 5;
const compressedFlag = 1;

/**
 * Puts a check in front of Connect, which parses whatever a message's bytes hold: the message is collected, decompressed and
 * looked at first, and handed on decompressed. For methods that take one message. Smaller ones than `uncheckedBytes` pass
 * as they are, but for binary ones that can hold a `Value`.
 */
export function boundMessages(request: IncomingMessage, method: DescMethod, bounds: MessageBounds): void {
  const { headers } = request;
  const contentType = String(headers['content-type'] ?? '');
  const isJson = /json/i.test(contentType);
  const isEnvelope = /^application\/(grpc|connect\+)/i.test(contentType);
  const bytesMax = isJson ? bounds.jsonBytesMax : bounds.bytesMax;
  const encoding = isEnvelope
    ? (headers['grpc-encoding'] ?? headers['connect-content-encoding'])
    : headers['content-encoding'];
  const read = request[Symbol.asyncIterator].bind(request);
  const isPlain = encoding === undefined || encoding === 'identity';
  const length = Number(headers['content-length'] ?? Number.NaN);
  const isSmallEnough = (bytes: number) => bytes <= uncheckedBytes && (isJson || !holdsValues(method.input));
  if (isPlain && isSmallEnough(length)) return;
  if (!isEnvelope && !isPlain && isEncoding(String(encoding))) {
    // Connect gets what is in it, not what it is wrapped in.
    delete headers['content-encoding'];
    delete headers['content-length'];
  }

  request[Symbol.asyncIterator] = async function* messages() {
    const body = await collect({ [Symbol.asyncIterator]: read }, isEnvelope, { ...bounds, bytesMax });
    if (!isEnvelope) {
      const message = isPlain ? body : await opened(body, String(encoding), { ...bounds, bytesMax });
      await check(message);
      yield message;
      return undefined;
    }
    if (body.length < envelopeBytes) {
      yield body;
      return undefined;
    }
    const flags = body[0] ?? 0;
    const end = envelopeBytes + body.readUInt32BE(1);
    const packed = body.subarray(envelopeBytes, end);
    // What is marked as compressed without a header that says how, Connect refuses.
    if ((flags & compressedFlag) === 0 || isPlain || !isEncoding(String(encoding))) {
      await check(packed);
      yield body;
      return undefined;
    }
    const message = await opened(packed, String(encoding), { ...bounds, bytesMax });
    await check(message);
    const head = Buffer.alloc(envelopeBytes);
    head[0] = flags & ~compressedFlag;
    head.writeUInt32BE(message.length, 1);
    yield Buffer.concat([head, message, body.subarray(end)]);
    return undefined;
  };

  async function check(message: Buffer): Promise<void> {
    if (isSmallEnough(message.length)) return;
    if (!isJson) {
      if (message.length > longBytes) await ownTurn();
      const problem = checkBinary(message, method.input);
      if (problem) throw refusedMessage(problem);
      return;
    }
    const fault = await findJsonFault(message);
    // How deep it is nested, its reader sees.
    if (fault && fault.kind !== 'depth')
      throw refusedMessage(invalid('body', `${fault.description} (${positionInBytes(message, fault.at)})`));
  }
}

/** No more values than a message may have fit into so many bytes. */
const uncheckedBytes = Math.min(fieldsMax, defaultJsonBounds.valuesMax);

/** The whole body; refuses more than one message of `bytesMax` as soon as it shows. */
async function collect(
  body: AsyncIterable<Buffer>,
  isEnvelope: boolean,
  { bytesMax, receive }: Bounded,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    makeRoom(receive, chunk);
    chunks.push(chunk);
    bytes += chunk.length;
    const [first] = chunks;
    const declared = isEnvelope && first && first.length >= envelopeBytes ? first.readUInt32BE(1) : 0;
    if (bytes > bytesMax + (isEnvelope ? envelopeBytes : 0) || declared > bytesMax)
      throw refusedMessage({ kind: 'payload_too_large', limitBytes: bytesMax });
  }
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, bytes);
}

async function opened(message: Buffer, encoding: string, { bytesMax, receive }: Bounded): Promise<Buffer> {
  if (!isEncoding(encoding)) return message;
  const open = await openMessage(message, encoding, bytesMax);
  if (!open.ok) throw refusedMessage(open.failure);
  makeRoom(receive, open.value);
  return open.value;
}

type Bounded = Pick<MessageBounds, 'bytesMax' | 'receive'>;

function makeRoom(receive: MessageBounds['receive'], { length }: Buffer): void {
  const room = receive(length);
  if (room && !room.ok) throw refusedMessage(room.failure);
}
