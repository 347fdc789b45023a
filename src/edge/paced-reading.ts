import type { Socket } from 'node:net';
import { ownTurn } from '../base/turn.ts';

/** Receiving a piece takes some 2 us: a socket is read up to 32 times in one turn, and each time has up to 13,000 chunks of a byte. */
const piecesAtOnce = 1_024;
/** Those 32 times make 2 MiB, which take a millisecond for each of any number of connections. */
const bytesAtOnce = 262_144;

interface Handle {
  readStop(): void;
  readStart(): void;
}

/**
 * Told of each piece that a connection receives. After many bytes no more is read in this turn of the event loop, and after many
 * pieces not before a turn of its own. `Socket.pause` would not do: Node resumes the socket whenever the request is read, and an HTTP/2
 * session reads past it. `mayRead`: whether the connection is to be read at all when its turn has come.
 */
export function pacedReading(
  socket: Socket,
  mayRead: () => boolean = () => !socket.isPaused(),
): (bytes: number) => void {
  let pieces = 0;
  let left = bytesAtOnce;
  let isHeld = false;
  const { _handle: handle } = socket as Socket & { _handle?: Handle | null };

  async function hold(): Promise<void> {
    isHeld = true;
    handle?.readStop();
    await (pieces >= piecesAtOnce ? ownTurn() : new Promise((resolve) => setImmediate(resolve)));
    isHeld = false;
    pieces = 0;
    left = bytesAtOnce;
    if (!socket.destroyed && mayRead()) handle?.readStart();
  }

  return (bytes) => {
    pieces += 1;
    left -= bytes;
    if (isHeld) {
      // An HTTP/2 session reads on by itself once it has written.
      if (pieces % piecesAtOnce === 0) handle?.readStop();
    } else if (pieces >= piecesAtOnce || left <= 0) void hold();
  };
}
