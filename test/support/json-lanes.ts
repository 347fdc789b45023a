import { type ClientHttp2Session, connect } from 'node:http2';
import { fromBinary } from '@bufbuild/protobuf';
import { BadRequestSchema } from '../../src/gen/google/rpc/error_details_pb.ts';
import { StatusSchema } from '../../src/gen/google/rpc/status_pb.ts';

/** A lane's answer to one JSON message. */
export interface LaneAnswer {
  /** The messages of the reply, as printed. */
  messages: string[];
  /** The number of the status code; 0: no error. */
  code: number;
  message?: string;
  violations?: { field: string; description: string }[];
}

/** Sends one message, as JSON, to a unary method and to one that streams. */
export type JsonLane = (message: Uint8Array) => Promise<LaneAnswer>;

/** How JSON is sent to a method. */
export interface JsonPaths {
  rest: string;
  rpc: string;
  /** Whether the method can be read by GET. */
  isRead: boolean;
  isStream: boolean;
}

interface Answer {
  status: number;
  headers: Record<string, string>;
  trailers: Record<string, string>;
  body: Buffer;
}

/** All lanes that accept JSON for one method, over one HTTP/2 connection. */
export function jsonLanes(session: ClientHttp2Session, { rest, rpc, isRead, isStream }: JsonPaths) {
  const post = (path: string, type: string, body: Buffer) =>
    send(session, { ':method': 'POST', ':path': path, 'content-type': type, te: 'trailers' }, body);
  const lanes: Record<string, JsonLane> = {
    REST: async (message) => readRest(await post(rest, 'application/json', Buffer.from(message)), isStream),
    'gRPC with JSON': async (message) => {
      const { body, headers, trailers } = await post(rpc, 'application/grpc+json', framed(message));
      const messages = frames(body).map(({ bytes }) => bytes.toString());
      return { messages, ...statusOf({ ...headers, ...trailers }) };
    },
    'gRPC-Web with JSON': async (message) => {
      const all = frames((await post(rpc, 'application/grpc-web+json', framed(message))).body);
      const trailer = all.filter(({ flags }) => flags === 0x80).map(({ bytes }) => bytes.toString());
      const messages = all.filter(({ flags }) => flags === 0).map(({ bytes }) => bytes.toString());
      return { messages, ...statusOf(fieldsOf(trailer.join(''))) };
    },
  };
  if (isStream)
    lanes['Connect, streamed'] = async (message) => {
      const all = frames((await post(rpc, 'application/connect+json', framed(message))).body);
      const { error } = JSON.parse(all.at(-1)?.bytes.toString() ?? '{}');
      return { messages: all.slice(0, -1).map(({ bytes }) => bytes.toString()), ...connectStatus(error) };
    };
  else lanes.Connect = async (message) => readConnect(await post(rpc, 'application/json', Buffer.from(message)));
  if (isRead)
    lanes['Connect by GET'] = async (message) => {
      const query = `connect=v1&encoding=json&base64=1&message=${Buffer.from(message).toString('base64url')}`;
      return readConnect(await send(session, { ':method': 'GET', ':path': `${rpc}?${query}` }));
    };
  return lanes;
}

export function connectTo(url: string): ClientHttp2Session {
  return connect(url);
}

function send(session: ClientHttp2Session, headers: Record<string, string>, body?: Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const stream = session.request(headers, { endStream: body === undefined });
    const answer: Answer = { status: 0, headers: {}, trailers: {}, body: Buffer.alloc(0) };
    const chunks: Buffer[] = [];
    stream.on('response', (received) => {
      answer.status = Number(received[':status']);
      answer.headers = received as Record<string, string>;
    });
    stream.on('trailers', (received) => {
      answer.trailers = received as Record<string, string>;
    });
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => resolve({ ...answer, body: Buffer.concat(chunks) }));
    stream.on('error', reject);
    if (body !== undefined) stream.end(body);
  });
}

/** A message in the envelope of gRPC, gRPC-Web and Connect's streams. */
export function framed(message: Uint8Array): Buffer<ArrayBuffer> {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** The envelopes of a body. */
export function frames(body: Buffer): { flags: number; bytes: Buffer }[] {
  const found: { flags: number; bytes: Buffer }[] = [];
  for (let at = 0; at < body.length; ) {
    const end = at + 5 + body.readUInt32BE(at + 1);
    found.push({ flags: body[at] ?? 0, bytes: body.subarray(at + 5, end) });
    at = end;
  }
  return found;
}

const codes: Record<string, number> = { invalid_argument: 3, internal: 13, INVALID_ARGUMENT: 3, INTERNAL: 13 };

function readRest({ status, body }: Answer, isStream: boolean): LaneAnswer {
  const text = body.toString();
  if (status === 200) {
    const lines = isStream ? text.trimEnd().split('\n') : [];
    return { code: 0, messages: isStream ? lines.map((line) => line.slice('{"result":'.length, -1)) : [text] };
  }
  const { error } = JSON.parse(text);
  const badRequest = error.details.find((detail: { '@type': string }) => detail['@type'].endsWith('BadRequest'));
  const violations = badRequest?.fieldViolations.map(({ field, description }: never) => ({ field, description }));
  return { messages: [], code: codes[error.status] ?? -1, message: error.message, violations };
}

function readConnect({ status, body }: Answer): LaneAnswer {
  if (status === 200) return { code: 0, messages: [body.toString()] };
  return { messages: [], ...connectStatus(JSON.parse(body.toString())) };
}

interface ConnectFault {
  code: string;
  message: string;
  details: { type: string; value: string }[];
}

function connectStatus(error: ConnectFault | undefined): Omit<LaneAnswer, 'messages'> {
  if (!error) return { code: 0 };
  const detail = error.details.find(({ type }) => type === 'google.rpc.BadRequest');
  const violations = detail && violationsIn(Buffer.from(detail.value, 'base64'));
  return { code: codes[error.code] ?? -1, message: error.message, ...(violations && { violations }) };
}

function statusOf(trailers: Record<string, string>): Omit<LaneAnswer, 'messages'> {
  const code = Number(trailers['grpc-status']);
  if (code === 0) return { code };
  const { message, details } = fromBinary(
    StatusSchema,
    Buffer.from(trailers['grpc-status-details-bin'] ?? '', 'base64'),
  );
  const badRequest = details.find(({ typeUrl }) => typeUrl.endsWith('google.rpc.BadRequest'));
  return { code, message, ...(badRequest && { violations: violationsIn(badRequest.value) }) };
}

function violationsIn(bytes: Uint8Array): { field: string; description: string }[] {
  return fromBinary(BadRequestSchema, bytes).fieldViolations.map(({ field, description }) => ({ field, description }));
}

function fieldsOf(text: string): Record<string, string> {
  const fields = text
    .split('\r\n')
    .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]);
  return Object.fromEntries(fields.map(([name = '', value = '']) => [name.trim(), value.trim()]));
}
