import {
  createServer as createHttp1,
  type Server as Http1Server,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import {
  createServer as createHttp2,
  createSecureServer,
  type Http2Server,
  type Http2Session,
  type ServerHttp2Session,
} from 'node:http2';
import { createServer as createTcp, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TlsOptions } from 'node:tls';
import type { Logger } from 'pino';
import { lingering } from './linger.ts';

/** Bounds of what arrives on the port. Times in milliseconds. */
export interface ListenerLimits {
  /** From the connection's first byte to the end of the request's headers. */
  headersTimeoutMs: number;
  /** From the request's first byte to the end of its body. */
  requestTimeoutMs: number;
  /** How long an idle HTTP/1.1 connection or HTTP/2 session stays open. */
  idleTimeoutMs: number;
  /** Streams of one HTTP/2 session at one time. */
  concurrentStreams: number;
  /** Connections at one time; further ones are closed at once. */
  connections: number;
  /** All headers of one request. */
  headerBytes: number;
  /** How long, and how much of it, a body is received after its request was answered, so that the answer arrives. */
  lingerMs: number;
  lingerBytes: number;
}

export const defaultListenerLimits: ListenerLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 120_000,
  idleTimeoutMs: 75_000,
  // What one busy gRPC client of a backend uses; more would let one session hold the whole process.
  concurrentStreams: 256,
  connections: 10_000,
  headerBytes: 32_768,
  lingerMs: 10_000,
  lingerBytes: 64 * 1024 * 1024,
};

export interface TlsFiles {
  cert: Buffer | string;
  key: Buffer | string;
}

/**
 * The first bytes of every HTTP/2 connection (RFC 9113, section 3.4). Four are enough: no HTTP/1.1 method starts so
 * (`PRI` is reserved for exactly this).
 */
const http2Preface = Buffer.from('PRI ');

/**
 * One port for HTTP/1.1 and HTTP/2. In clear text the first four bytes of a connection tell which; under TLS, ALPN does.
 *
 * Made for Fastify's `serverFactory`, which listens on and closes what this returns. `drain` asks every HTTP/2 session
 * to finish (GOAWAY) and closes idle connections; `destroy` ends what is left.
 */
export interface Listener {
  server: Server;
  drain(): void;
  destroy(): void;
}

export function createListener(answer: RequestListener, limits: ListenerLimits, log: Logger, tls?: TlsFiles): Listener {
  const handler = lingering(answer, limits);
  const sessions = new Set<Http2Session>();
  const sockets = new Set<Socket>();
  const http1Settings = {
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.idleTimeoutMs,
    maxHeaderSize: limits.headerBytes,
    connectionsCheckingInterval: 1_000,
  };
  const http2Settings = {
    settings: { maxConcurrentStreams: limits.concurrentStreams, maxHeaderListSize: limits.headerBytes },
    // Rapid resets (CVE-2023-44487): a session may reset this many streams at once, then this many a second.
    streamResetBurst: 1_000,
    streamResetRate: 33,
    maxSessionInvalidFrames: 100,
  };

  const watch = (server: Http2Server) => {
    server.on('session', (session: ServerHttp2Session) => {
      sessions.add(session);
      session.once('close', () => sessions.delete(session));
      session.setTimeout(limits.idleTimeoutMs, () => session.close());
      session.on('error', (error) => log.debug({ err: error }, 'http/2 session'));
    });
    server.on('sessionError', (error) => log.debug({ err: error }, 'http/2 session'));
  };
  const track = (server: Server) => {
    server.maxConnections = limits.connections;
    server.on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    });
  };
  const destroy = () => {
    for (const session of sessions) session.destroy();
    for (const socket of sockets) socket.destroy();
  };
  const closeSessions = () => {
    for (const session of sessions) session.close();
  };

  if (tls) {
    const secure = createSecureServer(
      {
        ...tls,
        ...http2Settings,
        noDelay: true,
        allowHTTP1: true,
        minVersion: 'TLSv1.2',
        ...http1Settings,
      } as TlsOptions & object,
      handler as never,
    );
    watch(secure as unknown as Http2Server);
    track(secure);
    return { server: secure, drain: closeSessions, destroy };
  }

  const http1 = createHttp1(http1Settings, handler);
  const http2 = createHttp2(http2Settings, handler as never);
  watch(http2);
  refuseBadRequests(http1, limits);
  // It never listens itself; without this its time-outs and the closing of idle connections do nothing.
  http1.emit('listening');

  const undecided = new Set<Socket>();
  // Node's HTTP servers turn Nagle's algorithm off as they accept; these connections are accepted here. With it, the first
  // piece of a stream waits for the acknowledgement of the headers: 40 ms.
  const server = createTcp({ noDelay: true }, (socket) => {
    undecided.add(socket);
    socket.once('close', () => undecided.delete(socket));
    sniff(socket, limits.headersTimeoutMs, (decided, isHttp2) => {
      undecided.delete(decided);
      (isHttp2 ? http2 : http1).emit('connection', decided);
    });
  });
  track(server);
  server.once('close', () => http1.close());
  return {
    server,
    drain: () => {
      closeSessions();
      http1.closeIdleConnections();
      for (const socket of undecided) socket.destroy();
    },
    destroy,
  };
}

/** Collects the first four bytes, under a deadline, and hands the connection on with those bytes put back. */
function sniff(socket: Socket, timeoutMs: number, decide: (socket: Socket, isHttp2: boolean) => void): void {
  const giveUp = () => socket.destroy();
  const deadline = setTimeout(giveUp, timeoutMs);
  socket.on('error', giveUp);
  socket.once('close', () => clearTimeout(deadline));
  socket.on('readable', onReadable);

  function onReadable(): void {
    // Null until four bytes are there; a connection that ends before that closes by itself.
    const head: Buffer | null = socket.read(http2Preface.length);
    if (head === null) return;
    clearTimeout(deadline);
    socket.off('readable', onReadable);
    socket.off('error', giveUp);
    socket.unshift(head);
    decide(socket, head.equals(http2Preface));
  }
}

/** A request that is not HTTP, or whose headers are too large, gets an answer that says so; then the connection ends. */
function refuseBadRequests(server: Http1Server, limits: ListenerLimits): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    // What came in front of the garbage is answered first: its caller must not take this answer for that one.
    const { _httpMessage: answering } = socket as Duplex & { _httpMessage?: ServerResponse | null };
    if (answering?.req.complete && !answering.writableFinished)
      answering.once('finish', () => setImmediate(refuse, error, socket));
    else refuse(error, socket);
  });

  function refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
    if (!socket.writable) return;
    const [status, message] =
      error.code === 'HPE_HEADER_OVERFLOW'
        ? ['431 Request Header Fields Too Large', `The request's headers are over ${limits.headerBytes} bytes.`]
        : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
          ? ['408 Request Timeout', 'The request did not arrive in time.']
          : ['400 Bad Request', 'This is not a request of HTTP/1.1 or HTTP/2.'];
    const code = status.slice(0, 3);
    const body = JSON.stringify({
      error: {
        code: Number(code),
        status: 'INVALID_ARGUMENT',
        message,
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
            reason: 'INVALID_ARGUMENT',
            domain: 'intelligence',
            metadata: {},
          },
        ],
      },
    });
    socket.end(
      `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    );
  }
}
