import type { Http2Session, ServerHttp2Stream } from 'node:http2';
import { endOfTurn } from '../base/turn.ts';

/**
 * Ends sessions that open more streams in one turn of the event loop than they may have open: all but those have been reset.
 * Node asks such a session to end, too, but only after all that has arrived was served: 5,000 requests in 140 KB.
 */
export function endFloods(streamsMax: number): (stream: ServerHttp2Stream) => boolean {
  /** Streams opened in this turn. */
  const opened = new Map<Http2Session, number>();

  function isFlood(session: Http2Session | undefined): boolean {
    if (!session || session.destroyed) return true;
    if (opened.size === 0) void endOfTurn().then(() => opened.clear());
    const count = (opened.get(session) ?? 0) + 1;
    opened.set(session, count);
    if (count <= streamsMax) return false;
    session.destroy();
    return true;
  }

  return (stream) => {
    if (!isFlood(stream.session)) return false;
    // Nobody else listens to it, and it may still tell how its session ended.
    stream.on('error', () => {});
    return true;
  };
}
