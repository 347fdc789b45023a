import type { DescMethod, Message } from '@bufbuild/protobuf';
import { create } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import type { Logger } from 'pino';
import type { ServedService, UntypedReply } from '../api/handlers.ts';
import type { Caller } from '../base/caller.ts';
import { nobody } from '../base/caller.ts';
import type { Clock } from '../base/clock.ts';
import { type Failure, FailureError, type Result, succeed, unwrap } from '../base/failure.ts';
import { createSharedTurns } from '../base/shared-turns.ts';
import { endOfTurn, ownTurn } from '../base/turn.ts';
import { type AccessRule, mayCall } from './access.ts';
import { AdmittedCall, nameOf, type TraceCall } from './admitted-call.ts';
import { createCallLog, type FinishedCall } from './call-log.ts';
import { keepBriefly } from './carrier.ts';
import { checkConfirmed } from './confirmation.ts';
import type { SessionCallers } from './console/index.ts';
import { checkOrigin } from './cors.ts';
import { failureOf, heardBy, type RefusalTexts, refusalOf } from './failures.ts';
import type { IncomingCall } from './incoming-call.ts';
import { createLargeBodies } from './large-bodies.ts';
import { ownerOf } from './owned-bytes.ts';
import type { Refusal } from './refusal.ts';
import { requestIdOf } from './request-id.ts';
import type { Revocations } from './revocations.ts';
import { createServedMethods } from './served-methods.ts';
import { createUnreadReplies } from './unread-replies.ts';

/** Admission by limits. `undefined`: not limited. The returned function frees what a call took up. */
export interface Admission {
  admit(caller: Caller, method: DescMethod, incoming: IncomingCall): Result<() => void> | Promise<Result<() => void>>;
  /** A stream place, for a call that was admitted as unary. */
  admitStream(caller: Caller): Result<() => void> | Promise<Result<() => void>>;
  /** Counts a refused credential against its address; fails when the address sends too many. */
  refused(peer: string): Result<void>;
}

export interface GateOptions {
  services: readonly ServedService[];
  authenticate(
    authorization: string | undefined,
    from: { readonly peer: string },
  ): Result<Caller> | Promise<Result<Caller>>;
  /** Identifies callers without an `Authorization` header by their browser session; absent if there are no sessions. */
  sessions?: SessionCallers | undefined;
  admission: Admission;
  clock: Clock;
  log: Logger;
  texts: RefusalTexts;
  /** Ends streams whose credential is revoked, whose account is suspended or whose session is over; if absent, they run to their end. */
  revocations?: Revocations;
  /** Opens a trace for a call; undefined if calls are not traced. */
  traceCall?: TraceCall | undefined;
  /** Called with each finished call, for metrics. */
  observe?: (call: FinishedCall) => void;
}

/**
 * The one pipeline for every call of every protocol: request id, authenticate, authorise, limit (`admit`), then validate, handle,
 * and log (`unary`, `stream`). Protocols know handlers only through it, so no method can be served around it.
 */
export interface Gate {
  /** Whether the gate serves the method; only operations (health, reflection) bypass it. */
  serves(method: DescMethod): boolean;
  /** Admits a call before its message is read, or throws. Synchronous for a cached credential. */
  admit(method: DescMethod, incoming: IncomingCall): AdmittedCall | Promise<AdmittedCall>;
  /** Continues a call as one of another unary method, for protocols that name the method only in the body. */
  asUnary(call: AdmittedCall, method: DescMethod): AdmittedCall;
  /** Another call for the same request, already admitted and counted with the first. Throws when the caller may not call that method. */
  alongside(call: AdmittedCall, method: DescMethod): AdmittedCall;
  /**
   * Continues a call as one of a streaming method, for protocols that name the method only in the body. Throws when the caller
   * may not call it or has too many streams.
   */
  asStream(call: AdmittedCall, method: DescMethod): Promise<AdmittedCall>;
  unary(call: AdmittedCall, request: Message): Promise<Message>;
  stream(call: AdmittedCall, request: Message): AsyncIterable<Message>;
  /** Ends a call whose message never fully arrived. Does nothing after `unary` or `stream`. */
  abandon(call: AdmittedCall, error: unknown): void;
  /** Turns anything thrown into the caller's error. Logs faults of the service under the request id. */
  refuse(error: unknown, requestId: string | undefined): Refusal;
}

