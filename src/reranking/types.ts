import type { NanoUsd } from '../base/money.ts';
import type { OwnKeyUse } from '../base/own-key.ts';
import type { Momentary } from '../wallet/index.ts';

/** A query, and the documents to rank by it. With `auto`, or no provider or model, the service chooses. */
export interface RerankRequest {
  provider?: string | undefined;
  model?: string | undefined;
  /** Not empty. */
  query: string;
  /** 1 to 1,000, none of them empty. */
  documents: readonly string[];
  /** How many of the best to return; absent: all. */
  topN?: number | undefined;
  /** Which calls use the account's own provider keys. */
  ownKey?: OwnKeyUse | undefined;
  /** The caller's own labels, stored with the charge. */
  metadata?: Readonly<Record<string, string>> | undefined;
}

export interface RerankReply extends Momentary {
  /** The id of the charge that paid for it. */
  id: string;
  provider: string;
  model: string;
  /** Most relevant first; ties in the order of the request. */
  results: readonly RankedDocument[];
  usage: RerankUsage & { cost: NanoUsd };
}

export interface RankedDocument {
  /** Its index in the request. */
  index: number;
  score: number;
}

/** What the model's provider bills; the other count is absent. */
export interface RerankUsage {
  inputTokens?: number;
  searchUnits?: number;
  /** Whether the count is ours: the provider reported none, or an impossible one. */
  estimated: boolean;
}

/** The context in which a request arrived. */
export interface RerankCall {
  /** The request's id, as given in its reply. */
  requestId?: string | undefined;
  /** Aborted when the caller leaves or its own deadline passes. */
  signal: AbortSignal;
  /** The caller's key, and a digest (at most 32 bytes) of the method and the message. */
  idempotency?: { key: string; fingerprint: Uint8Array } | undefined;
  /** Called with work that may continue after the caller has left: until it ends, the call keeps its slot in the limits. */
  outlast?: (work: Promise<unknown>) => void;
}
