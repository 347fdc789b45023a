import type { Clock } from '../base/clock.ts';
import type { UpstreamFailure } from '../providers/index.ts';

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
  status(route: string): RouteStatus;
  /**
   * Starts a call. The first of the returned functions that is called ends it; calls after that do nothing. The outcome of a call with an account's `ownKey` says nothing
   * about the route for others: it is measured, but neither opens nor closes the circuit.
   */
  begin(
    route: string,
    ownKey?: boolean,
  ): {
    succeeded(measure: CallMeasure): void;
    failed(failure: UpstreamFailure): void;
    ended(): void;
  };
  /** Routes whose circuit is not closed, for metrics. */
  circuits(): { route: string; state: 'open' | 'half_open' }[];
}

interface RouteState {
  inFlight: number;
  consecutiveFailures: number;
  /** Recent failure rate, 0 to 1, and how many calls it is based on. */
  errorRate: number;
  calls: number;
  openUntil: number;
  /** How many times in a row the circuit has opened: the wait doubles each time. */
  openings: number;
  /** How many times it has opened in all. What began before the last time tells nothing of the route since. */
  openedTimes: number;
  /** Calls allowed in flight at once while half open; Infinity when closed. */
  allowance: number;
  measured: Measured;
}

const consecutiveFailuresMax = 5;
const errorRateMax = 0.5;
const callsForErrorRate = 20;
const openMs = 2_000;
const openMaxMs = 60_000;
const rateLimitedMs = 2_000;
const misconfiguredMs = 60_000;
/** A half-open circuit that allows this many calls at once is closed. */
const allowanceClosed = 64;
/** Weight of the newest measurement in the moving averages. */
const newest = 0.2;

/**
 * A circuit breaker and moving averages for each route (Nygard, Release It!, 2007). It opens on consecutive failures, on a high
 * error rate, and on 429 for as long as Retry-After says. It is then half open: one call at a time, doubling with each success,
 * so that a recovering route is not overrun by the backlog. Calls that began before it opened neither open it again nor close it: many
 * that fail at one moment are one failure of the route.
 */
export function createCircuitBreaker(deps: { clock: Clock; random?: () => number }): CircuitBreaker {
  const random = deps.random ?? Math.random;
  const states = new Map<string, RouteState>();
  const now = () => deps.clock.monotonic();

  function stateOf(route: string): RouteState {
    let state = states.get(route);
    if (!state) {
      state = {
        inFlight: 0,
        consecutiveFailures: 0,
        errorRate: 0,
        calls: 0,
        openUntil: 0,
        openings: 0,
        openedTimes: 0,
        allowance: Number.POSITIVE_INFINITY,
        measured: {},
      };
      states.set(route, state);
    }
    return state;
  }

  function open(state: RouteState, waitMs: number): void {
    // Jitter, so that nodes that opened together do not probe together.
    state.openUntil = Math.max(state.openUntil, now() + waitMs * (1 + random() * 0.2));
    state.allowance = 1;
    state.openings++;
    state.openedTimes++;
    state.consecutiveFailures = 0;
    state.errorRate = 0;
    state.calls = 0;
  }

  function recordFailure(state: RouteState, failure: UpstreamFailure): void {
    state.consecutiveFailures++;
    state.errorRate += newest * (1 - state.errorRate);
    state.calls++;
    const halfOpen = state.allowance !== Number.POSITIVE_INFINITY;
    if (failure.outcome === 'rate_limited') open(state, failure.retryAfterMs ?? rateLimitedMs);
    else if (failure.outcome === 'misconfigured') open(state, misconfiguredMs);
    else if (halfOpen || state.consecutiveFailures >= consecutiveFailuresMax || failingOften(state))
      open(state, Math.min(openMs * 2 ** state.openings, openMaxMs));
  }

  return {
    status(route) {
      const state = states.get(route);
      if (!state) return { available: true, inFlight: 0 };
      const { inFlight, measured } = state;
      const openForMs = state.openUntil === 0 ? 0 : state.openUntil - now();
      return {
        available: openForMs <= 0 && inFlight < state.allowance,
        availableInMs: openForMs > 0 ? openForMs : undefined,
        inFlight,
        ...measured,
      };
    },
    begin(route, ownKey) {
      const state = stateOf(route);
      if (ownKey) return { ended() {}, succeeded: (measure) => recordMeasure(state.measured, measure), failed() {} };
      let isUnderWay = true;
      const { openedTimes } = state;
      const isOfBefore = () => openedTimes !== state.openedTimes;
      state.inFlight++;
      /** True the first time. */
      const end = () => {
        const isFirst = isUnderWay;
        if (isFirst) state.inFlight--;
        isUnderWay = false;
        return isFirst;
      };
      return {
        ended: () => void end(),
        succeeded(measure) {
          if (!end()) return;
          recordMeasure(state.measured, measure);
          if (!isOfBefore()) recordSuccess(state);
        },
        failed(failure) {
          if (end() && countsAgainstRoute(failure) && !isOfBefore()) recordFailure(state, failure);
        },
      };
    },
    circuits() {
      const found: { route: string; state: 'open' | 'half_open' }[] = [];
      for (const [route, state] of states)
        if (state.allowance !== Number.POSITIVE_INFINITY)
          found.push({ route, state: now() < state.openUntil ? 'open' : 'half_open' });
      return found;
    },
  };
}

function recordSuccess(state: RouteState): void {
  state.consecutiveFailures = 0;
  state.errorRate *= 1 - newest;
  state.calls++;
  if (state.allowance !== Number.POSITIVE_INFINITY) {
    state.allowance *= 2;
    if (state.allowance >= allowanceClosed) {
      state.allowance = Number.POSITIVE_INFINITY;
      state.openings = 0;
    }
  }
}

function recordMeasure(measured: Measured, { firstTokenMs, totalMs, outputTokens }: CallMeasure): void {
  measured.firstTokenMs = moved(measured.firstTokenMs, firstTokenMs);
  measured.outputTokensMean = moved(measured.outputTokensMean, outputTokens);
  const rest = totalMs - firstTokenMs;
  if (rest > 0 && outputTokens > 1)
    measured.tokensPerSecond = moved(measured.tokensPerSecond, (outputTokens / rest) * 1_000);
}

function failingOften(state: RouteState): boolean {
  return state.calls >= callsForErrorRate && state.errorRate > errorRateMax;
}

// Bad input or a cancellation by the caller says nothing about the route.
function countsAgainstRoute({ outcome }: UpstreamFailure): boolean {
  return outcome !== 'cancelled' && outcome !== 'caller_mistake' && outcome !== 'rejected';
}

function moved(average: number | undefined, measure: number): number {
  return average === undefined ? measure : average + newest * (measure - average);
}
