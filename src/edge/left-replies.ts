import type { ServerResponse } from 'node:http';

/** What the system says of a write whose reader is gone, where Connect knows another word. */
const codesOfLeaving = new Set(['ECANCELED', 'EPIPE']);
const codeThatConnectKnows = 'ECONNRESET';

/**
 * Connect prints what it takes for a fault of a handler, with its stack, past the log. That a caller leaves in the middle of a
 * long reply is none, and callers could fill a disk with it.
 */
export function nameLeaving(response: ServerResponse): void {
  const write = response.write.bind(response) as (...args: unknown[]) => boolean;
  const named = (...args: unknown[]): boolean => {
    const told = args.at(-1);
    if (typeof told !== 'function') return write(...args);
    return write(...args.slice(0, -1), (error?: NodeJS.ErrnoException | null) => {
      if (error?.code !== undefined && codesOfLeaving.has(error.code)) error.code = codeThatConnectKnows;
      told(error);
    });
  };
  response.write = named as ServerResponse['write'];
}
