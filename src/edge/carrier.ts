import type { OpenConnection } from '../limits/index.ts';

/** A reply on its way out: closed once it has been sent, or its connection is gone. */
export interface Carrier {
  readonly closed: boolean;
  readonly destroyed: boolean;
  /** All of it has been written. */
  readonly writableEnded: boolean;
  /** All of it has been sent. */
  readonly writableFinished: boolean;
  /** Bytes waiting to be sent. */
  readonly writableLength: number;
  /** HTTP/2 only. */
  readonly session?: { destroy(): void } | undefined;
  once(event: 'close' | 'finish', listener: () => void): unknown;
  destroy(): unknown;
}

/** How long a refusal is kept that its caller does not read, for example with an HTTP/2 window of 0. */
export const refusedLifeMs = 5_000;
/** The same, on a connection that already has as many of them as it may have concurrent requests. */
const crowdedLifeMs = 1_000;

/** An HTTP/2 stream counts as closed once its last frame is created, even if the connection has not yet accepted it. */
export function isOver({ closed, destroyed, writableFinished, writableLength }: Carrier): boolean {
  return destroyed || writableFinished || (closed && writableLength === 0);
}

/** Ends a reply, and the connection if it still holds the rest of it. */
export function cutOff(carrier: Carrier): void {
  if (carrier.closed) carrier.session?.destroy();
  carrier.destroy();
}

/** Resolves when the reply is over, which it is after `withinMs` at the latest. */
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

/** Ends an anonymous caller's refusal that goes unread. A caller that reads at all has read it long before. */
export function keepBriefly(carrier: Carrier | undefined, connection: OpenConnection | undefined): void {
  if (!carrier) return;
  const isStranger = connection?.anonymous === true;
  const leave = isStranger ? connection.enterStream() : undefined;
  void closed(carrier, isStranger && !leave ? crowdedLifeMs : refusedLifeMs).then(leave);
}
