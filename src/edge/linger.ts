import type { IncomingMessage, RequestListener } from 'node:http';
import { constants, Http2ServerRequest, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { piecesMax } from '@intelligence-api/transcoding/parts';

/** How much of a request is still received after its answer. */
export interface LingerLimits {
  lingerMs: number;
  lingerBytes: number;
  /** From the request's first byte to the end of its body; over HTTP/1.1 the server itself sees to it. */
  requestTimeoutMs: number;
}

/**
 * Lets callers over HTTP/1.1 read an answer that comes before their body has ended: a refusal of its size, or of their
 * credential. A connection that closes with bytes unread is reset, and the reset overtakes the answer (RFC 9112, section
 * 9.6). So what is left of the body is received and thrown away, within bounds: then the connection goes on, or, when
 * the answer said `Connection: close`, ends. A caller that still sends at a bound is cut off.
 */
export function lingering(handler: RequestListener, limits: LingerLimits): RequestListener {
  return (request, response) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    // Not by its version: a request line of HTTP/1.1 can claim any.
    const message: object = request;
    if (message instanceof Http2ServerRequest) boundStream(message.stream, limits);
    else if (encoding !== undefined || (length !== undefined && length !== '0')) {
      const { socket } = request;
      // In front of Node's own listener, which closes the connection.
      response.prependOnceListener('finish', () => {
        if (!request.complete && !socket.destroyed) drain(request, socket, limits);
      });
    }
    handler(request, response);
  };
}

const streamLingerMs = 1_000;

/**
 * Ends streams whose body does not come to its end: in time, or after the answer. Over HTTP/2 that does the answer no
 * harm (RFC 9113, section 8.1); a moment later, so that the trailers are out, and callers that end by themselves do.
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
  let pieces = 0;
  // Chunks of a byte each take far longer to receive than their bytes.
  const count = () => {
    pieces += 1;
    if (pieces > piecesMax) socket.destroy();
  };
  const look = setInterval(() => {
    if (request.complete) settle();
    else if (performance.now() >= endsAt || socket.bytesRead > bytesMax) socket.destroy();
  }, lookEveryMs);
  // At once, so that the next request of the connection finds it as it was.
  request.once('end', settle);
  socket.once('close', settle);
  // What Node calls once the last answer of a connection is written, to close it with whatever is unread.
  socket.destroySoon = () => {
    isLast = true;
    socket.end();
  };
  // A reader that gave up in the middle holds the rest back.
  request.removeAllListeners('readable');
  request.on('data', count);
  request.resume();

  function settle(): void {
    clearInterval(look);
    request.off('data', count);
    request.off('end', settle);
    socket.off('close', settle);
    socket.destroySoon = Object.getPrototypeOf(socket).destroySoon;
    if (isLast) socket.destroySoon();
  }
}
