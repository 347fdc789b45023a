import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Http2Server, Http2ServerResponse } from 'node:http2';
import type { Duplex } from 'node:stream';
import { servedAnywhere } from './allowed-methods.ts';
import { keepBriefly } from './carrier.ts';
import { connectionOf } from './connections.ts';
import { noProxy, rawRefusal, unknownMethod } from './raw-refusal.ts';

/** A connection as Node's server keeps it. Its types do not cover this. */
interface AnsweredSocket extends Duplex {
  /** The answer being written; answers that follow wait for it. */
  _httpMessage?: ServerResponse | null;
  /** `incoming`: the request being read. */
  parser?: { incoming: IncomingMessage | null } | null;
}

/** Answers a request that is not HTTP, or whose headers are too large, with the reason; then the connection ends. */
export function refuseBadRequests(server: Server, headerBytes: number): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    inTurn(error, socket);
  });

  /** Every request gets one answer: those ahead of the garbage theirs first, and one that is answered already no second. */
  function inTurn(error: NodeJS.ErrnoException, socket: AnsweredSocket): void {
    const { _httpMessage: answering, parser } = socket;
    if (answering?.req.complete) answering.once('finish', () => setImmediate(inTurn, error, socket));
    else if (answering?.headersSent) answering.once('finish', () => socket.end());
    else if (!answering && parser?.incoming?.complete === false) socket.end();
    else refuse(error, socket);
  }

  function refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
    if (!socket.writable) return;
    const [status, message] =
      error.code === 'HPE_HEADER_OVERFLOW'
        ? ['431 Request Header Fields Too Large', `The request's headers are over ${headerBytes} bytes.`]
        : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
          ? ['408 Request Timeout', 'The request did not arrive in time.']
          : namesUnknownMethod(error)
            ? ['501 Not Implemented', unknownMethod]
            : ['400 Bad Request', 'This is not a request of HTTP/1.1 or HTTP/2.'];
    endWith(socket, status, message);
  }
}

function endWith(socket: Duplex, status: string, message: string, headers = ''): void {
  const body = rawRefusal(Number(status.slice(0, 3)), message);
  socket.end(
    `HTTP/1.1 ${status}\r\n${headers}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

/** What the parser rejected, and where in its input. */
interface ParserError extends NodeJS.ErrnoException {
  rawPacket?: Buffer;
  bytesParsed?: number;
}

/** Whether a request line is valid except for a method that the parser does not know. */
function namesUnknownMethod({ code, rawPacket, bytesParsed = 0 }: ParserError): boolean {
  if (code !== 'HPE_INVALID_METHOD' || !rawPacket) return false;
  const start = rawPacket.lastIndexOf('\n', bytesParsed) + 1;
  return requestLine.test(rawPacket.toString('latin1', start, start + requestLineMax));
}

const requestLineMax = 8_192;
const requestLine = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64} [\x21-\x7e]+ HTTP\/1\.[01]\r?\n/;

const methodsOfAll = servedAnywhere.join(', ');

/**
 * CONNECT never becomes a request: its target is a host, not a path. Node would close the connection or say nothing. Having handed the
 * connection over, it no longer reads it, nor ends it in time: a peer that keeps it open has it for `lingerMs`.
 */
export function refuseConnect(http1: Server, http2: Http2Server, lingerMs: number): void {
  http1.on('connect', (_request, socket) => {
    socket.on('error', () => socket.destroy());
    const ending = setTimeout(() => socket.destroy(), lingerMs).unref();
    socket.once('close', () => clearTimeout(ending));
    endWith(socket, '405 Method Not Allowed', noProxy, `Allow: ${methodsOfAll}\r\n`);
  });
  http2.on('connect', (request: IncomingMessage, response: Http2ServerResponse) => {
    keepBriefly(response.stream, connectionOf(request));
    const body = rawRefusal(405, noProxy);
    response.writeHead(405, {
      ...{ allow: methodsOfAll, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
    });
    response.end(body);
  });
}
