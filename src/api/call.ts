import type { Caller } from '../base/caller.ts';

/** How a call arrived. */
export type Protocol = 'rest' | 'grpc' | 'grpc-web' | 'connect' | 'openai' | 'anthropic' | 'mcp';

/** All that a handler may know about its caller, whatever the protocol. */
export interface Call {
  /** From `X-Request-Id`, or generated here. Appears in the reply, in every log line and in error details. */
  readonly requestId: string;
  readonly protocol: Protocol;
  /** The authenticated and authorised caller. */
  readonly caller: Caller;
  /** Aborted when the caller disconnects or the deadline passes. */
  readonly signal: AbortSignal;
  /**
   * For streams: aborted when the caller's key, token or device is revoked or its session ends, even after the caller has left,
   * for as long as any background work runs.
   */
  readonly revoked: AbortSignal | undefined;
  /** When the caller's own deadline passes, in milliseconds since the epoch; undefined when it set none. */
  readonly deadline: number | undefined;
  /** The caller's address; forwarded ones only from trusted proxies. */
  readonly peer: string;
  /** A request header (gRPC: metadata) by its lower-case name. */
  header(name: string): string | undefined;
  /** Sets a reply header (gRPC: initial metadata). For streams: before the first message. */
  setReplyHeader(name: string, value: string): void;
  /** Registers work that may continue after the caller has left: until it ends, the call keeps its place in the limits. */
  outlast(work: Promise<unknown>): void;
  /**
   * Resolves when the reply has been sent or its caller is gone. A caller that has not read it within `withinMs` is cut off;
   * undefined for calls whose end cannot be observed.
   */
  left(withinMs: number): Promise<void> | undefined;
}
