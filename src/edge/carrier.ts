import type { OpenConnection } from '../limits/index.ts';

/** A reply on its way: closed when it has gone out, or its connection is gone. */
export interface Carrier {
  readonly closed: boolean;
  once(event: 'close', listener: () => void): unknown;
  destroy(): unknown;
}

/** A refusal that its caller does not read, as with an HTTP/2 window of 0, is kept for so long. */
export const refusedLifeMs = 5_000;
/** Those of a connection that has as many of them as it may have requests at one time. */
const crowdedLifeMs = 1_000;

/** Resolves when the reply is over; after `withinMs` it is. */
export function closed(carrier: Carrier, withinMs: number): Promise<void> {
  if (carrier.closed) return Promise.resolve();
  return new Promise((resolve) => {
    const cutOff = () => {
      carrier.destroy();
      resolve();
    };
    const ending = setTimeout(cutOff, withinMs).unref();
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