export function createGate(options: GateOptions): Gate {
  const { admission, authenticate, clock, log, observe, revocations, sessions, texts, traceCall } = options;
  const methods = createServedMethods(options.services);
  const calls = createCallLog({ clock, log, observe });
  const bodies = createLargeBodies();
  const replies = createUnreadReplies();
  const listTurn = createSharedTurns(listsAtOnce);

  function admit(method: DescMethod, incoming: IncomingCall): AdmittedCall | Promise<AdmittedCall> {
    const requestId = requestIdOf(incoming.header('x-request-id'));
    incoming.setReplyHeader('x-request-id', requestId);
    // What a caller gets is its own: nothing on the way may keep it (RFC 9111, section 5.2.2.5). gRPC is never cached.
    if (incoming.protocol !== 'grpc') incoming.setReplyHeader('cache-control', 'no-store');
    const startedAt = clock.monotonic();
    let isKnown = false;
    try {
      const rule = methods.ruleOf(method);
      const known = identify(rule, incoming);
      if (known instanceof Promise)
        return known.then((caller) => enter(caller, rule)).catch((error: unknown) => rejected(error));
      const entered = enter(known, rule);
      return entered instanceof Promise ? entered.catch((error: unknown) => rejected(error)) : entered;
    } catch (error) {
      return rejected(error);
    }

    function enter(known: Result<Caller>, accessRule: AccessRule): AdmittedCall | Promise<AdmittedCall> {
      const origin = checkOrigin(known, incoming);
      if (!known.ok) {
        if (isGuess(known.failure)) unwrap(admission.refused(incoming.peer));
        throw new FailureError(known.failure);
      }
      isKnown = true;
      const caller = known.value;
      if (caller.credential !== 'none') incoming.connection?.identified(connectionOwnerOf(caller));
      unwrap(origin);
      unwrap(mayCall(caller, accessRule));
      if (caller.credential !== 'none') unwrap(replies.mayAsk(ownerOf(caller)));
      const admitted = admission.admit(caller, method, incoming);
      return admitted instanceof Promise ? admitted.then((result) => begin(caller, result)) : begin(caller, admitted);
    }

    function begin(caller: Caller, admitted: Result<() => void>): AdmittedCall {
      const release = unwrap(admitted);
      const trace = traceCall?.({
        method: nameOf(method),
        protocol: incoming.protocol,
        requestId,
        traceparent: incoming.header('traceparent'),
        conversation: { baggage: incoming.header('baggage'), session: incoming.header('x-claude-code-session-id') },
      });
      return new AdmittedCall(incoming, { requestId, method, caller, startedAt, release, trace, bodies, replies });
    }

    function rejected(error: unknown): never {
      // It takes up no place, so nothing else bounds how many wait to be read. Over HTTP/1.1 those of a known caller wait for the
      // answers before them.
      if (!isKnown || incoming.carrier?.session) keepBriefly(incoming.carrier, incoming.connection);
      calls.over({ requestId, method, protocol: incoming.protocol, startedAt }, error);
      throw error;
    }
  }

  /** An empty `Authorization` header counts as none, and was counted that way. */
  function identify(rule: AccessRule, incoming: IncomingCall): Result<Caller> | Promise<Result<Caller>> {
    const authorization = incoming.header('authorization') || undefined;
    if (authorization !== undefined) return authenticate(authorization, incoming);
    return sessions?.(incoming) ?? (rule.anonymous ? anonymous : authenticate(undefined, incoming));
  }

  /**
   * Identifies the caller of a call once more, now that its message is here: until then its key may have been rotated or its account
   * suspended, and a body may take minutes.
   */
  async function identifyAgain(call: AdmittedCall): Promise<void> {
    const rule = methods.ruleOf(call.method);
    const caller = unwrap(await identify(rule, call.incoming));
    unwrap(mayCall(caller, rule));
    call.caller = caller;
  }

  function asUnary(call: AdmittedCall, method: DescMethod): AdmittedCall {
    allow(call, method);
    call.become(method, () => {});
    return call;
  }

  function alongside(call: AdmittedCall, method: DescMethod): AdmittedCall {
    allow(call, method);
    return call.alongside(method);
  }

  function allow({ caller }: AdmittedCall, method: DescMethod): void {
    unwrap(mayCall(caller, methods.ruleOf(method)));
  }

  async function asStream(call: AdmittedCall, method: DescMethod): Promise<AdmittedCall> {
    allow(call, method);
    call.become(method, unwrap(await admission.admitStream(call.caller)));
    return call;
  }

  async function unary(call: AdmittedCall, request: Message): Promise<Message> {
    call.arrived();
    try {
      // Calls that arrive in one turn of the event loop are handled as a batch, and their replies are written together.
      await turnFor(call);
      if (clock.monotonic() - call.startedAt > identifiedForMs) await identifyAgain(call);
      methods.validate(call.method, request);
      unwrap(checkConfirmed(call.caller, call.method, request, clock.now()));
      const handler = methods.handlerOf(call.method);
      const run = () => handler(request as never, call) as Promise<UntypedReply>;
      const handle = () => (call.trace ? call.trace.run(run) : run());
      const list = () => {
        // Its caller may have left while it waited.
        call.signal.throwIfAborted();
        return handle();
      };
      const reply = await (isList(call.method) ? listTurn(readerOf(call), list) : handle());
      finish(call, undefined);
      await turnFor(call);
      return create(call.method.output, reply);
    } catch (error) {
      throw finish(call, error);
    }
  }

  async function* stream(call: AdmittedCall, request: Message): AsyncIterable<Message> {
    call.arrived();
    let failed: unknown;
    let isOver = false;
    const revoked = new AbortController();
    const stopWatching = revocations?.watch(call.caller, revoked);
    if (stopWatching) call.endWith(revoked.signal, stopWatching);
    try {
      if (call.isLong) await ownTurn();
      // However soon: what was revoked before this call was watched ends nothing.
      await identifyAgain(call);
      methods.validate(call.method, request);
      const replies = methods.handlerOf(call.method)(request as never, call) as AsyncIterable<UntypedReply>;
      for await (const reply of call.trace ? call.trace.iterate(replies) : replies) {
        if (revoked.signal.aborted) break;
        yield create(call.method.output, reply);
      }
      revoked.signal.throwIfAborted();
      isOver = true;
    } catch (error) {
      isOver = true;
      failed = revoked.signal.aborted ? revoked.signal.reason : ended(call, error);
      throw failed;
    } finally {
      // A consumer that stops early ends the generator without an error: the caller disconnected.
      finish(call, isOver ? failed : new FailureError({ kind: 'cancelled' }));
    }
  }

  /** Ends the call's bookkeeping, once. Returns the error for the caller. */
  function finish(call: AdmittedCall, thrown: unknown): unknown {
    const error = thrown === undefined ? undefined : ended(call, thrown);
    if (call.finished) return error;
    call.finish();
    call.trace?.end(error === undefined ? 'ok' : failureOf(error).kind);
    calls.over(call, error);
    return error;
  }

  return {
    serves: methods.has,
    admit,
    asUnary,
    alongside,
    asStream,
    unary,
    stream,
    abandon: (call, error) => {
      finish(call, error);
    },
    refuse: (error, requestId) => {
      calls.refused(error, requestId);
      return refusalOf(failureOf(error), texts);
    },
  };
}

