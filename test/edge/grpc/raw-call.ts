import { type ClientHttp2Session, type ClientHttp2Stream, connect, type IncomingHttpHeaders } from 'node:http2';
import { fromBinary } from '@bufbuild/protobuf';
import { ErrorInfoSchema } from '../../../src/gen/google/rpc/error_details_pb.ts';
import { StatusSchema } from '../../../src/gen/google/rpc/status_pb.ts';
import { goodToken } from '../../support/gate-server.ts';

/** Everything that came back for one call. */
export interface Answer {
  headers: IncomingHttpHeaders;
  trailers: IncomingHttpHeaders;
  /** From the trailers, or from headers that are trailers, too. */
  status: string | undefined;
  message: string | undefined;
  reason: string | undefined;
  /** The body cut into its messages: flag and bytes of each. */
  messages: { flag: number; bytes: Buffer }[];
  /** The code of RST_STREAM; 0 when the stream ended in order. */
  resetCode: number;
}

export const sayPath = '/intelligence.test.v1.GateService/Say';

/** One message with gRPC's five bytes in front. */
export function framed(message: Uint8Array, flag = 0): Buffer {
  const head = Buffer.alloc(5, flag);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** A client of HTTP/2 that knows nothing of gRPC. */
export function rawClient(url: string) {
  const session: ClientHttp2Session = connect(url);
  session.on('error', () => {});

  function open(headers: Record<string, string | string[]> = {}): ClientHttp2Stream {
    const stream = session.request({
      ...{ ':method': 'POST', ':path': sayPath, te: 'trailers', 'content-type': 'application/grpc' },
      ...{ authorization: goodToken, ...headers },
    });
    stream.on('error', () => {});
    return stream;
  }

  return {
    close: () => session.destroy(),
    open,
    /** Resolves when the server has read what was sent before. */
    pinged: () => new Promise<void>((resolve) => session.ping(() => resolve())),
    /** Sends the pieces, each in DATA frames of its own, and half-closes unless it is told not to. */
    async call(
      pieces: readonly Uint8Array[],
      headers: Record<string, string | string[]> = {},
      { halfCloses = true } = {},
    ): Promise<Answer> {
      const stream = open(headers);
      const answer = answerOf(stream);
      for (const piece of pieces) await new Promise((written) => stream.write(piece, written));
      if (halfCloses) stream.end();
      return answer;
    },
  };
}

export function answerOf(stream: ClientHttp2Stream): Promise<Answer> {
  const chunks: Buffer[] = [];
  let headers: IncomingHttpHeaders = {};
  let trailers: IncomingHttpHeaders = {};
  stream.on('response', (received) => {
    headers = plain(received);
  });
  stream.on('trailers', (received) => {
    trailers = plain(received);
  });
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return new Promise((resolve) => {
    stream.once('close', () => {
      const ending = trailers['grpc-status'] === undefined ? headers : trailers;
      const message = ending['grpc-message'] as string | undefined;
      resolve({
        ...{ headers, trailers, messages: messagesIn(Buffer.concat(chunks)), resetCode: stream.rstCode ?? 0 },
        status: ending['grpc-status'] as string | undefined,
        message: message === undefined ? undefined : decodeURIComponent(message),
        reason: reasonIn(ending['grpc-status-details-bin'] as string | undefined),
      });
    });
  });
}

function messagesIn(body: Buffer): { flag: number; bytes: Buffer }[] {
  const messages: { flag: number; bytes: Buffer }[] = [];
  for (let at = 0; at < body.length; ) {
    const end = at + 5 + body.readUInt32BE(at + 1);
    messages.push({ flag: body[at] ?? -1, bytes: body.subarray(at + 5, end) });
    at = end;
  }
  return messages;
}

function reasonIn(details: string | undefined): string | undefined {
  if (details === undefined) return undefined;
  const [info] = fromBinary(StatusSchema, Buffer.from(details, 'base64')).details;
  return info && fromBinary(ErrorInfoSchema, info.value).reason;
}

/** Without what Node notes beside the headers. */
function plain(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers));
}
