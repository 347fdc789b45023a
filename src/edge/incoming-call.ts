import type { IncomingMessage } from 'node:http';
import type { RestContext } from '@intelligence-api/transcoding/fastify';
import type { Protocol } from '../api/call.ts';
import type { OpenConnection } from '../limits/index.ts';
import type { Carrier } from './carrier.ts';
import { connectionOf } from './connections.ts';

/** What a protocol knows about a call before it passes the gate. */
export interface IncomingCall {
  readonly protocol: Protocol;
  readonly peer: string;
  /** The connection it came in on; undefined where connections are not counted. */
  readonly connection?: OpenConnection | undefined;
  readonly signal: AbortSignal;
  /** When the caller's deadline passes, in milliseconds since the epoch. */
  readonly deadline: number | undefined;
  /** Node's request object; plain HTTP requests only. */
  readonly http?: IncomingMessage;
  header(name: string): string | undefined;
  setReplyHeader(name: string, value: string): void;
  /** What carries the reply, if known. */
  readonly carrier?: Carrier | undefined;
}

/** A call that arrived as a plain HTTP request. */
export class HttpIncomingCall implements IncomingCall {
  readonly protocol: Protocol;
  readonly #context: RestContext;
  readonly #startedAt = Date.now();

  constructor(protocol: Protocol, context: RestContext) {
    this.protocol = protocol;
    this.#context = context;
  }
  get peer(): string {
    return this.#context.remoteAddress;
  }
  get connection(): OpenConnection | undefined {
    return connectionOf(this.#context.raw);
  }
  get signal(): AbortSignal {
    return this.#context.signal;
  }
  get deadline(): number | undefined {
    const { timeoutMs } = this.#context;
    return timeoutMs === undefined ? undefined : this.#startedAt + timeoutMs;
  }
  get http(): IncomingMessage {
    return this.#context.raw;
  }
  get carrier(): Carrier {
    return this.#context.carrier;
  }
  header(name: string): string | undefined {
    const value = this.#context.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }
  setReplyHeader(name: string, value: string): void {
    this.#context.replyHeaders[name] = value;
  }
}
