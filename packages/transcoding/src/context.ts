import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { DescMethod } from '@bufbuild/protobuf';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RestError } from './errors.ts';

/** What is known of a request, whatever becomes of it. */
export interface RestContext {
  /** The method that is called; undefined while, or because, none is found. */
  readonly method: DescMethod | undefined;
  readonly httpMethod: string;
  /** The request as Node made it. */
  readonly raw: IncomingMessage;
  /** The request target as it was sent, with prefix and query. */
  readonly url: string;
  /** As Node received them. */
  readonly headers: IncomingHttpHeaders;
  /** The id that Fastify gave the request (`genReqId`). */
  readonly requestId: string;
  readonly remoteAddress: string;
  /** From `Grpc-Timeout`, at most the server's maximum; undefined when the caller set no deadline. */
  readonly timeoutMs: number | undefined;
  /** Aborts when the caller goes away or the deadline passes. Made when it is first asked for. */
  readonly signal: AbortSignal;
  /** Headers to send with the reply, or before the first message of a stream. Names in lower case. */
  readonly replyHeaders: Record<string, string>;
}

/** The context of one request as the plugin drives it. */
export class Call<Admitted = unknown> implements RestContext {
  method: DescMethod | undefined = undefined;
  /** What `admit` made of it; undefined before, and when it was refused. */
  admitted: Admitted | undefined = undefined;
  timeoutMs: number | undefined = undefined;
  readonly replyHeaders: Record<string, string> = {};
  private readonly request: FastifyRequest;
  private readonly reply: FastifyReply;
  private controller: AbortController | undefined;
  private failure: RestError | undefined;
  private timer: NodeJS.Timeout | undefined;
  private onStop: ((reason: RestError) => void) | undefined;
  private watching = false;

  constructor(request: FastifyRequest, reply: FastifyReply) {
    this.request = request;
    this.reply = reply;
  }

  get raw(): IncomingMessage {
    return this.request.raw;
  }

  get httpMethod(): string {
    return this.request.method;
  }

  get url(): string {
    return this.request.originalUrl;
  }

  get headers(): IncomingHttpHeaders {
    return this.request.raw.headers;
  }

  get requestId(): string {
    return this.request.id;
  }

  get remoteAddress(): string {
    return this.request.ip;
  }

  get signal(): AbortSignal {
    if (!this.controller) {
      this.controller = new AbortController();
      this.watch();
      if (this.failure) this.controller.abort(this.failure);
    }
    return this.controller.signal;
  }

  /** Whether the caller is gone. */
  get isGone(): boolean {
    const { raw } = this.reply;
    return raw.destroyed || raw.closed || (raw.socket?.destroyed ?? false);
  }

  startDeadline(timeoutMs: number): void {
    this.timeoutMs = timeoutMs;
    this.timer = setTimeout(() => this.stop(new RestError({ kind: 'deadline_exceeded' })), timeoutMs);
  }

  /** Calls back, once, when the deadline passes or the caller goes away. */
  whenStopped(onStop: (reason: RestError) => void): void {
    this.onStop = onStop;
    if (this.failure) onStop(this.failure);
  }

  /** Listens for the caller's leaving; a request that never asks for it does not pay for it. */
  watch(): void {
    if (this.watching) return;
    this.watching = true;
    if (this.isGone) this.stop(new RestError({ kind: 'cancelled' }));
    else this.reply.raw.once('close', this.closed);
  }

  /** The reply is decided: the deadline does not matter any more. */
  finish(): void {
    clearTimeout(this.timer);
    this.onStop = undefined;
    if (this.watching) this.reply.raw.off('close', this.closed);
  }

  private readonly closed = (): void => this.stop(new RestError({ kind: 'cancelled' }));

  private stop(reason: RestError): void {
    if (this.failure) return;
    this.failure = reason;
    clearTimeout(this.timer);
    this.controller?.abort(reason);
    this.onStop?.(reason);
  }
}
