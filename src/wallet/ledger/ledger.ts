import type { Result } from '../../base/failure.ts';
import type { NanoUsd } from '../../base/money.ts';

/**
 * The part of the wallet that every charged request passes: hold, then settle or release.
 *
 * It guarantees that every reply is paid for exactly once and that no wallet ever goes below zero, under concurrency, retries and
 * crashes of this process or the database. Only API wallets can be held; the application wallet has no access here.
 */
export interface Ledger {
  /**
   * Admits one request: reserves up to `ceiling` of the account's API credit, or replays the stored outcome of the
   * same idempotency key. Never overdraws.
   *
   * Fails with `insufficient_credit`, `spending_cap_reached`, `key_revoked`, `credential_invalid`, `token_expired`,
   * `idempotency_in_flight`, `idempotency_mismatch`, `reply_purged`, `overloaded` or `ledger_unavailable`; then nothing
   * is held.
   */
  hold(request: Readonly<HoldRequest>): Promise<Result<HoldOutcome>>;

  /**
   * Whether, as far as this node knows, `hold` will get its minimum: the same credential passed a moment ago and the wallet had
   * the credit. Makes no calls. If this says no, do any work that a refusal would waste after the hold.
   */
  foresees(request: Readonly<HoldRequest>): boolean;

  /**
   * Adds to a hold while its request runs, and renews its expiry. Adds less than `more` if that is all there is, but at least
   * `minimum`, or fails like `hold` and leaves the hold as it was.
   */
  extend(hold: Readonly<Hold>, more: NanoUsd, terms?: Readonly<ExtendTerms>): Promise<Result<Hold>>;

  /**
   * States what the request has cost so far and renews the hold's expiry. A hold that expires because its node died captures the
   * last recorded cost, or nothing if the request has an idempotency key: its retry pays. Best effort: failures are only logged.
   */
  recordProgress(hold: Readonly<Hold>, progress: Readonly<Progress>): Promise<void>;

  /**
   * Charges `min(cost, hold)`, gives back the rest, and stores the reply under the hold's idempotency key. Resolves once the
   * charge is durable, however long the database is away; a second settlement of the same hold returns the first one's receipt. A
   * cost of 0 settles without an entry.
   *
   * If the hold has expired since, or was granted in part, free credit pays what is missing. If there is not enough: for
   * something `delivered`, what is there is taken and the rest is owed; otherwise nothing is charged, the receipt says `released`
   * or `expired`, and nothing may be delivered. The same holds if a retry with the same idempotency key has replaced an expired
   * hold: `superseded`.
   *
   * Rejects only if the database refuses this settlement itself; it is then in `settlement_dead_letter` and the log has an alarm.
   * For a pending hold it also rejects with a `FailureError` if that hold is refused; then nothing is charged, and nothing may be
   * delivered.
   */
  settle(hold: Readonly<Hold>, settlement: Readonly<Settlement>): Promise<Receipt>;

  /** Releases the whole hold at no cost and frees its idempotency key. Resolves once that is durable. */
  release(hold: Readonly<Hold>, reason: string): Promise<void>;

  /** Refuses new holds, waits until everything queued is durable (within the configured deadline), and disconnects. */
  close(): Promise<void>;
}

export interface ExtendTerms {
  /** Default 1 nano-USD. */
  minimum?: NanoUsd;
  /**
   * Whether all of `more` may be charged, as if it had been part of the request's ceiling. Default: only what is granted, as for
   * a stream, which ends where its credit does.
   */
  raisesCeiling?: boolean;
}

export interface HoldRequest {
  accountId: string;
  /** The API key that pays, also for its short-lived tokens. Its state is re-read in the hold's own commit. */
  keyId: string;
  keyVersion: number;
  tokenId?: string;
  /** The end user of an access token, as the customer names them. */
  subject?: string;
  deviceId?: string;
  /** What is charged for: `chat`, `workflow.readiness.listing`, ... */
  operation: string;
  provider?: string;
  model?: string;
  /** The account's own provider key, whose fee prices the charge. */
  providerKeyId?: string;
  /** The price book version that prices the charge to its end. */
  priceVersion: number;
  /** The most that the request can cost; at least `minimum`. */
  ceiling: NanoUsd;
  /** The least that must be affordable, at least 1 nano-USD; otherwise `insufficient_credit`. */
  minimum: NanoUsd;
  /** The caller's own spending caps, which the charge counts against. */
  caps?: readonly SpendingCap[];
  idempotency?: IdempotencyKey;
  /** The request id, as in its reply: 1 to 128 bytes. */
  requestId?: string;
  /** The caller's own labels, stored with the charge: at most 16 of 1 to 64 characters, with values of at most 512. */
  metadata?: Readonly<Record<string, string>>;
  /** How long the hold lasts by database time unless renewed; default from the ledger's settings. */
  ttlMs?: number;
  /**
   * The hold's commit may be deferred for this many milliseconds, or until its settlement, while the request begins. The returned
   * hold may be `pending`.
   */
  deferMs?: number;
}

