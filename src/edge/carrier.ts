import type { OpenConnection } from '../limits/index.ts';

/** A reply on its way: closed when it has gone out, or its connection is gone. */
export interface Carrier {
  readonly closed: boolean;
  readonly destroyed: boolean;
  /** All of it is written. */
  readonly writableEnded: boolean;
  /** All of it has gone out. */
  readonly writableFinished: boolean;
  /** Bytes that wait to go out. */
  readonly writableLength: number;
  /** Of HTTP/2. */
  readonly session?: { destroy(): void } | undefined;
  once(event: 'close' | 'finish', listener: () => void): unknown;
  destroy(): unknown;
}

/** A refusal that its caller does not read, as with an HTTP/2 window of 0, is kept for so long. */
export const refusedLifeMs = 5_000;
/** Those of a connection that has as many of them as it may have requests at one time. */
const crowdedLifeMs = 1_000;

/** A stream of HTTP/2 counts as closed when its last frame is made, though its connection may not have taken it. */
export function isOver({ closed, destroyed, writableFinished, writableLength }: Carrier): boolean {
  return destroyed || writableFinished || (closed && writableLength === 0);
}

/** Ends a reply, and the connection when that holds the rest of it. */
export function cutOff(carrier: Carrier): void {
  if (carrier.closed) carrier.session?.destroy();
  carrier.destroy();
}

/** Resolves when the reply is over; after `withinMs` it is. */
export function closed(carrier: Carrier, withinMs: number): Promise<void> {
  if (isOver(carrier)) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      cutOff(carrier);
      resolve();
    };
    const ending = setTimeout(end, withinMs).unref();
    carrier.once('close', () => {
      clearTimeout(ending);
      resolve();
    });
  });
}

/** Ends the refusal of a stranger that nobody reads. Whoever reads what is sent has it long before. */
export function keepBriefly(carrier: Carrier | undefined, connection: OpenConnection | undefined): void {
  if (!carrier) return;
  const isStranger = connection?.anonymous === true;
  const leave = isStranger ? connection.enterStream() : undefined;
  void closed(carrier, isStranger && !leave ? crowdedLifeMs : refusedLifeMs).then(leave);
}
