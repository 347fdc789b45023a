import {
  addCell,
  addErrorCell,
  type Cell,
  type ErrorCell,
  emptyCell,
  emptyErrorCell,
  errorPlace,
  type StepSums,
  takeCell,
} from './cell.ts';
import { getOrMake } from './get-or-make.ts';
import type { LatestCount } from './latest.ts';

/** The summed rollups of one period. */
export class PeriodSums implements StepSums {
  /** By step number. */
  readonly steps = new Map<number, Cell>();
  /** By `errorPlace`. */
  readonly errors = new Map<number, ErrorCell>();
  /** By step: sessions whose time-out has not passed. They are not included in `abandoned` and `ended`. */
  readonly latest = new Map<number, { stopped: number; ended: number }>();

  add(step: number, cell: Cell): void {
    addCell(getOrMake(this.steps, step, emptyCell), cell);
  }

  addError(step: number, code: number, cell: ErrorCell): void {
    addErrorCell(getOrMake(this.errors, errorPlace(step, code), emptyErrorCell), cell);
  }

  /** Removes active sessions from those that stopped. */
  addLatest({ step, stopped, ended }: Pick<LatestCount, 'step' | 'stopped' | 'ended'>): void {
    const cell = getOrMake(this.steps, step, emptyCell);
    cell.abandoned -= stopped;
    cell.ended -= ended;
    const known = getOrMake(this.latest, step, () => ({ stopped: 0, ended: 0 }));
    known.stopped += stopped;
    known.ended += ended;
  }

  /** Subtracts a part's sessions. What exists only for whole journeys, the occurrences of errors and their times, stays. */
  take(part: PeriodSums): void {
    for (const [step, cell] of part.steps) takeCell(getOrMake(this.steps, step, emptyCell), cell);
    for (const [place, { sessions, recovered }] of part.errors) {
      const cell = getOrMake(this.errors, place, emptyErrorCell);
      cell.sessions -= sessions;
      cell.recovered -= recovered;
    }
    for (const [step, { stopped, ended }] of part.latest) {
      const known = getOrMake(this.latest, step, () => ({ stopped: 0, ended: 0 }));
      known.stopped -= stopped;
      known.ended -= ended;
    }
  }
}