/** A limit on the total spend of one key, end user or device, whose charges are all on one wallet. */
export interface SpendingCap {
  /** Who is limited: `key:key_...`, `token:<key>:<subject>`, `device:dev_...`; at most 255 bytes. */
  owner: string;
  limit: NanoUsd;
}

/** How a retried request is recognised. */
export interface IdempotencyKey {
  /** Whose keys these are: the account, or the account and end user for an access token. At most 255 bytes. */
  scope: string;
  /** As the caller sent it, at most 255 bytes. */
  key: string;
  /** A digest (at most 32 bytes) of method and message: the same key with a different body is refused. */
  fingerprint: Uint8Array;
}

export type HoldOutcome =
  | { kind: 'held'; hold: Hold }
  | {
      kind: 'replayed';
      receipt: Receipt;
      /** The stored reply, or undefined if replies are not kept at all (`replyRetentionMs: 0`). */
      reply: Uint8Array | undefined;
    };

/** Credit reserved for one request. Plain data: pass it back to `settle` or `release`. */
export interface Hold {
  walletId: string;
  chargeId: string;
  /** The reserved amount, between the request's minimum and its ceiling. */
  amount: NanoUsd;
  /** The most that delivered work is charged: the request's ceiling; with a spending cap, the amount. At least the amount. */
  ceiling: NanoUsd;
  /** The wallet's balance at admission, including held credit. */
  balance: NanoUsd;
  /** By database time, in milliseconds since the Unix epoch. */
  expiresAtMs: number;
  ttlMs: number;
  caps: readonly SpendingCap[];
  idempotency?: IdempotencyKey;
  /**
   * Set if the hold's commit was deferred (`HoldRequest.deferMs`): resolves to the committed hold, which may be for less, or to
   * the failure if it is refused after all. Until then `amount` is the ceiling, and nothing may be delivered.
   */
  pending?: Promise<Result<Hold>>;
}

/** What was used. An unknown count is absent, never 0. */
export interface Usage {
  inputTokens?: number;
  /** Input that the provider read from its prompt cache. */
  cachedInputTokens?: number;
  /** Input tokens that the provider wrote to its prompt cache; part of `inputTokens`, and none of them counts as cached. */
  cacheWriteInputTokens?: number;
  /** The part of these written with a lifetime of one hour. */
  cacheWrite1hInputTokens?: number;
  /** Audio input tokens; none of them counts as cached or written. */
  audioInputTokens?: number;
  outputTokens?: number;
  reasoningTokens?: number;
  requests?: number;
  events?: number;
  /** For models that rank documents and are billed per search. */
  searchUnits?: number;
  /** Whether a count is our own rather than the provider's. */
  estimated?: boolean;
}

export interface Progress {
  cost: NanoUsd;
  usage: Usage;
  /** The route that incurred the cost, if not the one the hold was made for. */
  provider?: string | undefined;
  model?: string | undefined;
  /** The account's own provider key; goes with `provider`, which used none if this is absent. */
  providerKeyId?: string | undefined;
}

/** How a request went, for its owner to read. It does not affect charging; unknown values are absent. */
export interface Outcome {
  /** From the credit request to the settlement, in whole milliseconds. */
  latencyMs?: number | undefined;
  /** The part of that taken by the model that answered. */
  modelLatencyMs?: number | undefined;
  /** How many times models were asked for a reply, including failed attempts. */
  attempts?: number | undefined;
  /** Why the reply ended, in the flow's terms: at most 32 bytes. */
  finishReason?: string | undefined;
}

export interface Settlement {
  /**
   * The exact price of the usage. At most the hold's amount is charged; for a pending hold, that is the ceiling, even if less is
   * granted: free credit then pays the rest.
   */
  cost: NanoUsd;
  usage: Usage;
  /** The route that answered, if only known now. */
  provider?: string;
  model?: string;
  /** The account's own key that the provider was called with; `provider` without it means none was used. A workflow sets only this. */
  providerKeyId?: string;
  outcome?: Readonly<Outcome>;
  /** What is paid for, or part of it, has already left: then free credit is taken and the rest is owed. */
  delivered?: boolean;
  /** The reply to a retry with the same idempotency key; stored encrypted. */
  reply?: Uint8Array;
  /**
   * What the work found, in the flow's own terms, stored with the charge in the same commit: at most 8,192 ASCII characters. It
   * must not contain any of the caller's text.
   */
  evidence?: string;
}

export interface Receipt {
  chargeId: string;
  /**
   * `settled`: paid, except for what is `owed`. `superseded`: another charge with the same idempotency key has replaced this one,
   * which costs nothing. `released`, `expired`: it could not be paid.
   */
  state: 'settled' | 'expired' | 'released' | 'superseded';
  charged: NanoUsd;
  /** What could not be collected for delivered work. The wallet owes it, and no hold is granted until it is repaid. */
  owed: NanoUsd;
  /** The wallet's balance now, including held credit. */
  balance: NanoUsd;
  /** What is left of the end user's or device's own cap, including what requests in flight hold of it; absent without such a cap. */
  capLeft?: NanoUsd;
}
