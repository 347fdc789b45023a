import type { ServerResponse } from 'node:http';

/** The system's codes for a write to a reader that is gone; Connect expects a different one. */
const codesOfLeaving = new Set(['ECANCELED', 'EPIPE']);
const codeThatConnectKnows = 'ECONNRESET';

/**
 * Connect prints what it considers a handler fault, with its stack, bypassing the log. A caller that disconnects during a long
 * reply is not a fault, and could otherwise fill a disk with these.
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
