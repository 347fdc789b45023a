import type { IncomingMessage } from 'node:http';
import type { Http2Session, ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { AnonymousBudget, OpenConnection } from '../limits/index.ts';

/** How often the bytes of anonymous connections are counted. */
const lookEveryMs = 250;

/** What a socket or an HTTP/2 session belongs to. */
const bySocket = new WeakMap<Socket, OpenConnection>();
const bySession = new WeakMap<Http2Session, OpenConnection>();

/** The connection that a request came by; undefined where connections are not counted, as those of a trusted proxy. */
export function connectionOf(request: IncomingMessage): OpenConnection | undefined {
  const { stream } = request as { stream?: ServerHttp2Stream };
  if (stream === undefined) return bySocket.get(request.socket);
  return stream.session && connectionOfSession(stream.session);
}

/** The same, for what came by an HTTP/2 session. */
export function connectionOfSession(session: Http2Session): OpenConnection | undefined {
  return bySession.get(session);
}

/** Every open connection, and what those without a credential use. */
export interface Connections {
  /** Counts a connection that was accepted. False: it was closed, for its address has too many. */
  accept(socket: Socket): boolean;
  /** TLS reads from another socket than the one that was accepted. */
  isSame(accepted: Socket, secure: Socket): void;
  carries(socket: Socket, session: Http2Session): void;
  readonly size: number;
  destroy(): void;
  close(): void;
}

/** How much had moved when it was last looked at, and since when. */
interface Moved {
  bytes: number;
  at: number;
}

export interface ConnectionsOptions {
  /** Undefined: nothing is limited. */
  budget: AnonymousBudget | undefined;
  /** Whether an address is a proxy whose callers are known by other addresses than its own. */
  isProxy(address: string): boolean;
  /** A connection over which nothing moves for so long is cut off, in milliseconds. */
  stalledMs: number;
}

export function createConnections({ budget, isProxy, stalledMs }: ConnectionsOptions): Connections {
  const sockets = new Map<Socket, Moved>();
  // Bytes that were counted, of connections that are anonymous.
  const counted = new Map<Socket, number>();
  const looking = setInterval(look, lookEveryMs);
  looking.unref();
  const lookingForStalled = setInterval(cutStalled, Math.max(lookEveryMs, stalledMs / 8));
  lookingForStalled.unref();

  /** Whoever neither reads nor writes: what is under way for it would wait for ever. */
  function cutStalled(): void {
    const time = performance.now();
    for (const [socket, moved] of sockets) {
      const bytes = socket.bytesRead + socket.bytesWritten;
      if (bytes !== moved.bytes) Object.assign(moved, { bytes, at: time });
      else if (time - moved.at > stalledMs) socket.destroy();
    }
  }

  function look(): void {
    for (const [socket, before] of counted) {
      const connection = bySocket.get(socket);
      if (!connection?.anonymous) {
        counted.delete(socket);
        continue;
      }
      const bytes = socket.bytesRead + socket.bytesWritten;
      if (bytes === before) continue;
      counted.set(socket, bytes);
      if (!connection.moved(bytes - before)) socket.destroy();
    }
  }

  return {
    accept(socket) {
      // A peer that breaks its connection is not a fault; calls in progress on it notice by themselves.
      socket.on('error', ignore);
      const { remoteAddress } = socket;
      if (remoteAddress === undefined) {
        socket.destroy();
        return false;
      }
      if (budget && !isProxy(remoteAddress)) {
        const connection = budget.connect(remoteAddress, () => socket.destroy());
        if (!connection) {
          socket.destroy();
          return false;
        }
        bySocket.set(socket, connection);
        counted.set(socket, 0);
        socket.once('close', () => {
          counted.delete(socket);
          connection.closed();
        });
      }
      sockets.set(socket, { bytes: 0, at: performance.now() });
      socket.once('close', () => sockets.delete(socket));
      return true;
    },
    isSame(accepted, secure) {
      const connection = bySocket.get(accepted);
      if (connection) bySocket.set(secure, connection);
    },
    carries(socket, session) {
      const connection = bySocket.get(socket);
      if (connection) bySession.set(session, connection);
    },
    get size() {
      return sockets.size;
    },
    destroy() {
      for (const socket of sockets.keys()) socket.destroy();
    },
    close() {
      clearInterval(looking);
      clearInterval(lookingForStalled);
    },
  };
}

function ignore(): void {}
