import { buildConnector } from 'undici';

/** What may arrive at once, and each second. An answer's head has at most 16 KiB, and as much of its body is read. */
const bytesAtOnce = 262_144;
const bytesPerSecond = 262_144;

/**
 * Opens connections that end when the other side sends more than answers need. Heads of 1xx, blank lines and extensions of chunks may go on
 * for ever without an answer ever beginning: reading them took half a processor until the attempt's time was over.
 */
export function boundedConnector(options: buildConnector.BuildOptions): buildConnector.connector {
  const connect = buildConnector(options);
  return (target, done) =>
    connect(target, (...outcome) => {
      if (outcome[1]) boundReading(outcome[1]);
      done(...outcome);
    });
}

type Socket = NonNullable<Parameters<buildConnector.Callback>[1]>;

function boundReading(socket: Socket): void {
  const read = socket.read.bind(socket);
  let left = bytesAtOnce;
  let lookedAt = performance.now();
  socket.read = (size?: number) => {
    const piece = read(size) as Buffer | null;
    if (piece === null) return null;
    const now = performance.now();
    left = Math.min(bytesAtOnce, left + ((now - lookedAt) * bytesPerSecond) / 1_000) - piece.length;
    lookedAt = now;
    if (left >= 0) return piece;
    socket.destroy(new Error('it sends more than an answer has'));
    return null;
  };
}
