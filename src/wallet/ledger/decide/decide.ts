import type { Operation, Outcome, Outcomes } from '../operation.ts';
import { decideCharge } from './charge.ts';
import type { GroupState } from './group-state.ts';
import { decideExtend, decideHold } from './hold.ts';
import { decideExpire, decideProgress, decideRelease, decideSettle } from './settle.ts';
import { decideAdjust, decideConclude, decideCredit, decideRepay, decideReverse } from './top-up.ts';

type Deciders = {
  [Type in Operation['type']]: (operation: Extract<Operation, { type: Type }>, state: GroupState) => Outcomes[Type];
};

const deciders: Deciders = {
  hold: decideHold,
  charge: decideCharge,
  extend: decideExtend,
  progress: decideProgress,
  settle: decideSettle,
  release: decideRelease,
  expire: decideExpire,
  credit: decideCredit,
  reverse: decideReverse,
  conclude: decideConclude,
  repay: decideRepay,
  adjust: decideAdjust,
};

/**
 * Decides one operation against the locked rows and changes them in memory. Refusals are values. It throws only for impossible
 * states (a bug, or a restored backup that lacks a row); the group then runs again without this operation.
 */
export function decide(operation: Operation, state: GroupState): Outcome {
  return (deciders[operation.type] as (operation: Operation, state: GroupState) => Outcome)(operation, state);
}
