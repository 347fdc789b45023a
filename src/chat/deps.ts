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

/** What choosing and calling models needs. */
export interface ModelDeps {
  catalog: Catalog;
  providers: Providers;
  breaker: CircuitBreaker;
  clock: Clock;
  /** Where schemas are compiled and checked, and long texts counted. */
  sandbox: Sandbox;
  schemas: Schemas;
  /** How long all attempts of one request may take together. */
  deadlineMs: number;
  /** Seals what providers want back; absent: replies have none of it, and requests that bring some are refused. */
  states?: ProviderStates | undefined;
  /** The provider keys that accounts brought; absent: none. */
  ownKeys?: OwnKeys | undefined;
  /** Which providers may have a prompt in their caches; absent: routes are compared as if none had. */
  warmCaches?: WarmCaches;
  /** Counts model tokens a minute; absent: they are not limited. */
  reserveTokens?: ReserveTokens;
  /** Told of upstreams that give, or say that they took, more than they were asked for; nobody is charged for that. */
  overran?: ((overrun: Overrun) => void) | undefined;
  /** Watches each call of a model, for traces and metrics; absent: nobody does. */
  watchCall?: WatchCall | undefined;
  /** For spreading load; tests hand in their own. */
  random?: () => number;
  /** Waits between tries, at most until the signal is aborted; tests hand in their own. */
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** What a chat request is answered with. */
export interface ChatDeps extends ModelDeps {
  ledger: Ledger;
  /**
   * How long the call of a model may run before its hold is committed, where the hold is as good as sure
   * (`HoldRequest.deferMs`); 0 or absent: no call begins before that.
   */
  deferHoldMs?: number;
}

/** How a request arrived. */
export interface ChatCall {
  /** The id of the request, as its reply has it. */
  requestId?: string | undefined;
  /** Aborted when the caller goes away or its own deadline passes. */
  signal: AbortSignal;
  /** Aborted when the caller's credential is revoked or its session ends, also after the caller went away; absent: it is not watched. */
  revoked?: AbortSignal | undefined;
  /** The caller's key, and a digest (at most 32 bytes) of the method and the message. */
  idempotency?: { key: string; fingerprint: Uint8Array } | undefined;
  /** Told of work that may go on after the caller has left: until it ends, the call keeps its place in the limits. */
  outlast?: (work: Promise<unknown>) => void;
  /** Told of the charge before the reply begins: of this request, or of the one that it repeats. Not told of an earlier reply of the cache. */
  charged?: (chargeId: string, isRepeat: boolean) => void;
  /** Of a repeated resumable request: the sequence of the last event that its caller has. */
  after?: number | undefined;
  /** The guardrails of the caller's key, once they have looked at the request. */
  guard?: Guard | undefined;
}
