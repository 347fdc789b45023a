import type { NanoUsd } from '../base/money.ts';
import type { OwnKeyUse } from '../base/own-key.ts';
import type { Momentary } from '../wallet/index.ts';

/** Texts and how to embed them. `auto`, or nothing, as provider or model lets the service choose. */
export interface EmbedRequest {
  provider?: string | undefined;
  model?: string | undefined;
  /** 1 to 2,048, none of them empty. */
  inputs: readonly string[];
  /** Fewer than the model makes by itself, where it can. */
  dimensions?: number | undefined;
  user?: string | undefined;
  /** Which calls use the account's own provider keys. */
  ownKey?: OwnKeyUse | undefined;
  /** The caller's own labels, stored with the charge. */
  metadata?: Readonly<Record<string, string>> | undefined;
}

/** The vectors of all inputs, one after another, and what they took and cost. */
export interface EmbedReply extends Momentary {
  /** The id of the charge that paid for it. */
  id: string;
  provider: string;
  model: string;
  dimensions: number;
  /** `dimensions` numbers for each input, in the order of the inputs. */
  values: Float32Array;
  usage: EmbedUsage & { cost: NanoUsd };
}

export interface EmbedUsage {
  inputTokens: number;
  /** Whether the count is ours: the provider stated none, or an impossible one. */
  estimated: boolean;
}

/** How a request arrived. */
export interface EmbedCall {
  /** The id of the request, as its reply has it. */
  requestId?: string | undefined;
  /** Aborted when the caller goes away or its own deadline passes. */
  signal: AbortSignal;
  /** The caller's key, and a digest (at most 32 bytes) of the method and the message. */
  idempotency?: { key: string; fingerprint: Uint8Array } | undefined;
  /** Told of work that may go on after the caller has left: until it ends, the call keeps its place in the limits. */
  outlast?: (work: Promise<unknown>) => void;
  /** Asked when the reply is there: resolves when it has gone out. Until then its numbers count among those in flight. */
  left?: () => Promise<void> | undefined;
}
