import { createServer as createHttp1, type RequestListener } from 'node:http';
import {
  createServer as createHttp2,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { createServer as createTcp, type Server, type Socket } from 'node:net';
import { createServer as createTls, type TLSSocket } from 'node:tls';
import type { Logger } from 'pino';
import { createTurnQuota, endOfTurn, ownTurn } from '../base/turn.ts';
import type { AnonymousBudget } from '../limits/index.ts';
import { type Connections, createConnections } from './connections.ts';
import { createHeaderLoad, type HeaderLoad } from './header-load.ts';
import { lingering } from './linger.ts';
import { createPacedBodies } from './paced-bodies.ts';
import { createPipelines } from './pipelines.ts';
import { refuseBadRequests, refuseConnect } from './refused-requests.ts';
import { watchSessions } from './sessions.ts';
import { endFloods } from './stream-floods.ts';
import { continueWhenRead, refuseExpectation, strictHttp } from './strict-http.ts';
import { createUnseenFrames } from './unseen-frames.ts';

/** Limits on what arrives at the port. Times in milliseconds. */
export interface ListenerLimits {
  /** From the connection's first byte to the end of the request's headers; also covers the TLS handshake. */
  headersTimeoutMs: number;
  /** From the request's first byte to the end of its body. */
  requestTimeoutMs: number;
  /** How long an idle HTTP/1.1 connection or HTTP/2 session stays open. */
  idleTimeoutMs: number;
  /** How long an idle HTTP/2 session may take to end once asked to. */
  closeGraceMs: number;
  /** How long an HTTP/2 caller may take to read the rest of an answer after all of it was written. */
  unreadMs: number;
  /** The total time that a request without a credential may take: sending, answering and reading. */
  anonymousMs: number;
  /** A connection with no traffic for this long is cut off; longer than any served call is ever silent. */
  stalledMs: number;
  /** Concurrent streams per HTTP/2 session. */
  concurrentStreams: number;
  /** Concurrent connections; further ones are closed at once. */
  connections: number;
  /** The total header size of one request. */
  headerBytes: number;
  /** How long, and how much of, a body is received after its request was answered, so that the answer arrives. */
  lingerMs: number;
  lingerBytes: number;
}

export const defaultListenerLimits: ListenerLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 120_000,
  idleTimeoutMs: 75_000,
  closeGraceMs: 5_000,
  // 16 MiB at the speed of a slow mobile network.
  unreadMs: 10 * 60_000,
  anonymousMs: 60_000,
  stalledMs: 40 * 60_000,
  // What one busy backend's gRPC client uses; more would let one session take up the whole process.
  concurrentStreams: 256,
  connections: 10_000,
  headerBytes: 32_768,
  lingerMs: 10_000,
  lingerBytes: 64 * 1024 * 1024,
};

/**
 * How many connections are taken over in one turn of the event loop: with its first request, a connection takes up to half a
 * millisecond, and any number of them may be ready at one moment.
 */
const beginningsOfATurn = 16;

/** A connection that begins with more has a turn for itself: it may be thousands of chunks, frames or requests. */
const manyFirstBytes = 8_192;

/** How many HTTP/2 streams become requests in one turn: the first step of each takes some 50 us. */
const streamsOfATurn = 128;

export interface TlsFiles {
  cert: Buffer | string;
  key: Buffer | string;
}

export interface ListenerOptions {
  limits: ListenerLimits;
  log: Logger;
  /** Limits for callers without a credential; absent if there are none. */
  anonymous?: AnonymousBudget | undefined;
  /** Whether an address is a proxy whose callers are identified by other addresses than its own. */
  isProxy?(address: string): boolean;
  tls?: TlsFiles | undefined;
  /** Asked first about each HTTP/2 stream. True: it is handled, and never becomes a request. */
  takeStream?: TakeStream | undefined;
}

export type TakeStream = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => boolean;

/**
 * The first bytes of every HTTP/2 connection (RFC 9113, section 3.4). Four are enough: no HTTP/1.1 method starts with them (`PRI`
 * is reserved for exactly this).
 */
const http2Preface = Buffer.from('PRI ');

/**
 * One port for HTTP/1.1 and HTTP/2. In clear text the first four bytes of a connection tell which; under TLS, ALPN does.
 *
 * Made for Fastify's `serverFactory`, which listens on and closes the returned server. `drain` asks every HTTP/2 session to
 * finish (GOAWAY) and closes idle connections; `destroy` ends what is left.
 */
