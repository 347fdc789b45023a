/** Percentiles of a duration, in seconds; each within `relativeError` of the true one. */
export interface Percentiles {
  p50Seconds: number;
  p90Seconds: number;
  p99Seconds: number;
}

export interface FunnelStep {
  step: string;
  /** Sessions that reached the step. */
  entered: number;
  completed: number;
  /** completed / entered; undefined if no session entered. */
  conversion?: number;
  /** entered / the sessions that entered the previous step. */
  fromPrevious?: number;
  /** entered / all sessions of the journey. For a declared step, both shares use `reached`. */
  fromStart?: number;
  /** Sessions that reached a declared step in order and in time, and whether the step is optional. */
  reached?: number;
  optional?: boolean;
}

export interface Stall {
  step: string;
  /** Sessions whose time at the step is known. */
  sessions: number;
  dwell?: Percentiles;
  /** p50 / the journey's own p50 over all its steps. */
  timesNorm?: number;
  /** The total time beyond the norm that sessions spent here. The list is ranked by it. */
  timeLostSeconds: number;
  /** Sessions that stopped here without completing the step. */
  abandoned: number;
  /** abandoned / entered. */
  abandonmentRate?: number;
  /** Sessions that stopped here after completing the step, although it is not the goal. */
  leftAfter: number;
}

export interface ErrorLine {
  step: string;
  code: string;
  occurrences: number;
  sessions: number;
  /** sessions / sessions that entered the step. */
  rate?: number;
  recoveredSessions: number;
  firstSeenMs?: number;
  lastSeenMs?: number;
}

/** The numbers compared in a trend. */
export interface Totals {
  sessions: number;
  /** Sessions whose time-out has not passed and that have not ended at the goal: neither lost nor won. */
  active: number;
  /** Sessions that completed the goal. */
  completed: number;
  conversion?: number;
  abandoned: number;
  abandonmentRate?: number;
  erroredSessions: number;
  errorRate?: number;
  duration?: Percentiles;
}

export interface Bucket extends Totals {
  startMs: number;
}

/** The sessions with one value of a property. */
export interface SegmentTotals {
  value: string;
  totals: Totals;
}

export interface Report {
  goal?: string;
  totals: Totals;
  previous: Totals;
  /** The journey's typical time per step, over all its steps. */
  norm?: Percentiles;
  funnel: FunnelStep[];
  stalls: Stall[];
  errors: ErrorLine[];
  series: Bucket[];
  nextBestAction: string;
}
