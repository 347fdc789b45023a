import type { DescMethod } from '@bufbuild/protobuf';
import { RestError } from './errors.ts';
import type { Received } from './pieces.ts';

/** Headers of a request; names in lower case. */
export interface RequestHeaders {
  readonly [name: string]: string | string[] | undefined;
}

/** What is known of a request, whatever becomes of it. */
export interface CallContext {
  /** The method that is called; undefined while, or because, none is found. */
  readonly method: DescMethod | undefined;
  readonly httpMethod: string;
  /** The request target as it was sent, with prefix and query. */
  readonly url: string;
  /** As they were received. */
  readonly headers: RequestHeaders;
  /** From `Grpc-Timeout`, at most the server's maximum; undefined when the caller set no deadline. */
  readonly timeoutMs: number | undefined;
  /** Aborts when the caller goes away, the deadline passes or the server stops. Made when it is first asked for. */
  readonly signal: AbortSignal;
  /** Headers to send with the reply, or before the first message of a stream. Names in lower case. */
  readonly replyHeaders: Record<string, string>;
}

/** Headers of a reply; names in lower case. */
export type Head = Record<string, number | string | string[] | undefined>;

/** Where the messages of a stream go. */
export interface StreamSink {
  /** False when the caller reads more slowly than we write: wait for `drained` before the next one. */
  write(piece: string | Uint8Array): boolean;
  drained(): Promise<void>;
  /** Sends the headers, when no message comes with them. */
  flushHead(): void;
  /** Writes text that may be left out: a caller who is behind does not get it. */
  beat(text: string): void;
  /** Writes what is left, and `text`, and ends the reply. */
  end(text?: string): void;
  /** Breaks off, so that the caller sees that it is not the end. */
  destroy(): void;
}

/** One request on its way through the transcoder. What it came by, and how to answer, its transport adds. */
export abstract class Call<Admitted = unknown> implements CallContext {
  method: DescMethod | undefined = undefined;
  /** What `admit` made of it; undefined before, and when it was refused. */
  admitted: Admitted | undefined = undefined;
  timeoutMs: number | undefined = undefined;
  readonly replyHeaders: Record<string, string> = {};
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
  /** Headers that the server has set already. */
  abstract headSoFar(): Head;
  /** The body, decompressed; undefined when there is none. Refuses more than `bytesMax`, and what `received` throws at. */
  abstract readBody(bytesMax: number, received?: Received): Promise<Buffer | undefined>;
  /** The body as it comes, compressed as it was sent. Reads on when the next piece is asked for. */
  abstract readPieces(): AsyncIterator<Uint8Array>;
  /** The rest of the body is not worth receiving. Called before the reply is written. */
  abstract refuseRest(): void;
  /** Sends a whole reply. */
  abstract write(status: number, head: Head, body: string | Uint8Array): void;
  /** Begins a reply whose length is not known. */
  abstract openStream(head: Head): StreamSink;
  /** Nobody is there to answer. */
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

  /** Calls back, once, when the call is stopped. One at a time: the last one counts. */
  whenStopped(onStop: (reason: Error) => void): void {
    this.onStop = onStop;
    if (this.failure) onStop(this.failure);
  }

  /** As `work` ends, or the reason of a stop: a reply waits neither for a handler that ignores its signal nor for a body. */
  untilStopped<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.whenStopped(reject);
      work.then(resolve, reject);
    });
  }

  /** Listens for the caller's leaving; a request that never asks for it does not pay for it. */
  watch(): void {
    if (this.watching) return;
    this.watching = true;
    if (this.isGone) this.stop(new RestError({ kind: 'cancelled' }));
    else this.onGone(this.closed);
  }

  /** The reply is decided: the deadline does not matter any more. */
  finish(): void {
    clearTimeout(this.timer);
    this.onStop = undefined;
    if (this.watching) this.offGone(this.closed);
  }

  private readonly closed = (): void => this.stop(new RestError({ kind: 'cancelled' }));

  /** Ends the call from outside: the first reason counts, and is what its caller hears. */
  stop(reason: Error): void {
    if (this.failure) return;
    this.failure = reason;
    clearTimeout(this.timer);
    this.controller?.abort(reason);
    this.onStop?.(reason);
  }
}

/** The calls that run. When the server stops, each of them is stopped with the signal's reason, an error. */
export class RunningCalls {
  private readonly calls = new Set<Call>();
  private readonly shutdownSignal: AbortSignal | undefined;

  constructor(shutdownSignal: AbortSignal | undefined) {
    this.shutdownSignal = shutdownSignal;
    shutdownSignal?.addEventListener('abort', () => {
      for (const call of this.calls) call.stop(shutdownSignal.reason);
    });
  }

  add(call: Call): void {
    this.calls.add(call);
    if (this.shutdownSignal?.aborted) call.stop(this.shutdownSignal.reason);
  }

  /** Its reply is decided. */
  delete(call: Call): void {
    this.calls.delete(call);
  }
}
