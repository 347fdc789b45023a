import type { IncomingMessage } from 'node:http';
import type { Http2Session, ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { AnonymousBudget, OpenConnection } from '../limits/index.ts';

/** How often the traffic of anonymous connections is counted. */
const lookEveryMs = 250;

/** The connection that a socket or an HTTP/2 session belongs to. */
const bySocket = new WeakMap<Socket, OpenConnection>();
const bySession = new WeakMap<Http2Session, OpenConnection>();

/** The connection a request came in on; undefined where connections are not counted, such as a trusted proxy's. */
export function connectionOf(request: IncomingMessage): OpenConnection | undefined {
  const { stream } = request as { stream?: ServerHttp2Stream };
  if (stream === undefined) return bySocket.get(request.socket);
  return stream.session && connectionOfSession(stream.session);
}

/** The same for an HTTP/2 session. */
export function connectionOfSession(session: Http2Session): OpenConnection | undefined {
  return bySession.get(session);
}

/** All open connections, and the resources used by those without a credential. */
export interface Connections {
  /** Counts an accepted connection. False: it was closed, because its address has too many. */
  accept(socket: Socket): boolean;
  /** TLS reads from a different socket than the accepted one. */
  isSame(accepted: Socket, secure: Socket): void;
  /** The connection whose session it is; undefined where connections are not counted. */
  carries(socket: Socket, session: Http2Session): OpenConnection | undefined;
  readonly size: number;
  destroy(): void;
  close(): void;
}

/** The bytes moved as of the last check, and the time they last changed. */
interface Moved {
  bytes: number;
  at: number;
}

export interface ConnectionsOptions {
  /** Undefined if nothing is limited. */
  budget: AnonymousBudget | undefined;
  /** Whether an address is a proxy whose callers are identified by other addresses than its own. */
  isProxy(address: string): boolean;
  /** A connection with no traffic for this long, in milliseconds, is cut off. */
  stalledMs: number;
}

export function createConnections({ budget, isProxy, stalledMs }: ConnectionsOptions): Connections {
  const sockets = new Map<Socket, Moved>();
  // Bytes counted so far, by anonymous connection.
  const counted = new Map<Socket, number>();
  const looking = setInterval(look, lookEveryMs);
  looking.unref();
  const lookingForStalled = setInterval(cutStalled, Math.max(lookEveryMs, stalledMs / 8));
  lookingForStalled.unref();

  /** Cuts off peers that neither read nor write; work in progress for them would wait forever. */
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
      // A peer that breaks its connection is not a fault; calls in progress on it notice on their own.
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
      return connection;
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
