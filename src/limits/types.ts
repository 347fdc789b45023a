import type { Caller } from '../base/caller.ts';
import type { RateQuota, Result } from '../base/failure.ts';

/** The limits of one owner. Whole numbers, at least 1. */
export interface LevelLimits {
  requestsPerMinute: number;
  /** Model tokens per minute, input and output together. */
  tokensPerMinute: number;
  /** Requests in flight at once, including streams. */
  concurrent: number;
  /** Streams in flight at once. */
  streams: number;
  /** The burst of requests from idle, before the rate applies. Default: ten seconds' worth. */
  requestBurst?: number;
}

/** How often an address may have an unknown credential looked up. */
export interface LookUpLimit {
  may(address: string): Result<void>;
  failed(address: string): void;
}

/**
 * What callers without a valid credential may use. Each number is for one address (an IPv4 address, or the /64 of an IPv6
 * address); the network around it (the /24 of an IPv4 address, the /56 of an IPv6 one) may use `networkFactor` times as much,
 * and the /48 of an IPv6 address that factor again. Whole numbers, at least 1.
 */
export interface AnonymousLimits {
  /** Open connections; beyond this, those that have shown no credential for three seconds are closed, oldest first. */
  connections: number;
  /** New connections per minute; four times `connections` at once. */
  connectionsPerMinute: number;
  /** Open connections of all addresses together. */
  totalConnections: number;
  /** Requests, and streams, at the same time. */
  streams: number;
  /** Those on one connection. */
  streamsPerConnection: number;
  /** Requests without a credential per minute. */
  requestsPerMinute: number;
  /** Refused credentials per minute. Beyond this, no unknown credential from there is looked up. */
  refusedPerMinute: number;
  /** Transfer per minute, in and out together, over connections that have shown no credential. */
  mebibytesPerMinute: number;
  networkFactor: number;
  /** Connections of one account, or of one end user, that do not count as anonymous; further ones do. */
  ownerConnections: number;
}

/** One open connection. */
export interface OpenConnection {
  /** Whether no valid credential has been shown on it. */
  readonly anonymous: boolean;
  /** Counts bytes while it is anonymous. False: there were too many. */
  moved(bytes: number): boolean;
  /** Starts a request without a credential; returns a function that ends it, or undefined if there are too many at once. */
  enterStream(): (() => void) | undefined;
  /** A valid credential of `owner` was shown: from now on the connection does not count against its address. */
  identified(owner: string): void;
  /** It is cut off for what it sent, whoever its caller is: its address may open far fewer new connections for a while. */
  wasted(): void;
  closed(): void;
}

/**
 * What callers without a valid credential may use, across all protocols: connections, concurrent requests, requests per minute,
 * bytes, refused credentials. Bounded memory; nothing here waits.
 */
export interface AnonymousBudget {
  /** Counts a new connection. Undefined: there are too many, so close it. `close` is called if it has to make room. */
  connect(peer: string, close: () => void): OpenConnection | undefined;
  /** Counts a request without a credential, before its body is read. Call the returned function when it is over. */
  enter(peer: string, connection: OpenConnection | undefined): Result<() => void>;
  /** Counts a refused credential; fails if there were too many. */
  countRefused(peer: string): Result<void>;
  /** Whether few enough credentials were refused to try another. Counts nothing. */
  mayTry(peer: string): Result<void>;
  /**
   * Credential lookups. Only failed ones count: a missing or malformed header is not a guess, and must not lock out the good
   * keys behind the same address.
   */
  lookUps: LookUpLimit;
}

/** A limit as reported in reply headers. */
export interface LimitState {
  /** The most that fits at once. */
  limit: number;
  /** How long until all of it is available again. */
  windowMs: number;
  remaining: number;
  /** Time until the whole limit is available again. */
  resetMs: number;
}

/** An admitted request. */
export interface Admission {
  /** The strictest limit that it counted against; undefined for callers without limits. */
  readonly requests: LimitState | undefined;
  readonly tokens: LimitState | undefined;
  /** Ends the request. Calling it again does nothing. */
  release(): void;
}

/** One of an owner's limits, with its usage. */
export interface LimitInForce {
  level: 'account' | 'key' | 'token';
  name: RateQuota['name'];
  /** Per minute, or at the same time. */
  most: number;
  /** How many fit at once. */
  burst: number;
  used: number;
  /** Time until it is entirely unused; absent if that depends on what is in flight. */
  resetMs?: number;
}

/** A caller's limits. `shared`: counted across all nodes; otherwise, only what this node has counted. */
export interface LimitsInForce {
  limits: LimitInForce[];
  shared: boolean;
}

/** Model tokens reserved for one request. */
export interface TokenReservation {
  /** Records what was really used; the difference is given back, or counted on top. Calling it again does nothing. */
  settle(tokens: number): void;
}

export interface Limits {
  /**
   * Admits a request of this caller, or says when to retry: a refused request counts nowhere and holds nothing. Synchronous on
   * one node; returns a promise if limits are shared between nodes.
   */
  admit(caller: Caller, kind: 'unary' | 'stream'): Result<Admission> | Promise<Result<Admission>>;
  /** A stream slot for a request that `admit` let in as unary: some protocols reveal only in the body which it is. Counts no additional request. */
  admitStream(caller: Caller): Result<() => void> | Promise<Result<() => void>>;
  /**
   * Counts a further request within an admitted call, such as a batch item; it takes no slot of its own. Items yield to calls:
   * half of the burst is reserved for calls, however many items are waiting.
   */
  admitItem(caller: Caller): Result<void> | Promise<Result<void>>;
  /**
   * Like `admit`, but from a small reserve that each account has for paying: nothing else counts against it, so that an account
   * that has used up its limits can still add credit.
   */
  admitPayment(caller: Caller): Result<Admission> | Promise<Result<Admission>>;
  /** Reserves model tokens before they are used. A single request for more than a minute's limit waits for an unused minute. */
  reserveTokens(caller: Caller, tokens: number): Result<TokenReservation> | Promise<Result<TokenReservation>>;
  /** What the caller's requests count against, and how much of it is used. Counts nothing. */
  inForce(caller: Caller): Promise<LimitsInForce>;
  anonymous: AnonymousBudget;
  close(): Promise<void>;
}
