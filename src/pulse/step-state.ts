/**
 * What is remembered of one session at one step: only earliest and latest times, which come out the same in whatever
 * order the events arrive.
 */
export interface StepState {
  first: number;
  last: number;
  entered?: number;
  completedFirst?: number;
  completedLast?: number;
  leftLast?: number;
  /** Error code's number -> when it last occurred. */
  errors: Map<number, number>;
}
