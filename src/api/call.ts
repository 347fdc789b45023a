import type { Caller } from '../base/caller.ts';

/** How a call arrived. */
export type Protocol = 'rest' | 'grpc' | 'grpc-web' | 'connect' | 'openai' | 'anthropic' | 'mcp';

/** All that a handler may know of its caller, whatever protocol the call came by. */
export interface Call {
  /** From `X-Request-Id`, or made here. Stands in the reply, in every log line and in error details. */
  readonly requestId: string;
  readonly protocol: Protocol;
  /** Who calls, after authentication and authorisation. */
  readonly caller: Caller;
  /** Aborted when the caller goes away or the deadline passes. */
  readonly signal: AbortSignal;
  /**
   * Of streams: aborted when the caller's key, token or device is revoked or its session ends, also after the caller went away, for as
   * long as something outlasts the call.
   */
  readonly revoked: AbortSignal | undefined;
  /** When the caller's own deadline passes, in milliseconds since the epoch; undefined when it set none. */
  readonly deadline: number | undefined;
  /** The caller's address; a forwarded address only from trusted proxies. */
  readonly peer: string;
  /** A request header (gRPC: metadata) by its lower-case name. */
  header(name: string): string | undefined;
  /** Sets a reply header (gRPC: initial metadata). For streams: before the first message. */
  setReplyHeader(name: string, value: string): void;
  /** Names work that may go on after the caller has left: until it ends, the call keeps its place in the limits. */
  outlast(work: Promise<unknown>): void;
  /**
   * Resolves when the reply has gone out, or nobody is there to take it. Who has not taken it after `withinMs` is cut off; undefined
   * for calls that came in a way in which nobody knows when they are over.
   */
  left(withinMs: number): Promise<void> | undefined;
}
