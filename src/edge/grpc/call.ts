import { constants, type IncomingHttpHeaders, type OutgoingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { Links } from '@intelligence-api/transcoding/parts';
import { FailureError } from '../../base/failure.ts';
import type { OpenConnection } from '../../limits/index.ts';
import type { IncomingCall } from '../incoming-call.ts';

/** One gRPC call: what its headers say, and whether it is still active. */
export class GrpcCall implements IncomingCall, Links<GrpcCall> {
  readonly protocol = 'grpc';
  readonly stream: ServerHttp2Stream;
  readonly headers: IncomingHttpHeaders;
  readonly peer: string;
  readonly connection: OpenConnection | undefined;
  /** Headers to send with the reply, with lower-case names. */
  readonly replyHeaders: OutgoingHttpHeaders;
  deadline: number | undefined = undefined;
  /** Why the call ended before its reply did. */
  stopped: FailureError | undefined = undefined;
  /** Called once, when the caller leaves, the deadline passes or the service stops, unless the reply is already decided. */
  onStop: ((error: FailureError) => void) | undefined = undefined;
  /** Of those that can still be stopped. */
  older: GrpcCall | undefined = undefined;
  newer: GrpcCall | undefined = undefined;
  readonly #ended: (call: GrpcCall) => void;
  #controller: AbortController | undefined;
  #deadlineTimer: NodeJS.Timeout | undefined;
  #receiving: NodeJS.Timeout | undefined;
  #isDecided = false;

  constructor(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    from: {
      peer: string;
      connection: OpenConnection | undefined;
      replyHeaders: OutgoingHttpHeaders;
      /** Called once, when the call no longer needs to be stoppable. */
      ended(call: GrpcCall): void;
    },
  ) {
    this.stream = stream;
    this.headers = headers;
    this.peer = from.peer;
    this.connection = from.connection;
    this.replyHeaders = from.replyHeaders;
    this.#ended = from.ended;
    // A stream reset by its caller is not a fault of the service.
    stream.on('error', ignore);
    stream.on('close', this.#closed);
  }

  get requestId(): string | undefined {
    return this.replyHeaders['x-request-id'] as string | undefined;
  }
  /** Created on first access: calls that nobody watches do not pay for it. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.stopped) this.#controller.abort(this.stopped);
    }
    return this.#controller.signal;
  }
  /** Whether there is no one left to answer. */
  get isGone(): boolean {
    return this.stream.destroyed || this.stream.closed;
  }
  get carrier(): ServerHttp2Stream {
    return this.stream;
  }
  header(name: string): string | undefined {
    const value = this.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }
  setReplyHeader(name: string, value: string): void {
    this.replyHeaders[name] = value;
  }

  startDeadline(timeoutMs: number): void {
    this.deadline = Date.now() + timeoutMs;
    this.#deadlineTimer = setTimeout(() => this.stop(new FailureError({ kind: 'deadline_exceeded' })), timeoutMs);
  }

  /** Ends the stream if the message does not arrive in time; until `received`, or the end of the call. */
  receiveWithin(ms: number): void {
    this.#receiving = setTimeout(() => this.stream.close(constants.NGHTTP2_CANCEL), ms);
  }
  received(): void {
    clearTimeout(this.#receiving);
  }

  /** Ends the call from outside its handler. The first reason counts; once the reply is decided, none does. */
  stop(error: FailureError): void {
    if (this.#isDecided || this.stopped) return;
    this.stopped = error;
    this.#end();
    this.#controller?.abort(error);
    this.onStop?.(error);
  }

  /** Decides the caller's result: from here on nothing stops the call. False: it was already stopped. */
  decide(): boolean {
    if (this.#isDecided || this.stopped) return false;
    this.#isDecided = true;
    this.#end();
    return true;
  }

  #end(): void {
    clearTimeout(this.#deadlineTimer);
    clearTimeout(this.#receiving);
    this.#ended(this);
  }

  readonly #closed = (): void => {
    if (!this.#isDecided && !this.stopped) this.stop(new FailureError({ kind: 'cancelled' }));
  };
}

function ignore(): void {}
