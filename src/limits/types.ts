import type { Caller } from '../base/caller.ts';
import type { Result } from '../base/failure.ts';

/** Limits of one owner. Whole numbers, at least 1. */
export interface LevelLimits {
  requestsPerMinute: number;
  /** Model tokens a minute, input and output together. */
  tokensPerMinute: number;
  /** Requests in flight at one time, streams among them. */
  concurrent: number;
  /** Streams in flight at one time. */
  streams: number;
  /** Requests at once from rest, beyond which the rate counts. Default: ten seconds' worth. */
  requestBurst?: number;
}

/** How often an address may have an unknown credential looked up. */
export interface LookUpLimit {
  may(address: string): Result<void>;
  failed(address: string): void;
}

/** Limits of an address whose requests show no valid credential. */
export interface AddressLimits {
  /** Requests without a credential, a minute. */
  anonymousPerMinute: number;
  /** Refused credentials, a minute. Beyond it no unknown credential from there is looked up. */
  refusedPerMinute: number;
}

/** A limit as reply headers state it. */
export interface LimitState {
  limit: number;
  remaining: number;
  /** Until the whole limit is there again. */
  resetMs: number;
}

/** A request that was let in. */
export interface Admission {
  /** The strictest limit that it counted against; undefined for callers without limits. */
  readonly requests: LimitState | undefined;
  readonly tokens: LimitState | undefined;
  /** The request is over. Calling it again does nothing. */
  release(): void;
}

/** Model tokens that were set aside for one request. */
export interface TokenReservation {
  /** What was really used; the difference is given back, or counted on top. Calling it again does nothing. */
  settle(tokens: number): void;
}

export interface Limits {
  /**
   * Lets a request of this caller in, or says when to try again: a refused request counts nowhere and holds nothing.
   * Answers at once on one node; a promise when limits are shared between nodes.
   */
  admit(caller: Caller, kind: 'unary' | 'stream'): Result<Admission> | Promise<Result<Admission>>;
  /**
   * As `admit`, out of a small reserve that each account has for paying: nothing else counts against it, so that an
   * account whose limits are used up can still add credit.
   */
  admitPayment(caller: Caller): Result<Admission> | Promise<Result<Admission>>;
  /**
   * Sets model tokens aside before they are used. One request for more than a minute's limit waits for an unused minute.
   */
  reserveTokens(caller: Caller, tokens: number): Result<TokenReservation> | Promise<Result<TokenReservation>>;
  /** Counts a request without a credential against its address. */
  admitAddress(address: string): Result<void>;
  /** Counts a refused credential against its address; fails when there were too many. */
  countRefused(address: string): Result<void>;
  /** Whether an address had too few credentials refused to try another. Counts nothing. */
  mayTry(address: string): Result<void>;
  /**
   * Looking up credentials for an address. Only failed look-ups count: a missing or malformed header is not a guess, and
   * must not lock out the good keys behind the same address.
   */
  lookUps: LookUpLimit;
  close(): Promise<void>;
}
