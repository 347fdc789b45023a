import { fail, type Result } from './failure.ts';

/** The work's result, or `cancelled` as soon as the caller leaves; the work continues. */
export function orAborted<T>(work: Promise<Result<T>>, signal: AbortSignal): Promise<Result<T>> {
  return new Promise((resolve, reject) => {
    const leave = () => resolve(fail({ kind: 'cancelled' }));
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
