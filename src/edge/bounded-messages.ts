import type { IncomingMessage } from 'node:http';
import type { DescMethod } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { RestError } from '@intelligence-api/transcoding';
import {
  defaultJsonBounds,
  findJsonFault,
  isEncoding,
  longBytes,
  Pieces,
  positionInBytes,
} from '@intelligence-api/transcoding/parts';
import { type Failure, invalid, type Result } from '../base/failure.ts';
import { ownTurn } from '../base/turn.ts';
import { fieldsMax } from './binary-bounds.ts';
import { holdsValues } from './binary-values.ts';
import { checkBinary, openMessage } from './message-bytes.ts';

const failures = new WeakMap<object, Failure>();

/** Why a message was refused before it reached Connect, looked up by the error thrown for it. */
export function messageFailure(reason: unknown): Failure | undefined {
  return typeof reason === 'object' && reason !== null ? failures.get(reason) : undefined;
}

/** An error that Connect passes on unchanged. Connect would rewrap an error class of our own, so the failure is kept beside it. */
export function refusedMessage(failure: Failure): ConnectError {
  const error = new ConnectError('the message is refused', Code.InvalidArgument);
  failures.set(error, failure);
  return error;
}

export interface MessageBounds {
  /** The largest incoming message, after decompression. */
  bytesMax: number;
  /** The largest incoming JSON message; JSON takes longer to read. */
  jsonBytesMax: number;
  /** Called with bytes before they are kept, including decompressed ones; fails to refuse them. */
  receive(bytes: number): Result<void> | undefined;
}

const envelopeBytes = 5;
const compressedFlag = 1;

/**
 * Puts a check in front of Connect, which parses whatever bytes it is given: the message is collected, decompressed and checked
 * first, then passed on decompressed. For methods that take one message. Messages smaller than `uncheckedBytes` pass as they are,
 * except binary ones that can contain a `Value`.
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
    // Connect gets the decompressed content.
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
    // A message marked as compressed without a header naming the encoding is left for Connect to refuse.
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
    // The parser checks the nesting depth itself.
    if (fault && fault.kind !== 'depth')
      throw refusedMessage(invalid('body', `${fault.description} (${positionInBytes(message, fault.at)})`));
  }
}

/** A message of this size cannot hold more values than allowed. */
const uncheckedBytes = Math.min(fieldsMax, defaultJsonBounds.valuesMax);

/** Reads the whole body; refuses more than one message of `bytesMax` as soon as the excess shows. */
async function collect(
  body: AsyncIterable<Buffer>,
  isEnvelope: boolean,
  { bytesMax, receive }: Bounded,
): Promise<Buffer> {
  const limit = bytesMax + (isEnvelope ? envelopeBytes : 0);
  const pieces = new Pieces(limit, (length) => makeRoom(receive, length));
  let bytes = 0;
  for await (const chunk of body) {
    const declared = isEnvelope && bytes === 0 && chunk.length >= envelopeBytes ? chunk.readUInt32BE(1) : 0;
    bytes += chunk.length;
    if (bytes > limit || declared > bytesMax) throw refusedMessage({ kind: 'payload_too_large', limitBytes: bytesMax });
    add(pieces, chunk);
  }
  return pieces.whole();
}

function add(pieces: Pieces, chunk: Buffer): void {
  try {
    pieces.add(chunk);
  } catch (error) {
    throw error instanceof RestError ? refusedMessage(error.problem) : error;
  }
}

async function opened(message: Buffer, encoding: string, { bytesMax, receive }: Bounded): Promise<Buffer> {
  if (!isEncoding(encoding)) return message;
  const open = await openMessage(message, encoding, bytesMax);
  if (!open.ok) throw refusedMessage(open.failure);
  makeRoom(receive, open.value.length);
  return open.value;
}

type Bounded = Pick<MessageBounds, 'bytesMax' | 'receive'>;

function makeRoom(receive: MessageBounds['receive'], length: number): void {
  const room = receive(length);
  if (room && !room.ok) throw refusedMessage(room.failure);
}