export interface Listener {
  server: Server;
  /** The number of open connections. */
  connections(): number;
  drain(): void;
  destroy(): void;
}

export function createListener(answer: RequestListener, options: ListenerOptions): Listener {
  const { limits, log, anonymous: budget, isProxy = () => false, tls, takeStream } = options;
  const pacedBodies = createPacedBodies();
  const pipelines = createPipelines();
  const unseenFrames = createUnseenFrames();
  const headerLoad = createHeaderLoad();
  const handleHttp1 = strictHttp(lingering(pipelines.inTurns(answer), limits, pacedBodies));
  // A stream has waited for its turn before it becomes a request.
  const handleHttp2 = strictHttp(lingering(answer, limits, pacedBodies));
  const connections = createConnections({ budget, isProxy, stalledMs: limits.stalledMs });
  const http1 = createHttp1(
    {
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      keepAliveTimeout: limits.idleTimeoutMs,
      maxHeaderSize: limits.headerBytes,
      connectionsCheckingInterval: 1_000,
      // Node would answer without a body; `strictHttp` explains what is wrong.
      requireHostHeader: false,
    },
    handleHttp1,
  );
  const http2 = createHttp2(
    {
      settings: { maxConcurrentStreams: limits.concurrentStreams, maxHeaderListSize: limits.headerBytes },
      // Rapid resets (CVE-2023-44487): a session may reset this many streams at once, then this many per second.
      streamResetBurst: 1_000,
      streamResetRate: 33,
      maxSessionInvalidFrames: 100,
    },
    handleHttp2 as never,
  );
  http1.on('checkContinue', continueWhenRead(handleHttp1));
  http2.on('checkContinue', continueWhenRead(handleHttp2) as never);
  http1.on('checkExpectation', refuseExpectation);
  http2.on('checkExpectation' as never, refuseExpectation as never);
  // Twice as many: some may have been answered within the turn.
  divertStreams(http2, endFloods(limits.concurrentStreams * 2), headerLoad, takeStream);
  refuseBadRequests(http1, limits.headerBytes);
  refuseConnect(http1, http2, limits.lingerMs);
  const sessions = watchSessions(http2, limits, log);
  // This server never listens itself; without the event, its time-outs and its closing of idle connections do nothing.
  http1.emit('listening');

  const serveHttp1 = (socket: Socket) => {
    http1.emit('connection', socket);
    pipelines.connection(socket);
  };
  const serveHttp2 = (socket: Socket) => {
    const carries = (session: ServerHttp2Session) => {
      const connection = connections.carries(socket, session);
      const end = () => {
        session.destroy();
        socket.destroy();
      };
      headerLoad.session(session, end);
      const received = unseenFrames.session(session, socket, () => {
        connection?.wasted();
        end();
      });
      pacedBodies.session(session, socket, received);
    };
    // The session is created before `emit` returns.
    http2.once('session', carries);
    http2.emit('connection', socket);
    http2.off('session', carries);
  };
  const inTurn = createTurnQuota(beginningsOfATurn);
  const serve = (socket: Socket, isHttp2: boolean, firstBytes = 0) => {
    const begin = () => {
      if (!socket.destroyed) (isHttp2 ? serveHttp2 : serveHttp1)(socket);
    };
    // They cannot be paced: what has been read already is received at once.
    if (firstBytes > manyFirstBytes) void ownTurn().then(begin);
    else inTurn(begin);
  };
  const undecided = new Set<Socket>();
  const front = tls
    ? acceptTls(tls, { limits, connections, serve, log })
    : // Node's HTTP servers turn Nagle's algorithm off as they accept; these connections are accepted here. With it, the
      // first piece of a stream waits for the acknowledgement of the headers: 40 ms.
      createTcp({ noDelay: true }, (socket) => {
        if (!connections.accept(socket)) return;
        undecided.add(socket);
        socket.once('close', () => undecided.delete(socket));
        sniff(socket, limits.headersTimeoutMs, (decided, isHttp2, bytes) => {
          undecided.delete(decided);
          serve(decided, isHttp2, bytes);
        });
      });
  front.maxConnections = limits.connections;
  front.once('close', () => {
    http1.close();
    sessions.stop();
    unseenFrames.stop();
    connections.close();
  });
  return {
    server: front,
    connections: () => connections.size,
    drain: () => {
      sessions.drain();
      http1.closeIdleConnections();
      for (const socket of undecided) socket.destroy();
    },
    destroy: () => {
      sessions.destroy();
      connections.destroy();
    },
  };
}

