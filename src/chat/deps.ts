import type { Clock } from '../base/clock.ts';
import type { OwnKeys } from '../base/own-key.ts';
import type { Catalog } from '../catalog/index.ts';
import type { Providers } from '../providers/index.ts';
import type { Sandbox, Schemas } from '../sandbox/index.ts';
import type { WatchCall } from '../telemetry/index.ts';
import type { Ledger, ReserveTokens } from '../wallet/index.ts';
import type { Overrun } from './bounded.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import type { Guard } from './guard/index.ts';
import type { ProviderStates } from './provider-state.ts';
import type { WarmCaches } from './warm-caches.ts';

/** Dependencies for choosing and calling models. */
export interface ModelDeps {
  catalog: Catalog;
  providers: Providers;
  breaker: CircuitBreaker;
  clock: Clock;
  /** Where schemas are compiled and checked, and long texts are counted. */
  sandbox: Sandbox;
  schemas: Schemas;
  /** Time limit for all attempts of one request together. */
  deadlineMs: number;
  /** Seals the state that providers want back; absent: replies carry none, and requests that send some are refused. */
  states?: ProviderStates | undefined;
  /** The provider keys that accounts have brought; absent: none. */
  ownKeys?: OwnKeys | undefined;
  /** Which providers may have a prompt cached; absent: routes are compared as if none had. */
  warmCaches?: WarmCaches;
  /** Counts model tokens per minute; absent: they are not limited. */
  reserveTokens?: ReserveTokens;
  /** Called for upstreams that give, or claim to have used, more than they were asked for; nobody is charged for that. */
  overran?: ((overrun: Overrun) => void) | undefined;
  /** Watches each model call, for traces and metrics; absent: calls are not watched. */
  watchCall?: WatchCall | undefined;
  /** For spreading load; tests pass their own. */
  random?: () => number;
  /** Waits between attempts, at most until the signal is aborted; tests pass their own. */
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Dependencies for answering a chat request. */
export interface ChatDeps extends ModelDeps {
  ledger: Ledger;
  /**
   * How long a model call may run before its hold is committed, if the hold is all but certain to succeed
   * (`HoldRequest.deferMs`); 0 or absent: no call begins before the commit.
   */
  deferHoldMs?: number;
}

/** The context in which a request arrived. */
export interface ChatCall {
  /** The request's id, as given in its reply. */
  requestId?: string | undefined;
  /** Aborted when the caller leaves or its own deadline passes. */
  signal: AbortSignal;
  /** Aborted when the caller's credential is revoked or its session ends, even after the caller has left; absent: not watched. */
  revoked?: AbortSignal | undefined;
  /** The caller's key, and a digest (at most 32 bytes) of the method and the message. */
  idempotency?: { key: string; fingerprint: Uint8Array } | undefined;
  /** Called with work that may continue after the caller has left: until it ends, the call keeps its slot in the limits. */
  outlast?: (work: Promise<unknown>) => void;
  /** Called with the charge before the reply begins: this request's, or that of the request it repeats. Not called for a cached reply. */
  charged?: (chargeId: string, isRepeat: boolean) => void;
  /** For a repeated resumable request: the sequence of the last event its caller has. */
  after?: number | undefined;
  /** The guardrails of the caller's key, once they have judged the request. */
  guard?: Guard | undefined;
}
