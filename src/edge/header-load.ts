import type { Http2Session } from 'node:http2';

/** What a header field counts for beside its text (RFC 9113, section 6.5.2). */
const besideField = 32;
/** What a stream counts for beside its fields: creating it takes as long as reading 40 of them. */
const besideStream = 1_280;
/** Over 4,000 requests with ten fields. */
const loadMax = 8 * 1_048_576;
/** A session with no more of it is not to blame, until there is far too much: then everyone is. */
const blameless = 16_384;
const farTooMuch = 4 * loadMax;

/**
 * Bounds the headers that wait over all HTTP/2 sessions. They are small on the wire (a byte for each field of up to 4 KiB), large in memory
 * (300 bytes for each field of one byte), and may arrive over any number of sessions in one turn of the event loop. When there are too
 * many of them, the sessions are ended that bring most.
 */
export interface HeaderLoad {
  /** Begins to count a session. `end` is called at most once. */
  session(session: Http2Session, end: () => void): void;
  /** Counts headers until the returned function is called. Undefined: they are too much, and their session has been ended. */
  take(session: Http2Session | undefined, fields: readonly string[]): (() => void) | undefined;
}

interface Waiting {
  bytes: number;
  end(): void;
}

export function createHeaderLoad(): HeaderLoad {
  const bySession = new WeakMap<Http2Session, Waiting>();
  let ofAll = 0;

  return {
    session: (session, end) => void bySession.set(session, { bytes: 0, end }),
    take(session, fields) {
      const waiting = session && bySession.get(session);
      if (!waiting || session.destroyed) return;
      const bytes = sizeOf(fields);
      if (ofAll + bytes > (waiting.bytes + bytes > blameless ? loadMax : farTooMuch)) {
        waiting.end();
        return;
      }
      waiting.bytes += bytes;
      ofAll += bytes;
      return () => {
        waiting.bytes -= bytes;
        ofAll -= bytes;
      };
    },
  };
}

/** Names and values by turns. */
function sizeOf(fields: readonly string[]): number {
  let bytes = besideStream + (fields.length / 2) * besideField;
  for (const text of fields) bytes += text.length;
  return bytes;
}
