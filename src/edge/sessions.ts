import { constants, type Http2Server, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import { LinkedList, type Links } from '@intelligence-api/transcoding/parts';
import type { Logger } from 'pino';

export interface SessionLimits {
  /** How long a session without streams stays open, whatever frames its client sends. */
  idleTimeoutMs: number;
  /** How long a session may take to end once asked to. */
  closeGraceMs: number;
  /** How long a caller may take to read the rest of an answer after all of it was written, or anything of a stream that waits for it. */
  unreadMs: number;
}

/** A server's HTTP/2 sessions. */
export interface Sessions {
  /** Asks all sessions to end once their streams have (GOAWAY). */
  drain(): void;
  destroy(): void;
  stop(): void;
}

interface Seen {
  streams: LinkedList<OpenStream>;
  /** When the last stream ended. */
  idleSince: number;
  closing: boolean;
}

interface OpenStream extends Links<OpenStream> {
  stream: ServerHttp2Stream;
  /** Since when its answer, or the rest of what was written of it, has waited to be read; 0: nothing waits. */
  unreadSince: number;
  /** How many bytes waited at the last look. */
  waiting: number;
}

const lookEveryMs = 500;

/**
 * Reliably ends idle sessions: GOAWAY first, then whatever is left after a grace period. Frames other than requests, such as
 * PING, do not keep a session open. A session with streams is not idle; each stream has its own limits, including one on an
 * answer that its caller does not read, for example with a window of 0.
 */
export function watchSessions(server: Http2Server, limits: SessionLimits, log: Logger): Sessions {
  const sessions = new Map<ServerHttp2Session, Seen>();
  const looking = setInterval(look, Math.min(lookEveryMs, limits.idleTimeoutMs));
  looking.unref();
  server.on('session', add);
  server.on('sessionError', (error) => log.debug({ err: error }, 'http/2 session'));

  function add(session: ServerHttp2Session): void {
    const seen: Seen = { streams: new LinkedList(), idleSince: performance.now(), closing: false };
    sessions.set(session, seen);
    session.once('close', () => sessions.delete(session));
    session.on('stream', (stream) => {
      const open: OpenStream = { stream, unreadSince: 0, waiting: 0, older: undefined, newer: undefined };
      seen.streams.add(open);
      stream.once('close', () => {
        seen.streams.delete(open);
        seen.idleSince = performance.now();
      });
    });
    session.on('error', (error) => log.debug({ err: error }, 'http/2 session'));
  }

  function endUnread(session: ServerHttp2Session, stream: ServerHttp2Stream): void {
    // Its last frame was created, but the connection does not accept it.
    if (stream.closed) session.destroy();
    else stream.close(constants.NGHTTP2_CANCEL);
  }

  /** Whether all of a stream's answer is written, or nothing of it was read since the last look. */
  function isWaiting(open: OpenStream): boolean {
    const { writableEnded, writableNeedDrain, writableLength } = open.stream;
    const before = open.waiting;
    open.waiting = writableNeedDrain ? writableLength : 0;
    return writableEnded || (writableNeedDrain && writableLength === before);
  }

  function look(): void {
    const time = performance.now();
    for (const [session, seen] of sessions) {
      for (const open of seen.streams.all()) {
        if (!isWaiting(open)) open.unreadSince = 0;
        else if (open.unreadSince === 0) open.unreadSince = time;
        else if (time - open.unreadSince >= limits.unreadMs) endUnread(session, open.stream);
      }
      if (!seen.streams.isEmpty || time - seen.idleSince < limits.idleTimeoutMs) continue;
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
