import type { Clock } from '../base/clock.ts';
import type { OwnKeys } from '../base/own-key.ts';
import type { SharedTurns } from '../base/shared-turns.ts';
import type { Catalog } from '../catalog/index.ts';
import type { CallBreaker, Providers } from '../providers/index.ts';
import type { WatchCall } from '../telemetry/index.ts';
import type { ChargingDeps } from '../wallet/index.ts';

export interface RerankingDeps extends ChargingDeps {
  catalog: Pick<Catalog, 'rerankModels' | 'ownRerankModels' | 'version'>;
  providers: Pick<Providers, 'rerank'>;
  /** Absent: no account brings keys. */
  ownKeys?: OwnKeys | undefined;
  breaker: CallBreaker;
  clock: Clock;
  /** Counts the tokens of texts, in jobs of the owner, if no provider does. */
  countTokens(owner: string, texts: readonly string[]): Promise<number>;
  /** For requests whose texts must be counted before anything is held: up to some seconds of computing that nobody pays for. */
  checkInTurn: SharedTurns;
  /** Called for upstreams that report more than a request can contain; nobody is charged for that. */
  overran?: ((overrun: Overrun) => void) | undefined;
  /** For traces and metrics; absent: calls are not watched. */
  watchCall?: WatchCall | undefined;
}

/** An upstream that claims to have used more than a request can contain. */
export interface Overrun {
  provider: string;
  model: string;
  what: 'input';
  /** The most that is charged. */
  bound: number;
  stated: number;
}
