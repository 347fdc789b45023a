import type { DescMethod, Message } from '@bufbuild/protobuf';
import { create } from '@bufbuild/protobuf';
import { createValidator } from '@bufbuild/protovalidate';
import type { Logger } from 'pino';
import type { Call, Protocol } from '../api/call.ts';
import type { ServedService, UntypedHandler, UntypedReply } from '../api/handlers.ts';
import type { Caller } from '../base/caller.ts';
import { nobody } from '../base/caller.ts';
import type { Clock } from '../base/clock.ts';
import { FailureError, type Result, unwrap } from '../base/failure.ts';
import { newId } from '../base/ids.ts';
import { type AccessRule, accessRules, mayCall } from './access.ts';
import { checkOrigin } from './cors.ts';
import { failureOf, type Refusal, type RefusalTexts, refusalOf } from './failures.ts';
import type { Revocations } from './revocations.ts';
import { violationsOf } from './violations.ts';

/** What a protocol knows of a call before it passes the gate. */
export interface Arrival {
  readonly protocol: Protocol;
  readonly peer: string;
  readonly signal: AbortSignal;
  /** When the caller's deadline passes, in milliseconds since the epoch. */
  readonly deadline: number | undefined;
  header(name: string): string | undefined;
  setReplyHeader(name: string, value: string): void;
}

/** Admission by limits. `undefined`: not limited. The returned function gives back what a call occupied. */
export interface Admission {
  admit(caller: Caller, method: DescMethod, arrival: Arrival): Result<() => void> | Promise<Result<() => void>>;
  /** Counts a refused credential against its address; fails when the address sends too many. */
  refused(peer: string): Result<void>;
}

export interface GateOptions {
  services: readonly ServedService[];
  authenticate(authorization: string | undefined): Result<Caller> | Promise<Result<Caller>>;
  admission: Admission;
  clock: Clock;
  log: Logger;
  texts: RefusalTexts;
  /** Ends streams whose credential is revoked; absent: they run to their end. */
  revocations?: Revocations;
  /** Told of each finished call, for metrics. */
  observe?: (call: FinishedCall) => void;
}

export interface FinishedCall {
  method: string;
  protocol: Protocol;
  /** `ok`, or the reason of the refusal. */
  outcome: string;
  durationMs: number;
}

/**
 * The one pipeline that every call of every protocol passes: request id, authenticate, authorise, limit (`admit`), then
 * validate, handle, and log (`unary`, `stream`). A method that does not pass it can't be served, for the protocols know
 * handlers only through it.
 */
export interface Gate {
  /** Whether the method is one of the gate's; only operations (health, reflection) are not. */
  serves(method: DescMethod): boolean;
  /** Lets a call in before its message is read, or throws. Synchronous for a warm credential. */
  admit(method: DescMethod, arrival: Arrival): AdmittedCall | Promise<AdmittedCall>;
  unary(call: AdmittedCall, request: Message): Promise<Message>;
  stream(call: AdmittedCall, request: Message): AsyncIterable<Message>;
  /** Ends a call whose message never arrived whole. After `unary` and `stream` it does nothing. */
  abandon(call: AdmittedCall, error: unknown): void;
  /** What the caller hears of anything thrown. Logs faults of the service under the request id. */
  refuse(error: unknown, requestId: string | undefined): Refusal;
}

/** A call that the gate let in. */
export class AdmittedCall implements Call {
  readonly requestId: string;
  readonly method: DescMethod;
  readonly caller: Caller;
  readonly startedAt: number;
  readonly release: () => void;
  readonly #arrival: Arrival;
  #signal: AbortSignal;
  finished = false;

  constructor(
    arrival: Arrival,
    admitted: { requestId: string; method: DescMethod; caller: Caller; startedAt: number; release: () => void },
  ) {
    this.#arrival = arrival;
    this.#signal = arrival.signal;
    this.requestId = admitted.requestId;
    this.method = admitted.method;
    this.caller = admitted.caller;
    this.startedAt = admitted.startedAt;
    this.release = admitted.release;
  }

