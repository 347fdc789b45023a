/**
 * What is remembered about one session at one step: only earliest and latest times, which do not depend on the order in which
 * events arrive.
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
