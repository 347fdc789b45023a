import type { Logger } from 'pino';
import type { Protocol } from '../api/call.ts';
import type { Clock } from '../base/clock.ts';
import { type AdmittedCall, nameOf } from './admitted-call.ts';
import { failureOf } from './failures.ts';

export interface FinishedCall {
  method: string;
  protocol: Protocol;
  /** `ok`, or the reason of the refusal. */
  outcome: string;
  durationMs: number;
}

/** A call that is over; without a caller if it was not admitted. */
type LoggedCall = Pick<AdmittedCall, 'requestId' | 'method' | 'protocol' | 'startedAt'> &
  Partial<Pick<AdmittedCall, 'caller'>>;

/** What operators learn of calls: a line for each, in the log and to whoever counts them, and each fault of the service. */
export interface CallLog {
  over(call: LoggedCall, error: unknown): void;
  /** An error on its way to a caller, of a call or of a request that is none. */
  refused(error: unknown, requestId: string | undefined): void;
}

export function createCallLog({
  clock,
  log,
  observe,
}: {
  clock: Clock;
  log: Logger;
  /** Called with each call, for metrics. */
  observe: ((call: FinishedCall) => void) | undefined;
}): CallLog {
  const reported = new WeakSet<object>();

  function over(call: LoggedCall, error: unknown): void {
    const durationMs = clock.monotonic() - call.startedAt;
    const outcome = error === undefined ? 'ok' : failureOf(error).kind;
    const method = nameOf(call.method);
    observe?.({ method, protocol: call.protocol, outcome, durationMs });
    const line = {
      requestId: call.requestId,
      method,
      protocol: call.protocol,
      outcome,
      durationMs: Math.round(durationMs * 1000) / 1000,
      account: call.caller?.accountId,
      caller: call.caller?.name,
      session: call.caller?.session?.id,
    };
    if (!warned(outcome, error, line)) log.info(line, 'call');
  }

  /** Whether the error is the service's and not the caller's, and operators were told. */
  function warned(kind: string, error: unknown, line: object): boolean {
    if (kind === 'internal') reportFault(error, line);
    else if (kind === 'database_unavailable') log.warn({ ...line, err: error }, 'the database is away');
    else return false;
    return true;
  }

  /** Faults are logged once, in full, at the first place that sees them on their way out. */
  function reportFault(error: unknown, line: object): void {
    if (typeof error === 'object' && error !== null) {
      if (reported.has(error)) return;
      reported.add(error);
    }
    log.error({ ...line, err: error }, 'a fault of the service');
  }

  return {
    over,
    refused: (error, requestId) => {
      warned(failureOf(error).kind, error, { requestId });
    },
  };
}
