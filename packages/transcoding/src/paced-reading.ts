import type { Socket } from 'node:net';
import { ownTurn } from './own-turn.ts';

/** Receiving a piece takes some 2 us: a socket is read up to 32 times in one turn, and each time has up to 13,000 chunks of a byte. */
const piecesAtOnce = 1_024;
/** Those 32 times make 2 MiB, which take a millisecond for each of any number of connections. */
const bytesAtOnce = 262_144;

interface Handle {
  readStop(): void;
  readStart(): void;
}

/**
 * Told of each piece that an HTTP/1.1 connection receives. After many bytes no more is read in this turn of the event loop, and after many
 * pieces not before a turn of its own. `Socket.pause` would not do: Node resumes the socket whenever the request is read.
 */
export function pacedReading(socket: Socket): (bytes: number) => void {
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
    if (!socket.destroyed && !socket.isPaused()) handle?.readStart();
  }

  return (bytes) => {
    pieces += 1;
    left -= bytes;
    if (!isHeld && (pieces >= piecesAtOnce || left <= 0)) void hold();
  };
}
