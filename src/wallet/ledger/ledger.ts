import type { Result } from '../../base/failure.ts';
import type { NanoUsd } from '../../base/money.ts';

/**
 * The part of the wallet that every charged request passes: hold, then settle or release.
 *
 * It promises that every reply is paid for exactly once and that no wallet ever goes below zero, under concurrency,
 * retries and crashes of this process or of the database. Only API wallets can be held; the application wallet has no
 * way in here.
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
   * Whether `hold` will surely be given its minimum, as far as this node can know: the same credential passed a moment ago
   * and the wallet had the credit. Asks nobody. Work that is done for nothing when it is refused is better done after it
   * where this says no.
   */
  foresees(request: Readonly<HoldRequest>): boolean;

  /**
   * Adds to a hold while its request runs, and renews its expiry. Adds less than `more` when that is all there is, but
   * at least `minimum` (default 1 nano-USD), or fails like `hold` and leaves the hold as it was.
   */
  extend(hold: Readonly<Hold>, more: NanoUsd, minimum?: NanoUsd): Promise<Result<Hold>>;

  /**
   * States what the request has cost so far and renews the hold's expiry. A hold that expires because its node died
   * captures the cost that was recorded last. Best effort: fails quietly into the log.
   */
  recordProgress(hold: Readonly<Hold>, progress: Readonly<Progress>): Promise<void>;

  /**
   * Charges `min(cost, hold)`, gives back the rest, and stores the reply under the hold's idempotency key. Resolves
   * after the charge is durable, however long the database is away; a second settlement of the same hold answers with
   * the first one's receipt. A cost of 0 settles without an entry.
   *
   * Where the hold has expired meanwhile, or was given in part, free credit pays what is missing. When it does not: of
   * something `delivered` what is there is taken and the rest is owed; of something that is not, nothing is charged, the
   * receipt says `released` or `expired`, and nothing may be delivered. Nor when a retry with the same idempotency key
   * has taken the place of an expired hold: `superseded`.
   *
   * Rejects only when the database refuses this settlement itself; it is then in `settlement_dead_letter` and the log
   * has an alarm. With a hold that was pending it also rejects with a `FailureError` when that hold is refused; then
   * nothing is charged, and nothing may be delivered.
   */
  settle(hold: Readonly<Hold>, settlement: Readonly<Settlement>): Promise<Receipt>;

  /** Gives the whole hold back at no cost and frees its idempotency key. Resolves after that is durable. */
  release(hold: Readonly<Hold>, reason: string): Promise<void>;

  /** Refuses new holds, waits until everything queued is durable (within the configured deadline), and disconnects. */
  close(): Promise<void>;
}

export interface HoldRequest {
  accountId: string;
  /** The API key that pays, also for its short-lived tokens. Its state is read again in the hold's own commit. */
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
  /** The account's own key of the provider, by whose fee the charge is priced. */
  providerKeyId?: string;
  /** The version of the price book that the charge is priced by, to its end. */
  priceVersion: number;
  /** The most that the request can cost; at least `minimum`. */
  ceiling: NanoUsd;
  /** The least that must be affordable, at least 1 nano-USD; else `insufficient_credit`. */
  minimum: NanoUsd;
  /** Spending caps that the charge counts against, the caller's own. */
  caps?: readonly SpendingCap[];
  idempotency?: IdempotencyKey;
  /** The id of the request, as its reply has it: 1 to 128 bytes. */
  requestId?: string;
  /** The caller's own labels, stored with the charge: at most 16 of 1 to 64 characters, with values of at most 512. */
  metadata?: Readonly<Record<string, string>>;
  /** How long the hold lasts by database time unless renewed; default from the ledger's settings. */
  ttlMs?: number;
  /**
   * The commit of the hold may be deferred for this many milliseconds, or until its settlement, and the request begins
   * meanwhile. The hold that is answered may be `pending`.
   */
  deferMs?: number;
}

/** A limit on what one key, end user or device may spend in all. Its charges are all on one wallet. */
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
  /** A digest (at most 32 bytes) of method and message: the same key with another body is refused. */
  fingerprint: Uint8Array;
}

