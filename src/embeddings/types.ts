import type { NanoUsd } from '../base/money.ts';
import type { OwnKeyUse } from '../base/own-key.ts';
import type { Momentary } from '../wallet/index.ts';

/** Texts and how to embed them. With `auto`, or no provider or model, the service chooses. */
export interface EmbedRequest {
  provider?: string | undefined;
  model?: string | undefined;
  /** 1 to 2,048, none of them empty. */
  inputs: readonly string[];
  /** Fewer than the model's default, if it supports that. */
  dimensions?: number | undefined;
  user?: string | undefined;
  /** Which calls use the account's own provider keys. */
  ownKey?: OwnKeyUse | undefined;
  /** The caller's own labels, stored with the charge. */
  metadata?: Readonly<Record<string, string>> | undefined;
}

/** The vectors of all inputs, concatenated, with what they used and cost. */
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
  /** Whether the count is ours: the provider reported none, or an impossible one. */
  estimated: boolean;
}

/** The context in which a request arrived. */
export interface EmbedCall {
  /** The request's id, as given in its reply. */
  requestId?: string | undefined;
  /** Aborted when the caller leaves or its own deadline passes. */
  signal: AbortSignal;
  /** The caller's key, and a digest (at most 32 bytes) of the method and the message. */
  idempotency?: { key: string; fingerprint: Uint8Array } | undefined;
  /** Called with work that may continue after the caller has left: until it ends, the call keeps its slot in the limits. */
  outlast?: (work: Promise<unknown>) => void;
  /** Called when the reply is ready: resolves once it has been sent. Until then its numbers count as in flight. */
  left?: () => Promise<void> | undefined;
}