  get protocol(): Protocol {
    return this.#arrival.protocol;
  }
  get peer(): string {
    return this.#arrival.peer;
  }
  get signal(): AbortSignal {
    return this.#signal;
  }
  get deadline(): number | undefined {
    return this.#arrival.deadline;
  }
  /** Lets something else than the caller end the call, too. */
  endWith(signal: AbortSignal): void {
    this.#signal = AbortSignal.any([this.#signal, signal]);
  }
  header(name: string): string | undefined {
    return this.#arrival.header(name);
  }
  setReplyHeader(name: string, value: string): void {
    this.#arrival.setReplyHeader(name, value);
  }
}

export function createGate(options: GateOptions): Gate {
  const { admission, authenticate, clock, log, observe, revocations, texts } = options;
  const validator = createValidator();
  const handlers = handlersByMethod(options.services);
  const rules = accessRules(handlers.keys());
  const reported = new WeakSet<object>();

  function admit(method: DescMethod, arrival: Arrival): AdmittedCall | Promise<AdmittedCall> {
    const requestId = requestIdOf(arrival.header('x-request-id'));
    arrival.setReplyHeader('x-request-id', requestId);
    const startedAt = clock.monotonic();
    const rule = rules.get(method);
    try {
      if (!rule) throw new FailureError({ kind: 'unimplemented' });
      const authorization = arrival.header('authorization');
      const known =
        authorization === undefined && rule.anonymous
          ? { ok: true as const, value: nobody }
          : authenticate(authorization);
      if (known instanceof Promise)
        return known.then((caller) => enter(caller, rule)).catch((error: unknown) => rejected(error));
      const entered = enter(known, rule);
      return entered instanceof Promise ? entered.catch((error: unknown) => rejected(error)) : entered;
    } catch (error) {
      return rejected(error);
    }

    function enter(known: Result<Caller>, accessRule: AccessRule): AdmittedCall | Promise<AdmittedCall> {
      const origin = checkOrigin(known, arrival);
      if (!known.ok) {
        if (known.failure.kind === 'credential_invalid') unwrap(admission.refused(arrival.peer));
        throw new FailureError(known.failure);
      }
      const caller = known.value;
      unwrap(origin);
      unwrap(mayCall(caller, accessRule));
      const admitted = admission.admit(caller, method, arrival);
      return admitted instanceof Promise ? admitted.then((result) => begin(caller, result)) : begin(caller, admitted);
    }

    function begin(caller: Caller, admitted: Result<() => void>): AdmittedCall {
      return new AdmittedCall(arrival, { requestId, method, caller, startedAt, release: unwrap(admitted) });
    }

    function rejected(error: unknown): never {
      record({ requestId, method, protocol: arrival.protocol, caller: undefined, startedAt }, error);
      throw error;
    }
  }

  function validate(request: Message, call: AdmittedCall): void {
    const result = validator.validate(call.method.input, request);
    if (result.kind === 'valid') return;
    if (result.kind === 'error') throw result.error;
    throw new FailureError({ kind: 'invalid_argument', violations: violationsOf(result.violations) });
  }

  async function unary(call: AdmittedCall, request: Message): Promise<Message> {
    try {
      validate(request, call);
      const reply = await (handlerOf(call.method)(request as never, call) as Promise<UntypedReply>);
      finish(call, undefined);
      return create(call.method.output, reply);
    } catch (error) {
      throw finish(call, error);
    }
  }

  async function* stream(call: AdmittedCall, request: Message): AsyncIterable<Message> {
    // A consumer that stops early ends the generator without an error: the caller went away.
    let failed: unknown = new FailureError({ kind: 'cancelled' });
    const revoked = new AbortController();
    const stopWatching = revocations?.watch(call.caller, revoked);
    if (stopWatching) call.endWith(revoked.signal);
    try {
      validate(request, call);
      for await (const reply of handlerOf(call.method)(request as never, call) as AsyncIterable<UntypedReply>) {
        if (revoked.signal.aborted) break;
        yield create(call.method.output, reply);
      }
      if (revoked.signal.aborted) throw new FailureError({ kind: 'key_revoked' });
      failed = undefined;
    } catch (error) {
      failed = revoked.signal.aborted ? new FailureError({ kind: 'key_revoked' }) : ended(call, error);
      throw failed;
    } finally {
      stopWatching?.();
      finish(call, failed);
    }
  }

  function handlerOf(method: DescMethod): UntypedHandler {
    const handler = handlers.get(method);
    if (!handler) throw new FailureError({ kind: 'unimplemented' });
    return handler;
  }

  /** Ends the call's accounts, once. Answers with the error that the caller hears. */
  function finish(call: AdmittedCall, thrown: unknown): unknown {
    const error = thrown === undefined ? undefined : ended(call, thrown);
    if (call.finished) return error;
    call.finished = true;
    call.release();
    record(call, error);
    return error;
  }

  function record(
    call: Pick<AdmittedCall, 'requestId' | 'method' | 'protocol' | 'startedAt'> & { caller: Caller | undefined },
    error: unknown,
  ): void {
    const durationMs = clock.monotonic() - call.startedAt;
    const failure = error === undefined ? undefined : failureOf(error);
    const outcome = failure === undefined ? 'ok' : failure.kind;
    const method = `${call.method.parent.typeName}/${call.method.name}`;
    observe?.({ method, protocol: call.protocol, outcome, durationMs });
    const line = {
      requestId: call.requestId,
      method,
      protocol: call.protocol,
      outcome,
      durationMs: Math.round(durationMs * 1000) / 1000,
      account: call.caller?.accountId,
      caller: call.caller?.name,
    };
    if (failure?.kind === 'internal') reportFault(error, line);
    else log.info(line, 'call');
  }

  /** Faults are logged whole, once, wherever on their way out they are seen first. */
  function reportFault(error: unknown, line: object): void {
    if (typeof error === 'object' && error !== null) {
      if (reported.has(error)) return;
      reported.add(error);
    }
    log.error({ ...line, err: error }, 'a fault of the service');
  }

  return {
    serves: (method) => handlers.has(method),
    admit,
    unary,
    stream,
    abandon: (call, error) => {
      finish(call, error);
    },
    refuse: (error, requestId) => {
      const failure = failureOf(error);
      if (failure.kind === 'internal') reportFault(error, { requestId });
      return refusalOf(failure, texts);
    },
  };
}

/** Whatever a handler throws once its caller is gone, or out of time, comes of that. */
function ended(call: AdmittedCall, error: unknown): unknown {
  if (error instanceof FailureError || !call.signal.aborted) return error;
  const late = call.deadline !== undefined && Date.now() >= call.deadline;
  return new FailureError({ kind: late ? 'deadline_exceeded' : 'cancelled' }, { cause: error });
}

function handlersByMethod(services: readonly ServedService[]): Map<DescMethod, UntypedHandler> {
  const handlers = new Map<DescMethod, UntypedHandler>();
  for (const { service, handlers: named } of services)
    for (const method of service.methods) {
      const handler = named[method.localName];
      if (!handler) throw new Error(`${service.typeName}/${method.name} has no handler`);
      handlers.set(method, handler);
    }
  return handlers;
}

// Request ids are logged, so what looks like one of our credentials, sent here by mistake, is not taken as one.
const givenRequestId = /^(?!ik_|eyJ)[\w.:-]{1,128}$/;

/** The caller's own request id when it is one that is safe to print, else a new one. */
function requestIdOf(given: string | undefined): string {
  return given !== undefined && givenRequestId.test(given) ? given : newId('req');
}
