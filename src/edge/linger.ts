import type { IncomingMessage, RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** How much of a request is still received after its answer. */
export interface LingerLimits {
  lingerMs: number;
  lingerBytes: number;
}

/**
 * Lets callers over HTTP/1.1 read an answer that comes before their body has ended: a refusal of its size, or of their
 * credential. A connection that closes with bytes unread is reset, and the reset overtakes the answer (RFC 9112, section
 * 9.6). So what is left of the body is received and thrown away, within bounds: then the connection goes on, or, when
 * the answer said `Connection: close`, ends. Who still sends at a bound is cut off.
 */
export function lingering(handler: RequestListener, limits: LingerLimits): RequestListener {
  return (request, response) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    if (request.httpVersionMajor === 1 && (encoding !== undefined || (length !== undefined && length !== '0'))) {
      const { socket } = request;
      // In front of Node's own listener, which closes the connection.
      response.prependOnceListener('finish', () => {
        if (!request.complete && !socket.destroyed) drain(request, socket, limits);
      });
    }
    handler(request, response);
  };
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
  socket.once('close', settle);
  // What Node calls once the last answer of a connection is written, to close it with whatever is unread.
  socket.destroySoon = () => {
    isLast = true;
    socket.end();
  };
  // A reader that gave up in the middle holds the rest back.
  request.removeAllListeners('readable');
  request.resume();

  function settle(): void {
    clearInterval(look);
    socket.off('close', settle);
    socket.destroySoon = Object.getPrototypeOf(socket).destroySoon;
    if (isLast) socket.destroySoon();
  }
}