/**
 * The error the caller receives. Anything a handler throws after its caller left or its deadline passed is a consequence of
 * that, and so is the failure of work that gave up for it.
 */
function ended(call: AdmittedCall, error: unknown): unknown {
  const hasGivenUp = call.signal.aborted && error instanceof FailureError && error.failure.kind === 'cancelled';
  if (error instanceof FailureError && !hasGivenUp) {
    const heard = heardBy(call.caller, error.failure);
    return heard === error.failure ? error : new FailureError(heard, { cause: error });
  }
  if (!call.signal.aborted) return error;
  const { reason } = call.signal;
  if (reason instanceof FailureError) return new FailureError(reason.failure, { cause: error });
  return new FailureError({ kind: isLate(call, reason) ? 'deadline_exceeded' : 'cancelled' }, { cause: error });
}

/** Connect's own timer says why it fired, and may fire a moment before our deadline. */
function isLate({ deadline }: AdmittedCall, reason: unknown): boolean {
  if (reason instanceof ConnectError && reason.code === Code.DeadlineExceeded) return true;
  return deadline !== undefined && Date.now() >= deadline;
}

/** Long messages are processed one per turn: together they would hold up everyone else. Their replies may be as long. */
function turnFor({ isLong }: AdmittedCall): Promise<void> {
  return isLong ? ownTurn() : endOfTurn();
}

/**
 * Lists that are read at once. A page may be megabytes: all pages of an account together would keep the database, and with it
 * everybody's payments, waiting.
 */
const listsAtOnce = { all: 32, each: 4, waitingMax: 1_000 };

/** A list by its name, as https://google.aip.dev/132 has it. */
function isList({ name }: DescMethod): boolean {
  return name.startsWith('List');
}

/** The owner whose lists take turns: the account, or the address of a caller without a credential. */
function readerOf({ caller, peer }: AdmittedCall): string {
  return caller.credential === 'none' ? peer : ownerOf(caller).account;
}

const anonymous = succeed(nobody);

/** A message that arrives within this time, in milliseconds, arrives with its headers. */
const identifiedForMs = 100;

/** Whether a refused credential counts against its address. */
function isGuess({ kind }: Failure): boolean {
  return kind === 'credential_invalid' || kind === 'session_ended' || kind === 'not_from_console';
}

/** The owner under which connections are counted. */
function connectionOwnerOf({ accountId, token, name }: Caller): string {
  if (accountId === undefined) return name;
  return token ? `${accountId}/${token.subject}` : accountId;
}