/** Puts `isFlood`, `load` and `take` ahead of Node's own listener, which turns streams into requests. */
function divertStreams(
  server: Http2Server,
  isFlood: (stream: ServerHttp2Stream) => boolean,
  load: HeaderLoad,
  take: TakeStream | undefined,
): void {
  const [makeRequest] = server.listeners('stream');
  if (!makeRequest) throw new Error('Node serves the requests of HTTP/2 by something else than "stream"');
  server.off('stream', makeRequest as () => void);
  const inTurn = createTurnQuota(streamsOfATurn);
  server.on('stream', (stream, headers, flags, fields) => {
    if (isFlood(stream)) return;
    const begun = load.take(stream.session, fields);
    let isWaiting = true;
    if (begun) {
      if (!stream.endAfterHeaders) stream.once('trailers', countTrailers);
      inTurn(() => {
        begun();
        isWaiting = false;
        // What its caller has reset meanwhile is not worth a turn.
        if (!stream.destroyed && !take?.(stream, headers)) makeRequest.call(server, stream, headers, flags, fields);
      });
    }
    // Nobody else listens yet when its connection breaks.
    if (isWaiting) stream.on('error', ignore);
  });

  function countTrailers(
    this: ServerHttp2Stream,
    _trailers: unknown,
    _flags: unknown,
    fields: readonly string[],
  ): void {
    const read = load.take(this.session, fields);
    if (read) void endOfTurn().then(read);
  }
}

function ignore(): void {}

/** TLS connections: the servers for clear text also serve them, as agreed by ALPN. */
function acceptTls(
  tls: TlsFiles,
  {
    limits,
    connections,
    serve,
    log,
  }: {
    limits: ListenerLimits;
    connections: Connections;
    serve(socket: Socket, isHttp2: boolean): void;
    log: Logger;
  },
): Server {
  // Keyed by both ends' ports and addresses: a TLS socket does not tell which socket it reads from.
  const accepted = new Map<string, Socket>();
  const server = createTls({
    ...tls,
    ALPNProtocols: ['h2', 'http/1.1'],
    minVersion: 'TLSv1.2',
    handshakeTimeout: limits.headersTimeoutMs,
    noDelay: true,
  });
  server.prependListener('connection', (socket: Socket) => {
    if (!connections.accept(socket)) return;
    const name = nameOf(socket);
    accepted.set(name, socket);
    socket.once('close', () => accepted.delete(name));
  });
  server.on('tlsClientError', (error, socket) => {
    log.debug({ err: error }, 'tls handshake');
    socket.destroy();
  });
  server.on('secureConnection', (socket: TLSSocket) => {
    socket.on('error', (error) => log.debug({ err: error }, 'tls'));
    const raw = accepted.get(nameOf(socket));
    if (raw) connections.isSame(raw, socket);
    serve(socket, socket.alpnProtocol === 'h2');
  });
  return server;
}

function nameOf(socket: Socket): string {
  return `${socket.remoteAddress} ${socket.remotePort} ${socket.localAddress}`;
}

/** Collects the first four bytes, within a deadline, and passes the connection on with those bytes put back. */
function sniff(
  socket: Socket,
  timeoutMs: number,
  decide: (socket: Socket, isHttp2: boolean, bytes: number) => void,
): void {
  const giveUp = () => socket.destroy();
  const deadline = setTimeout(giveUp, timeoutMs);
  socket.once('close', () => clearTimeout(deadline));
  socket.on('readable', onReadable);

  function onReadable(): void {
    // Null until four bytes have arrived; a connection that ends before that closes on its own.
    const head: Buffer | null = socket.read(http2Preface.length);
    if (head === null) return;
    clearTimeout(deadline);
    socket.off('readable', onReadable);
    // In one piece with any bytes that followed: the parser reports unknown input per piece.
    const rest: Buffer | null = socket.read();
    socket.unshift(rest === null ? head : Buffer.concat([head, rest]));
    decide(socket, head.equals(http2Preface), socket.readableLength);
  }
}
