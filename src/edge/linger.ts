import type { IncomingMessage, RequestListener } from 'node:http';
import { constants, Http2ServerRequest, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { PacedBodies } from './paced-bodies.ts';

/** Limits on how much of a request is still received after its answer. */
export interface LingerLimits {
  lingerMs: number;
  lingerBytes: number;
  /** From the request's first byte to the end of its body; over HTTP/1.1 the server enforces it. */
  requestTimeoutMs: number;
}

/**
 * Lets HTTP/1.1 callers read an answer that is sent before their body ends: a refusal of its size or of their credential. A
 * connection that closes with unread bytes is reset, and the reset overtakes the answer (RFC 9112, section 9.6). So the rest of
 * the body is received and discarded, within limits; then the connection continues or, if the answer said `Connection: close`,
 * ends. A caller still sending at a limit is cut off.
 */
export function lingering(
  handler: RequestListener,
  limits: LingerLimits,
  pacedBodies: Pick<PacedBodies, 'request'>,
): RequestListener {
  return (request, response) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    // Not by its version: an HTTP/1.1 request line can claim any.
    const message: object = request;
    if (message instanceof Http2ServerRequest) boundStream(message.stream, limits);
    else if (encoding !== undefined || (length !== undefined && length !== '0')) {
      const { socket } = request;
      pacedBodies.request(request);
      // Ahead of Node's own listener, which closes the connection.
      response.prependOnceListener('finish', () => {
        if (!request.complete && !socket.destroyed) drain(request, socket, limits);
      });
    }
    handler(request, response);
  };
}

const streamLingerMs = 1_000;

/**
 * Ends streams whose body does not end in time, or has not ended after the answer. Over HTTP/2 this does not harm the answer (RFC
 * 9113, section 8.1). It happens a moment later, so that the trailers are out and callers can end on their own.
 */
function boundStream(stream: ServerHttp2Stream, { lingerMs, requestTimeoutMs }: LingerLimits): void {
  if (stream.endAfterHeaders) return;
  let ending = setTimeout(() => stream.close(constants.NGHTTP2_CANCEL), requestTimeoutMs);
  const received = () => clearTimeout(ending);
  stream.once('end', received);
  stream.once('close', received);
  stream.once('finish', () => {
    if (stream.readableEnded || stream.closed) return;
    clearTimeout(ending);
    ending = setTimeout(() => stream.close(constants.NGHTTP2_NO_ERROR), Math.min(lingerMs, streamLingerMs));
  });
}

const lookEveryMs = 50;

function drain(request: IncomingMessage, socket: Socket, { lingerMs, lingerBytes }: LingerLimits): void {
  const bytesMax = socket.bytesRead + lingerBytes;
  const endsAt = performance.now() + lingerMs;
  let isLast = false;
  const look = setInterval(() => {
    if (request.complete) settle();
    else if (performance.now() >= endsAt || socket.bytesRead > bytesMax) socket.destroy();
  }, lookEveryMs);
  // Immediately, so that the connection's next request finds it as it was.
  request.once('end', settle);
  socket.once('close', settle);
  // Node calls this once a connection's last answer is written, to close it with whatever is unread.
  socket.destroySoon = () => {
    isLast = true;
    socket.end();
  };
  // A reader that gave up midway would hold back the rest.
  request.removeAllListeners('readable');
  request.resume();

  function settle(): void {
    clearInterval(look);
    request.off('end', settle);
    socket.off('close', settle);
    socket.destroySoon = Object.getPrototypeOf(socket).destroySoon;
    if (isLast) socket.destroySoon();
  }
}
