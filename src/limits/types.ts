import type { Caller } from '../base/caller.ts';
import type { RateQuota, Result } from '../base/failure.ts';

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

/**
 * What callers may use who show no valid credential. Each number is for one address (an IPv4 address, or the /64 of an
 * IPv6 address); the network around it (the /24 of an IPv4 address, the /56 of an IPv6 one) may use `networkFactor` times as
 * much, and the /48 of an IPv6 address that factor again. Whole numbers, at least 1.
 */
export interface AnonymousLimits {
  /** Open connections; when there are more, those that showed no credential for three seconds give way, the oldest first. */
  connections: number;
  /** New connections a minute; four times `connections` at once. */
  connectionsPerMinute: number;
  /** Open connections of all addresses together. */
  totalConnections: number;
  /** Requests, and streams, at one time. */
  streams: number;
  /** Those of one connection. */
  streamsPerConnection: number;
  /** Requests without a credential a minute. */
  requestsPerMinute: number;
  /** Refused credentials a minute. Beyond it no unknown credential from there is looked up. */
  refusedPerMinute: number;
  /** Bytes a minute, in and out together, over connections that showed no credential. */
  mebibytesPerMinute: number;
  networkFactor: number;
  /** Connections of one account, or of one end user, that do not count as anonymous; further ones do. */
  ownerConnections: number;
}

/** One connection that is open. */
export interface OpenConnection {
  /** Whether no valid credential was shown over it. */
  readonly anonymous: boolean;
  /** Counts bytes while it is anonymous. False: they were too many. */
  moved(bytes: number): boolean;
  /** A request without a credential begins; returns what ends it, or undefined when there are too many at one time. */
  enterStream(): (() => void) | undefined;
  /** A valid credential of `owner` was shown: from now on it does not count against its address. */
  identified(owner: string): void;
  closed(): void;
}

/**
 * What callers may use who show no valid credential, over every protocol: connections, requests at one time and a
 * minute, bytes, refused credentials. Bounded memory; nothing here waits.
 */
export interface AnonymousBudget {
  /** Counts a new connection. Undefined: there are too many, close it. `close` is called when it has to give way. */
  connect(peer: string, close: () => void): OpenConnection | undefined;
  /** Counts a request without a credential, before its body is read. The returned function says that it is over. */
  enter(peer: string, connection: OpenConnection | undefined): Result<() => void>;
  /** Counts a refused credential; fails when there were too many. */
  countRefused(peer: string): Result<void>;
  /** Whether too few credentials were refused to try another. Counts nothing. */
  mayTry(peer: string): Result<void>;
  /**
   * Looking up credentials. Only failed look-ups count: a missing or malformed header is not a guess, and must not lock
   * out the good keys behind the same address.
   */
  lookUps: LookUpLimit;
}

/** A limit as reply headers state it. */
export interface LimitState {
  /** The most that fits at one time. */
  limit: number;
  /** In what time all of it comes back. */
  windowMs: number;
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

/** One of the limits of an owner, and what is used of it. */
export interface LimitInForce {
  level: 'account' | 'key' | 'token';
  name: RateQuota['name'];
  /** A minute, or at one time. */
  most: number;
  /** How many fit at one time. */
  burst: number;
  used: number;
  /** Until nothing of it is used; absent where that depends on what is in flight. */
  resetMs?: number;
}

/** The limits of a caller. `shared`: counted over all nodes; else, what this node has counted. */
export interface LimitsInForce {
  limits: LimitInForce[];
  shared: boolean;
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
   * A place among the streams for a request that `admit` let in as unary: some protocols tell only in the body which it
   * is. Counts no further request.
   */
  admitStream(caller: Caller): Result<() => void> | Promise<Result<() => void>>;
  /**
   * Counts a further request of a call that was let in, such as an item of a batch; it takes no place of its own. It gives
   * way to calls: half of what may come at once is theirs, however many items wait.
   */
  admitItem(caller: Caller): Result<void> | Promise<Result<void>>;
  /**
   * As `admit`, out of a small reserve that each account has for paying: nothing else counts against it, so that an
   * account whose limits are used up can still add credit.
   */
  admitPayment(caller: Caller): Result<Admission> | Promise<Result<Admission>>;
  /**
   * Sets model tokens aside before they are used. One request for more than a minute's limit waits for an unused minute.
   */
  reserveTokens(caller: Caller, tokens: number): Result<TokenReservation> | Promise<Result<TokenReservation>>;
  /** What the caller's requests count against, and how much of it is used. Counts nothing. */
  inForce(caller: Caller): Promise<LimitsInForce>;
  anonymous: AnonymousBudget;
  close(): Promise<void>;
}
