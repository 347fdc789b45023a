import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import { type Result, succeed } from '../base/failure.ts';
import { createRounds, type Rounds } from '../base/rounds.ts';
import { createSharedTurns } from '../base/shared-turns.ts';
import type { Database } from '../db/index.ts';
import { calibrate, type FamilyCalibration } from './calibration/calibrate.ts';
import { type CalibrationQuery, readOutcomes } from './calibration/read-outcomes.ts';
import type { OutcomeReport } from './outcome.ts';
import { sweepOutcomes } from './outcomes-store.ts';
import { type Reported, recordOutcomes } from './report.ts';

export type { AdverseRate, Band, FamilyCalibration, Foretelling } from './calibration/calibrate.ts';
export type { CalibrationQuery } from './calibration/read-outcomes.ts';
export { encodeJudgement, type JudgedCheck, type Judgement } from './judgement.ts';
export {
  type Effect,
  type Outcome,
  type OutcomeClass,
  type OutcomeReport,
  outcomeClasses,
  outcomes,
} from './outcome.ts';
export type { Reported } from './report.ts';

/** What became of judged things, and what that says about the judging. */
export interface Outcomes extends Rounds {
  /**
   * Records reports in order, each on its own, with one result for each. Of several reports on one judgement, the one that
   * occurred last counts. Fails with `not_found` if the account has no such judgement.
   */
  report(accountId: string, reports: readonly OutcomeReport[]): Promise<Result<Reported>[]>;
  /**
   * What the account's latest outcomes say about the judging. Reports are made one at a time, with accounts taking turns; if
   * two of an account's calls are already waiting, further ones throw `overloaded`.
   */
  calibration(query: CalibrationQuery): Promise<Result<Calibration>>;
  /** Deletes now whatever is past retention. */
  sweep(): Promise<void>;
}

export interface Calibration {
  families: FamilyCalibration[];
  /** How many outcomes were examined. */
  outcomes: number;
  /** Whether there may be more. */
  cut: boolean;
}

const calibrationsAtOnce = { all: 1, each: 1, waitingMax: 2 };
/** Families and versions in one report. */
const familiesMax = 100;
const dayMs = 86_400_000;
const sweepEveryMs = 600_000;
const sweepRows = 1_000;
/** Ends a round in bounded time; the next one continues. */
const sweepBatchesMax = 200;

export function createOutcomes(deps: {
  db: Database;
  clock: Clock;
  log: Logger;
  /** How long judgements and outcomes are kept, in days. */
  retentionDays: number;
}): Outcomes {
  const { db, clock, log } = deps;
  // Calibrations are free, but take the processor and some memory for a moment.
  const turns = createSharedTurns(calibrationsAtOnce);

  async function sweep(): Promise<void> {
    const beforeMs = clock.now() - deps.retentionDays * dayMs;
    for (let batch = 0; batch < sweepBatchesMax; batch++)
      if ((await sweepOutcomes(db, beforeMs, sweepRows)) < sweepRows) return;
  }

  return {
    report: (accountId, reports) => recordOutcomes({ db, nowMs: clock.now() }, accountId, reports),
    calibration(query) {
      return turns(query.accountId, async () => {
        const { outcomes, cut } = await readOutcomes(db, query);
        const families = (await calibrate(outcomes)).slice(0, familiesMax);
        return succeed({ families, outcomes: outcomes.length, cut });
      });
    },
    sweep,
    ...createRounds({
      everyMs: sweepEveryMs,
      run: sweep,
      onError: (error) => log.warn({ err: error }, 'old outcomes could not be deleted; the next round goes on'),
    }),
  };
}
