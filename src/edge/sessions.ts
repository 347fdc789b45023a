import type { Http2Server, ServerHttp2Session } from 'node:http2';
import type { Logger } from 'pino';

export interface SessionLimits {
  /** How long a session without streams stays open, whatever frames its client sends. */
  idleTimeoutMs: number;
  /** How long a session that was asked to end may take. */
  closeGraceMs: number;
}

/** The HTTP/2 sessions of a server. */
export interface Sessions {
  /** Asks all to end when their streams have (GOAWAY). */
  drain(): void;
  destroy(): void;
  stop(): void;
}

interface Seen {
  streams: number;
  /** When the last stream ended. */
  idleSince: number;
  closing: boolean;
}

const lookEveryMs = 500;

/**
 * Ends idle sessions for certain: GOAWAY first, and after a grace time whatever is left. Frames that are no requests, such
 * as PING, keep no session open. A session with streams is not idle; each stream has bounds of its own.
 */
export function watchSessions(server: Http2Server, limits: SessionLimits, log: Logger): Sessions {
  const sessions = new Map<ServerHttp2Session, Seen>();
  const looking = setInterval(look, Math.min(lookEveryMs, limits.idleTimeoutMs));
  looking.unref();
  server.on('session', add);
  server.on('sessionError', (error) => log.debug({ err: error }, 'http/2 session'));

  function add(session: ServerHttp2Session): void {
    const seen: Seen = { streams: 0, idleSince: performance.now(), closing: false };
    const ended = () => {
      seen.streams -= 1;
      seen.idleSince = performance.now();
    };
    sessions.set(session, seen);
    session.once('close', () => sessions.delete(session));
    session.on('stream', (stream) => {
      seen.streams += 1;
      stream.once('close', ended);
    });
    session.on('error', (error) => log.debug({ err: error }, 'http/2 session'));
  }

  function look(): void {
    const time = performance.now();
    for (const [session, seen] of sessions) {
      if (seen.streams > 0 || time - seen.idleSince < limits.idleTimeoutMs) continue;
      if (!seen.closing) {
        seen.closing = true;
        session.close();
      }
      // The peer may neither answer nor read.
      if (time - seen.idleSince >= limits.idleTimeoutMs + limits.closeGraceMs) session.destroy();
    }
  }

  return {
    drain() {
      for (const session of sessions.keys()) session.close();
    },
    destroy() {
      for (const session of sessions.keys()) session.destroy();
    },
    stop: () => clearInterval(looking),
  };
}
