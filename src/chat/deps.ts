import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import type { Catalog } from '../catalog/index.ts';
import type { Providers } from '../providers/index.ts';
import type { Ledger } from '../wallet/index.ts';
import type { Health } from './health.ts';
import type { TokenLimits } from './limit-tokens.ts';

/** What a chat request is answered with. */
export interface ChatDeps {
  ledger: Ledger;
  catalog: Catalog;
  providers: Providers;
  health: Health;
  clock: Clock;
  log: Logger;
  /** How long all attempts of one request may take together. */
  deadlineMs: number;
  /**
   * How long the call of a model may run before its hold is committed, where the hold is as good as sure
   * (`HoldRequest.aheadMs`); 0 or absent: no call begins before that.
   */
  holdAheadMs?: number;
  /** Limits of model tokens a minute; absent where the tokens are counted elsewhere. */
  tokenLimits?: Pick<TokenLimits, 'reserve' | 'keep'>;
  /** For spreading load; tests hand in their own. */
  random?: () => number;
  /** Waits between tries, at most until the signal is aborted; tests hand in their own. */
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** How a request arrived. */
export interface ChatCall {
  /** Aborted when the caller goes away or its own deadline passes. */
  signal: AbortSignal;
  /** The caller's key, and a digest (at most 32 bytes) of the method and the message. */
  idempotency?: { key: string; fingerprint: Uint8Array } | undefined;
}
