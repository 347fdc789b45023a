import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';

const lookEveryMs = 250;
/**
 * What a session may receive that reaches no handler, in bytes per millisecond. A client that acknowledges each piece of 256 streamed
 * answers by a frame of its own sends a third of this.
 */
const unseenPerMs = 1_024;
/** The most that the headers of one request count for: on the wire they may be a byte each. */
const headersMax = 4_096;
/** RFC 9113, section 4.1. */
const frameHeaderBytes = 9;

/**
 * Ends HTTP/2 sessions that mostly receive what no handler sees: header blocks that Node rejects by itself (more than 128 fields), floods
 * of PING, SETTINGS, PRIORITY, WINDOW_UPDATE or empty DATA frames. They keep the event loop busy without calling any code of ours, so that
 * only the bytes which were read tell of them, and only afterwards.
 */
export interface UnseenFrames {
  /** Watches a session. `end` is called at most once, when it has received too much of this. Returns what is to be told of each piece of a body. */
  session(session: ServerHttp2Session, socket: Socket, end: () => void): (bytes: number) => void;
  stop(): void;
}

interface Watched {
  socket: Socket;
  end(): void;
  /** As of the last look. */
  read: number;
  seen: number;
}

export function createUnseenFrames(): UnseenFrames {
  const sessions = new Set<Watched>();
  let lookedAt = performance.now();
  const looking = setInterval(look, lookEveryMs);
  looking.unref();

  function look(): void {
    const time = performance.now();
    // After a long turn, there is more to see.
    const allowed = unseenPerMs * Math.max(lookEveryMs, time - lookedAt);
    lookedAt = time;
    for (const watched of sessions) {
      const { read, seen, socket } = watched;
      watched.read = socket.bytesRead;
      watched.seen = 0;
      if (watched.read - read - seen <= allowed) continue;
      sessions.delete(watched);
      watched.end();
    }
  }

  return {
    session(session, socket, end) {
      const watched: Watched = { socket, end, read: socket.bytesRead, seen: 0 };
      sessions.add(watched);
      session.once('close', () => sessions.delete(watched));
      session.on('stream', (_stream: ServerHttp2Stream, _headers: unknown, _flags: unknown, fields: string[]) => {
        let bytes = frameHeaderBytes;
        for (const text of fields) bytes += text.length;
        watched.seen += Math.min(bytes, headersMax);
      });
      return (bytes) => {
        watched.seen += bytes + frameHeaderBytes;
      };
    },
    stop: () => clearInterval(looking),
  };
}