export type HoldOutcome =
  | { kind: 'held'; hold: Hold }
  | {
      kind: 'replayed';
      receipt: Receipt;
      /** The stored reply, or undefined where replies are not kept at all (`replyRetentionMs: 0`). */
      reply: Uint8Array | undefined;
    };

/** Credit that is reserved for one request. Plain data: hand it back to `settle` or `release`. */
export interface Hold {
  walletId: string;
  chargeId: string;
  /** What is reserved, between the request's minimum and its ceiling. */
  amount: NanoUsd;
  /** The wallet's balance at admission, held credit included. */
  balance: NanoUsd;
  /** By database time, in milliseconds since the Unix epoch. */
  expiresAtMs: number;
  ttlMs: number;
  caps: readonly SpendingCap[];
  idempotency?: IdempotencyKey;
  /**
   * There when the commit of the hold was deferred (`HoldRequest.deferMs`): resolves to the committed hold, which
   * may be for less, or to the failure when it is refused after all. Until then `amount` is the ceiling, and nothing
   * may be delivered.
   */
  pending?: Promise<Result<Hold>>;
}

/** What was used. Unknown is absent, never 0. */
export interface Usage {
  inputTokens?: number;
  /** Input that the provider read from its prompt cache. */
  cachedInputTokens?: number;
  /** Input tokens that the provider wrote into its prompt cache; part of `inputTokens`, and none of them was cached. */
  cacheWriteInputTokens?: number;
  /** Those of them that are kept for an hour. */
  cacheWrite1hInputTokens?: number;
  /** Input tokens of audio; none of them counts as cached or written. */
  audioInputTokens?: number;
  outputTokens?: number;
  reasoningTokens?: number;
  requests?: number;
  events?: number;
  /** Of models that rank documents and are billed by the search. */
  searchUnits?: number;
  /** Whether a count is our own instead of the provider's. */
  estimated?: boolean;
}

export interface Progress {
  cost: NanoUsd;
  usage: Usage;
  /** Which route the cost is of, where it is not the one that the hold was made for. */
  provider?: string | undefined;
  model?: string | undefined;
  /** The account's own key of the provider; read with `provider`, which is without one where this is absent. */
  providerKeyId?: string | undefined;
}

/** How a request went, for its owner to read. Nothing is charged by it; what is not known is absent. */
export interface Outcome {
  /** From when its credit was asked for until it was settled, in whole milliseconds. */
  latencyMs?: number | undefined;
  /** What of that the model took that answered. */
  modelLatencyMs?: number | undefined;
  /** How many times models were asked for a reply, those that failed among them. */
  attempts?: number | undefined;
  /** Why the reply ended, in the words of its flow: at most 32 bytes. */
  finishReason?: string | undefined;
}

export interface Settlement {
  /** The exact price of the usage; what is charged is never more than the hold. */
  cost: NanoUsd;
  usage: Usage;
  /** Which route answered, where that is known only now. */
  provider?: string;
  model?: string;
  /** The account's own key that the provider was called with; without one, a `provider` says that it was none. A workflow states it alone. */
  providerKeyId?: string;
  outcome?: Readonly<Outcome>;
  /** What is paid for, or a part of it, has left already: then what is free is taken, and the rest is owed. */
  delivered?: boolean;
  /** What a retry with the same idempotency key is answered; stored encrypted. */
  reply?: Uint8Array;
  /**
   * What the work found, in the flow's own words, stored beside the charge by the same commit: at most 8,192 characters of
   * ASCII. It must hold no text of the caller's.
   */
  evidence?: string;
}

export interface Receipt {
  chargeId: string;
  /**
   * `settled`: paid, but for what is `owed`. `superseded`: another charge of the same idempotency key has taken its place, and
   * this one costs nothing. `released`, `expired`: it could not be paid.
   */
  state: 'settled' | 'expired' | 'released' | 'superseded';
  charged: NanoUsd;
  /** What could not be collected for what was delivered. The wallet owes it, and no hold is given until it is repaid. */
  owed: NanoUsd;
  /** The wallet's balance now, held credit included. */
  balance: NanoUsd;
  /** What is left of the end user's or device's own cap, what requests in flight hold of it included; absent without such a cap. */
  capLeft?: NanoUsd;
}
