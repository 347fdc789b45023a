import type { UpstreamFailure } from '../providers/index.ts';

const failuresInARowMax = 5;
const errorRateMax = 0.5;
const callsForErrorRate = 20;
const openMs = 2_000;
const openMaxMs = 60_000;
const rateLimitedMs = 2_000;
const misconfiguredMs = 60_000;
/** A half-open circuit that allows this many calls at once is closed. */
const allowanceClosed = 64;
/** Weight of the newest call in the error rate. */
const newest = 0.2;

export interface CircuitTerms {
  /** How many failures in a row it takes to open, whatever they say: 1, or more where one may be a chance. */
  least: number;
  random: () => number;
}

/**
 * One circuit breaker (Nygard, Release It!, 2007). It opens on failures in a row, on a high error rate, and on 429 for as long as
 * Retry-After says. It is then half open: one call at a time, doubling with each success, so that a recovering route is not overrun
 * by the backlog.
 */
export class Circuit {
  /** Calls in flight. */
  inFlight = 0;
  /** How many times it has opened in all. What began before the last time tells nothing of the route since. */
  openedTimes = 0;
  readonly #least: number;
  readonly #random: () => number;
  #failuresInARow = 0;
  /** Recent failure rate, 0 to 1, and how many calls it is based on. */
  #errorRate = 0;
  #calls = 0;
  #openUntil = 0;
  /** How many times in a row it has opened: the wait doubles each time. */
  #openings = 0;
  /** Calls allowed in flight at once while half open; Infinity when closed. */
  #allowance = Number.POSITIVE_INFINITY;

  constructor({ least, random }: CircuitTerms) {
    this.#least = least;
    this.#random = random;
  }

  get isClosed(): boolean {
    return this.#allowance === Number.POSITIVE_INFINITY;
  }

  /** Whether a call may begin, apart from the time until which it is open. */
  get hasRoom(): boolean {
    return this.inFlight < this.#allowance;
  }

  /** Milliseconds until a call may probe it; 0 if it is not open. */
  openForMs(now: number): number {
    return this.#openUntil === 0 ? 0 : Math.max(this.#openUntil - now, 0);
  }

  failed({ outcome, retryAfterMs = rateLimitedMs }: UpstreamFailure, now: number): void {
    this.#failuresInARow++;
    this.#errorRate += newest * (1 - this.#errorRate);
    this.#calls++;
    if (this.#failuresInARow < this.#least) return;
    if (outcome === 'rate_limited') this.#open(retryAfterMs, now);
    else if (outcome === 'misconfigured') this.#open(misconfiguredMs, now);
    else if (!this.isClosed || this.#failuresInARow >= failuresInARowMax || this.#failsOften)
      this.#open(Math.min(openMs * 2 ** this.#openings, openMaxMs), now);
  }

  succeeded(): void {
    this.#failuresInARow = 0;
    this.#errorRate *= 1 - newest;
    this.#calls++;
    if (this.isClosed) return;
    this.#allowance *= 2;
    if (this.#allowance < allowanceClosed) return;
    this.#allowance = Number.POSITIVE_INFINITY;
    this.#openings = 0;
  }

  get #failsOften(): boolean {
    return this.#calls >= callsForErrorRate && this.#errorRate > errorRateMax;
  }

  #open(waitMs: number, now: number): void {
    // Jitter, so that nodes that opened together do not probe together.
    this.#openUntil = Math.max(this.#openUntil, now + waitMs * (1 + this.#random() * 0.2));
    this.#allowance = 1;
    this.#openings++;
    this.openedTimes++;
    this.#failuresInARow = 0;
    this.#errorRate = 0;
    this.#calls = 0;
  }
}
