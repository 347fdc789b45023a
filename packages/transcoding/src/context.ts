import type { DescMethod } from '@bufbuild/protobuf';
import { RestError } from './errors.ts';
import { LinkedList, type Links } from './linked.ts';
import type { Received } from './pieces.ts';

/** A request's headers, with lower-case names. */
export interface RequestHeaders {
  readonly [name: string]: string | string[] | undefined;
}

/** What is known about a request, whatever becomes of it. */
export interface CallContext {
  /** The called method; undefined if none was found, or not yet. */
  readonly method: DescMethod | undefined;
  readonly httpMethod: string;
  /** The request target as sent, with prefix and query. */
  readonly url: string;
  /** As received. */
  readonly headers: RequestHeaders;
  /** From `Grpc-Timeout`, capped at the server's maximum; undefined if the caller set no deadline. */
  readonly timeoutMs: number | undefined;
  /** Aborts when the caller leaves, the deadline passes or the server stops. Created on first access. */
  readonly signal: AbortSignal;
  /** Headers to send with the reply, or before the first message of a stream. Names in lower case. */
  readonly replyHeaders: Record<string, string>;
}

/** A reply's headers, with lower-case names. */
export type Head = Record<string, number | string | string[] | undefined>;

/** The destination of a stream's messages. */
export interface StreamSink {
  /** False when the caller reads more slowly than we write: wait for `drained` before the next piece. */
  write(piece: string | Uint8Array): boolean;
  drained(): Promise<void>;
  /** Sends the headers if no message comes with them. */
  flushHead(): void;
  /** Writes optional text: a caller that is behind does not get it. */
  beat(text: string): void;
  /** Writes what is left, then `text`, and ends the reply. */
  end(text?: string): void;
  /** Breaks off, so that the caller can tell that the reply is incomplete. */
  destroy(): void;
}

/** One request on its way through the transcoder. The transport adds how it arrived and how to answer. */
export abstract class Call<Admitted = unknown> implements CallContext, Links<Call> {
  method: DescMethod | undefined = undefined;
  /** The result of `admit`; undefined before that, or if it refused. */
  admitted: Admitted | undefined = undefined;
  timeoutMs: number | undefined = undefined;
  readonly replyHeaders: Record<string, string> = {};
  /** Of those still running. */
  older: Call | undefined = undefined;
  newer: Call | undefined = undefined;
  private controller: AbortController | undefined;
  private failure: Error | undefined;
  private timer: NodeJS.Timeout | undefined;
  private onStop: ((reason: Error) => void) | undefined;
  private watching = false;

  abstract readonly httpMethod: string;
  abstract readonly url: string;
  abstract readonly headers: RequestHeaders;
  /** Whether the caller is gone. */
  abstract readonly isGone: boolean;
  /** Headers already set by the server. */
  abstract headSoFar(): Head;
  /** The body, decompressed; undefined if there is none. Refuses more than `bytesMax`, and whenever `received` throws. */
  abstract readBody(bytesMax: number, received?: Received): Promise<Buffer | undefined>;
  /** The body as it arrives, not decompressed. Reads on when the next piece is requested. */
  abstract readPieces(): AsyncIterator<Uint8Array>;
  /** The rest of the body need not be received. Called before the reply is written. */
  abstract refuseRest(): void;
  /** Sends a whole reply. */
  abstract write(status: number, head: Head, body: string | Uint8Array): void;
  /** Begins a reply of unknown length. */
  abstract openStream(head: Head): StreamSink;
  /** There is no one left to answer. */
  abstract drop(): void;
  /** Breaks off whatever was begun. */
  abstract destroy(): void;
  protected abstract onGone(listener: () => void): void;
  protected abstract offGone(listener: () => void): void;

  get signal(): AbortSignal {
    if (!this.controller) {
      this.controller = new AbortController();
      this.watch();
      if (this.failure) this.controller.abort(this.failure);
    }
    return this.controller.signal;
  }

  startDeadline(timeoutMs: number): void {
    this.timeoutMs = timeoutMs;
    this.timer = setTimeout(() => this.stop(new RestError({ kind: 'deadline_exceeded' })), timeoutMs);
  }

  /** Calls back once when the call is stopped. There is only one callback: the last one set. */
  whenStopped(onStop: (reason: Error) => void): void {
    this.onStop = onStop;
    if (this.failure) onStop(this.failure);
  }

  /** Settles as `work` does, or rejects when stopped: a reply waits neither for a handler that ignores its signal nor for a body. */
  untilStopped<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.whenStopped(reject);
      work.then(resolve, reject);
    });
  }

  /** Watches for the caller leaving; a request that never asks for it does not pay for it. */
  watch(): void {
    if (this.watching) return;
    this.watching = true;
    if (this.isGone) this.stop(new RestError({ kind: 'cancelled' }));
    else this.onGone(this.closed);
  }

  /** The reply is decided: the deadline no longer matters. */
  finish(): void {
    clearTimeout(this.timer);
    this.onStop = undefined;
    if (this.watching) this.offGone(this.closed);
  }

  private readonly closed = (): void => this.stop(new RestError({ kind: 'cancelled' }));

  /** Ends the call from outside: the first reason counts, and is reported to the caller. */
  stop(reason: Error): void {
    if (this.failure) return;
    this.failure = reason;
    clearTimeout(this.timer);
    this.controller?.abort(reason);
    this.onStop?.(reason);
  }
}

/** The running calls. When the server stops, each of them is stopped with the signal's reason, an error. */
export class RunningCalls {
  private readonly calls = new LinkedList<Call>();
  private readonly shutdownSignal: AbortSignal | undefined;

  constructor(shutdownSignal: AbortSignal | undefined) {
    this.shutdownSignal = shutdownSignal;
    shutdownSignal?.addEventListener('abort', () => {
      for (const call of this.calls.all()) call.stop(shutdownSignal.reason);
    });
  }

  add(call: Call): void {
    this.calls.add(call);
    if (this.shutdownSignal?.aborted) call.stop(this.shutdownSignal.reason);
  }

  /** The call's reply is decided. */
  delete(call: Call): void {
    this.calls.delete(call);
  }
}
