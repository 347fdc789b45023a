import type { Clock } from '../base/clock.ts';
import type { UpstreamFailure } from '../providers/index.ts';
import { Circuit } from './circuit.ts';

/** What route selection may know about a route: a copy, so that selection stays a pure function. */
export interface RouteStatus extends Measured {
  /** False while its circuit is open, or half open with all permitted probes in flight. */
  available: boolean;
  /** While its circuit is open: milliseconds until a call may probe it. */
  availableInMs?: number | undefined;
  /** Calls in flight on this node. */
  inFlight: number;
}

/** Moving averages of a route's recent calls. */
interface Measured {
  /** Time to the first token; undefined until there has been one. */
  firstTokenMs?: number | undefined;
  /** Speed after the first token. */
  tokensPerSecond?: number | undefined;
  /** Mean length of replies. */
  outputTokensMean?: number | undefined;
}

/** How one call went. */
export interface CallMeasure {
  firstTokenMs: number;
  totalMs: number;
  outputTokens: number;
}

/** A circuit breaker per route, with this node's measurements of it. */
export interface CircuitBreaker {
  /** The route as one account may call it. */
  status(route: string, account: string): RouteStatus;
  /**
   * Starts a call of an account. The first of the returned functions that is called ends it; calls after that do nothing. The
   * outcome of a call with the account's `ownKey` says nothing about the route for others: it is measured, but neither opens nor
   * closes a circuit.
   */
  begin(
    route: string,
    account: string,
    ownKey?: boolean,
  ): {
    succeeded(measure: CallMeasure): void;
    failed(failure: UpstreamFailure): void;
    ended(): void;
  };
  /** Routes that are not called, or only tried, for metrics. */
  circuits(): OpenCircuit[];
}

export interface OpenCircuit {
  route: string;
  /** `open_for_accounts`: for some accounts only. */
  state: 'open' | 'half_open' | 'open_for_accounts';
  /** How many accounts have an open circuit of their own. */
  accounts: number;
}

interface RouteState {
  /** For all accounts. */
  shared: Circuit;
  /** The account of the last failure that counted for all. */
  lastFailed: string | undefined;
  /** Of accounts whose calls failed, the one that failed last at the end. */
  own: Map<string, Circuit>;
  measured: Measured;
}

/** Accounts that are followed for a route: beyond it, the one that failed the longest ago is forgotten. */
const accountsMax = 1_000;
/** Weight of the newest measurement in the moving averages. */
const newest = 0.2;

/**
 * Circuit breakers and moving averages for each route. A failure may be due to what was asked, so one account alone closes a route
 * off for itself only: it has a circuit of its own. For all accounts, several failures of one account after another count once,
 * and it takes two in a row, however clear each is. Calls that began before a circuit opened neither open it again nor close it:
 * many that fail at one moment are one failure of the route.
 */
export function createCircuitBreaker(deps: { clock: Clock; random?: () => number }): CircuitBreaker {
  const random = deps.random ?? Math.random;
  const states = new Map<string, RouteState>();
  const now = () => deps.clock.monotonic();

  function stateOf(route: string): RouteState {
    let state = states.get(route);
    if (!state) {
      const shared = new Circuit({ least: 2, random });
      state = { shared, lastFailed: undefined, own: new Map(), measured: {} };
      states.set(route, state);
    }
    return state;
  }

  /** The account's own circuit, as the last to be forgotten. */
  function followed({ own }: RouteState, account: string): Circuit {
    const circuit = own.get(account) ?? new Circuit({ least: 1, random });
    own.delete(account);
    own.set(account, circuit);
    const [oldest] = own.keys();
    if (own.size > accountsMax && oldest !== undefined) own.delete(oldest);
    return circuit;
  }

  return {
    status(route, account) {
      const state = states.get(route);
      if (!state) return { available: true, inFlight: 0 };
      const { shared, measured } = state;
      const own = state.own.get(account);
      const openForMs = Math.max(shared.openForMs(now()), own?.openForMs(now()) ?? 0);
      return {
        available: openForMs === 0 && shared.hasRoom && own?.hasRoom !== false,
        availableInMs: openForMs > 0 ? openForMs : undefined,
        inFlight: shared.inFlight,
        ...measured,
      };
    },
    begin(route, account, ownKey) {
      const state = stateOf(route);
      if (ownKey) return { ended() {}, succeeded: (measure) => recordMeasure(state.measured, measure), failed() {} };
      const { shared } = state;
      const own = state.own.get(account);
      const sharedBefore = shared.openedTimes;
      const ownBefore = own?.openedTimes ?? 0;
      let isUnderWay = true;
      shared.inFlight++;
      if (own) own.inFlight++;
      /** True the first time. */
      const end = () => {
        const isFirst = isUnderWay;
        if (isFirst) shared.inFlight--;
        if (isFirst && own) own.inFlight--;
        isUnderWay = false;
        return isFirst;
      };
      return {
        ended: () => void end(),
        succeeded(measure) {
          if (!end()) return;
          recordMeasure(state.measured, measure);
          if (sharedBefore === shared.openedTimes) shared.succeeded();
          const theirs = state.own.get(account);
          if (theirs && ownBefore === theirs.openedTimes) theirs.succeeded();
        },
        failed(failure) {
          if (!end() || !countsAgainstRoute(failure)) return;
          const theirs = followed(state, account);
          if (ownBefore === theirs.openedTimes) theirs.failed(failure, now());
          if (sharedBefore !== shared.openedTimes || state.lastFailed === account) return;
          state.lastFailed = account;
          shared.failed(failure, now());
        },
      };
    },
    circuits() {
      const found: OpenCircuit[] = [];
      for (const [route, { shared, own }] of states) {
        let accounts = 0;
        for (const circuit of own.values()) if (circuit.openForMs(now()) > 0) accounts++;
        if (!shared.isClosed)
          found.push({ route, state: shared.openForMs(now()) > 0 ? 'open' : 'half_open', accounts });
        else if (accounts > 0) found.push({ route, state: 'open_for_accounts', accounts });
      }
      return found;
    },
  };
}

function recordMeasure(measured: Measured, { firstTokenMs, totalMs, outputTokens }: CallMeasure): void {
  measured.firstTokenMs = moved(measured.firstTokenMs, firstTokenMs);
  measured.outputTokensMean = moved(measured.outputTokensMean, outputTokens);
  const rest = totalMs - firstTokenMs;
  if (rest > 0 && outputTokens > 1)
    measured.tokensPerSecond = moved(measured.tokensPerSecond, (outputTokens / rest) * 1_000);
}

// Bad input or a cancellation by the caller says nothing about the route.
function countsAgainstRoute({ outcome }: UpstreamFailure): boolean {
  return outcome !== 'cancelled' && outcome !== 'caller_mistake' && outcome !== 'rejected';
}

function moved(average: number | undefined, measure: number): number {
  return average === undefined ? measure : average + newest * (measure - average);
}
