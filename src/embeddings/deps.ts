import type { Clock } from '../base/clock.ts';
import type { OwnKeys } from '../base/own-key.ts';
import type { Catalog } from '../catalog/index.ts';
import type { CallBreaker, Providers } from '../providers/index.ts';
import type { WatchCall } from '../telemetry/index.ts';
import type { ChargingDeps } from '../wallet/index.ts';

export interface EmbeddingsDeps extends ChargingDeps {
  catalog: Pick<Catalog, 'embeddingModels' | 'ownEmbeddingModels' | 'version'>;
  providers: Pick<Providers, 'embed'>;
  /** Absent: nobody brings keys. */
  ownKeys?: OwnKeys | undefined;
  breaker: CallBreaker;
  clock: Clock;
  /** Counts the tokens of texts in jobs of the owner, for what no provider counts. */
  countTokens(owner: string, texts: readonly string[]): Promise<number>;
  /** Told of upstreams that state more tokens than the inputs can have; nobody is charged for those. */
  overran?: ((overrun: Overrun) => void) | undefined;
  /** For traces and metrics; absent: nobody watches. */
  watchCall?: WatchCall | undefined;
  /** Numbers that requests may have in memory at one time; more are refused as `overloaded`. */
  valuesInFlightMax: number;
}

/** An upstream that says that it took more than the inputs can have. */
export interface Overrun {
  provider: string;
  model: string;
  what: 'input';
  /** The most tokens that are charged. */
  bound: number;
  stated: number;
}
