import type { DescMethod } from '@bufbuild/protobuf';
import { longBytes } from '@intelligence-api/transcoding/parts';
import type { Call, Protocol } from '../api/call.ts';
import type { Caller } from '../base/caller.ts';
import { fail, type Result, succeed } from '../base/failure.ts';
import { closed } from './carrier.ts';
import type { IncomingCall } from './incoming-call.ts';
import { type LargeBodies, type LargeBody, smallBytes } from './large-bodies.ts';
import { type Owner, ownerOf } from './owned-bytes.ts';
import type { UnreadReplies } from './unread-replies.ts';

/** Opens the trace of one call. */
export type TraceCall = (call: {
  method: string;
  protocol: Protocol;
  requestId: string;
  /** The caller's own, in the W3C Trace Context format. */
  traceparent: string | undefined;
  /** What the caller says about the conversation the call belongs to. */
  conversation: { baggage: string | undefined; session: string | undefined };
}) => CallTrace;

/** One call's trace. */
export interface CallTrace {
  /** Runs the handler inside the trace, so that its work is part of it. */
  run<T>(work: () => T): T;
  iterate<T>(messages: AsyncIterable<T>): AsyncIterable<T>;
  /** Called when the call turns out to be for another method. */
  rename(method: string): void;
  end(outcome: string): void;
}

/** A call that passed the gate. */
export class AdmittedCall implements Call {
  readonly requestId: string;
  method: DescMethod;
  /** As of when the call was admitted, or its message had arrived. */
  caller: Caller;
  readonly startedAt: number;
  readonly trace: CallTrace | undefined;
  #release: () => void;
  readonly incoming: IncomingCall;
  #signal: AbortSignal | undefined;
  #outlasting = 0;
  readonly #bodies: LargeBodies;
  readonly #replies: UnreadReplies | undefined;
  #body: LargeBody | undefined;
  #received = 0;
  finished = false;
  revoked: AbortSignal | undefined;

  constructor(
    incoming: IncomingCall,
    admitted: {
      requestId: string;
      method: DescMethod;
      caller: Caller;
      startedAt: number;
      release: () => void;
      trace: CallTrace | undefined;
      bodies: LargeBodies;
      /** Absent when another call already tracks the reply. */
      replies?: UnreadReplies;
    },
  ) {
    this.incoming = incoming;
    this.trace = admitted.trace;
    this.requestId = admitted.requestId;
    this.method = admitted.method;
    this.caller = admitted.caller;
    this.startedAt = admitted.startedAt;
    this.#release = admitted.release;
    this.#bodies = admitted.bodies;
    this.#replies = admitted.replies;
  }

  get protocol(): Protocol {
    return this.incoming.protocol;
  }
  get peer(): string {
    return this.incoming.peer;
  }
  /** The incoming call's signal, created lazily so that calls nobody watches do not pay for one. */
  get signal(): AbortSignal {
    return this.#signal ?? this.incoming.signal;
  }
  get deadline(): number | undefined {
    return this.incoming.deadline;
  }
  /** Called with each piece of the message before it is kept; fails when too much is being received, or the call is over. */
  receive(bytes: number): Result<void> {
    // Nobody would give back the room that it takes now.
    if (this.finished) return over;
    this.#received += bytes;
    const counted = Math.min(bytes, this.#received - smallBytes);
    if (counted <= 0) return enough;
    this.#body ??= this.#bodies.begin(this.#owner, () => this.incoming.carrier?.destroy());
    return this.#body.take(counted);
  }
  /** The message has arrived in full. */
  arrived(): void {
    this.#body?.arrived();
  }
  /** Whether the message is large enough to take a while to process. */
  get isLong(): boolean {
    return this.#received > longBytes;
  }
  get #owner(): Owner {
    return ownerOf(this.caller);
  }
  /** Lets a revocation end the call, too; `stopWatching` is called once the call and any background work are over. */
  endWith(revoked: AbortSignal, stopWatching: () => void): void {
    this.revoked = revoked;
    this.#signal = AbortSignal.any([this.signal, revoked]);
    this.#releaseToo(stopWatching);
  }
  header(name: string): string | undefined {
    return this.incoming.header(name);
  }
  setReplyHeader(name: string, value: string): void {
    this.incoming.setReplyHeader(name, value);
  }
  /** From now on this is a call of `method`, which takes up an additional place. */
  become(method: DescMethod, release: () => void): void {
    this.method = method;
    this.trace?.rename(nameOf(method));
    this.#releaseToo(release);
    if (this.finished) this.#leave();
  }
  #releaseToo(release: () => void): void {
    const releaseFirst = this.#release;
    this.#release = () => {
      releaseFirst();
      release();
    };
  }
  /** Another call for the same request; it takes up no additional place. */
  alongside(method: DescMethod): AdmittedCall {
    const { requestId, caller, startedAt } = this;
    return new AdmittedCall(this.incoming, {
      requestId,
      method,
      caller,
      startedAt,
      release: () => {},
      trace: undefined,
      bodies: this.#bodies,
    });
  }
  outlast(work: Promise<unknown>): void {
    this.#outlasting += 1;
    const over = () => {
      this.#outlasting -= 1;
      if (this.finished) this.#leave();
    };
    work.then(over, over);
  }
  left(withinMs: number): Promise<void> | undefined {
    const { carrier } = this.incoming;
    return carrier && closed(carrier, withinMs);
  }
  /** The call is over. Its place is freed once the reply has been read; background work ends, too. */
  finish(): void {
    this.finished = true;
    const { carrier } = this.incoming;
    if (carrier && this.#replies) {
      this.#outlasting += 1;
      this.#replies.watch(this.#owner, carrier, () => {
        this.#outlasting -= 1;
        this.#leave();
      });
    } else this.#leave();
  }
  #leave(): void {
    if (this.#outlasting > 0) return;
    this.#release();
    this.#body?.leave();
  }
}

const enough = succeed(undefined);
const over = fail({ kind: 'cancelled' });

/** The full name of a method. */
export function nameOf(method: DescMethod): string {
  return `${method.parent.typeName}/${method.name}`;
}
