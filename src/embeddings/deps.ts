import type { Clock } from '../base/clock.ts';
import type { OwnKeys } from '../base/own-key.ts';
import type { SharedTurns } from '../base/shared-turns.ts';
import type { Catalog } from '../catalog/index.ts';
import type { UnpaidWork } from '../limits/index.ts';
import type { CallBreaker, Providers } from '../providers/index.ts';
import type { WatchCall } from '../telemetry/index.ts';
import type { ChargingDeps } from '../wallet/index.ts';

export interface EmbeddingsDeps extends ChargingDeps {
  catalog: Pick<Catalog, 'embeddingModels' | 'ownEmbeddingModels' | 'version'>;
  providers: Pick<Providers, 'embed'>;
  /** Absent: no account brings keys. */
  ownKeys?: OwnKeys | undefined;
  breaker: CallBreaker;
  clock: Clock;
  /** Counts the tokens of texts, in jobs of the owner, if no provider does. */
  countTokens(owner: string, texts: readonly string[]): Promise<number>;
  /** For requests whose texts must be counted before anything is held: up to some seconds of computing that nobody pays for. */
  checkInTurn: SharedTurns;
  /** Called for upstreams that report more tokens than the inputs can contain; nobody is charged for those. */
  overran?: ((overrun: Overrun) => void) | undefined;
  /** For traces and metrics; absent: calls are not watched. */
  watchCall?: WatchCall | undefined;
  /** Told what calls cost whose request failed. */
  unpaid: UnpaidWork;
  /** How many numbers requests may hold in memory at once; further requests are refused as `overloaded`. */
  valuesInFlightMax: number;
}

/** An upstream that claims to have used more than the inputs can contain. */
export interface Overrun {
  provider: string;
  model: string;
  what: 'input';
  /** The most tokens that are charged. */
  bound: number;
  stated: number;
}
