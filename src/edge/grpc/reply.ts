import { constants, type OutgoingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { DescMessage, Message } from '@bufbuild/protobuf';
import type { GrpcCall } from './call.ts';
import { FrameWriter, frameOf, gzipped, isWorthGzip, longFrameOf } from './message-out.ts';
import { takesGzip } from './request-headers.ts';

const ok: OutgoingHttpHeaders = { 'grpc-status': '0' };

/** Sends a unary call's one message: headers, one DATA frame if it fits, trailers. */
export function sendMessage(call: GrpcCall, desc: DescMessage, message: Message): void | Promise<void> {
  const frame = longFrameOf(desc, message);
  return frame instanceof Promise ? frame.then((long) => sendEncoded(call, long)) : sendEncoded(call, frame);
}

function sendEncoded(call: GrpcCall, frame: Buffer): void | Promise<void> {
  if (!isWorthGzip(frame) || !takesGzip(call.headers)) {
    if (call.decide()) sendFrame(call, frame);
    return undefined;
  }
  return gzipped(frame).then((compressed) => {
    if (!call.decide()) return;
    call.replyHeaders['grpc-encoding'] = 'gzip';
    sendFrame(call, compressed);
  });
}

function sendFrame(call: GrpcCall, frame: Buffer): void {
  begin(call, ok);
  call.stream.end(frame);
}

/** Sends the headers; `trailers` follow when the stream is ended. */
function begin({ stream, replyHeaders }: GrpcCall, trailers: OutgoingHttpHeaders): void {
  stream.respond(replyHeaders, { waitForTrailers: true, sendDate: false } as ResponseOptions);
  stream.on('wantTrailers', () => stream.sendTrailers(trailers));
}

/** Node supports `sendDate`, but its types do not; gRPC has no use for a date. */
type ResponseOptions = Parameters<ServerHttp2Stream['respond']>[1] & { sendDate: boolean };

/** The reply of a streaming call. */
export interface ReplyStream {
  /** Resolves when there is room for another message. The first message also sends the headers. */
  send(message: Message): Promise<void> | undefined;
  /** Ends with these trailers; if no message was sent, headers and trailers are one block ("Trailers-Only"). */
  end(trailers?: OutgoingHttpHeaders): void;
}

export function replyStream(call: GrpcCall, desc: DescMessage): ReplyStream {
  const { stream } = call;
  const writer = new FrameWriter(stream);
  const trailers: OutgoingHttpHeaders = {};
  let hasBegun = false;
  let compresses = false;

  function start(): void {
    hasBegun = true;
    compresses = takesGzip(call.headers);
    if (compresses) call.replyHeaders['grpc-encoding'] = 'gzip';
    begin(call, trailers);
  }

  function write(frame: Buffer): Promise<void> | undefined {
    if (call.isGone || call.stopped || writer.write(frame)) return undefined;
    return roomIn(stream);
  }

  return {
    send(message) {
      if (call.isGone || call.stopped) return undefined;
      if (!hasBegun) start();
      const frame = frameOf(desc, message);
      return compresses && isWorthGzip(frame) ? gzipped(frame).then(write) : write(frame);
    },
    end(last = ok) {
      if (call.isGone) return;
      Object.assign(trailers, last);
      if (hasBegun) writer.end();
      else if (last === ok) {
        start();
        writer.end();
      } else sendStatus(call, last);
    },
  };
}

function roomIn(stream: ServerHttp2Stream): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stream.off('drain', done);
      stream.off('close', done);
      resolve();
    };
    stream.on('drain', done);
    stream.on('close', done);
  });
}

/** How long, in milliseconds, a caller may continue sending after its answer. Then the stream is ended. */
const lingerMsMax = 1_000;

/** Answers with only a status. Whatever the caller still sends is discarded, and soon ended (RFC 9113, section 8.1). */
export function sendStatus(call: GrpcCall, status: OutgoingHttpHeaders): void {
  const { stream, replyHeaders } = call;
  if (call.isGone) return;
  const options = { endStream: true, sendDate: false } as ResponseOptions;
  stream.respond({ ...replyHeaders, ...status }, options);
  if (stream.readableEnded) return;
  stream.resume();
  const ending = setTimeout(() => stream.close(constants.NGHTTP2_NO_ERROR), lingerMsMax);
  stream.once('close', () => clearTimeout(ending));
}
