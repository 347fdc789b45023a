import { decideCharge } from './decide-charge.ts';
import { decideAdjust, decideConclude, decideCredit, decideRepay, decideReverse } from './decide-credit.ts';
import { decideExpire, decideProgress, decideRelease, decideSettle } from './decide-end.ts';
import { decideExtend, decideHold } from './decide-hold.ts';
import type { GroupState } from './group-state.ts';
import type { Operation, Outcome } from './operation.ts';

/**
 * Decides one operation against the locked rows and changes them in memory. Refusals are values. It throws only for
 * what can't be (a bug, or a restored backup that lacks a row); the group then runs again without this operation.
 */
export function decide(operation: Operation, state: GroupState): Outcome {
  switch (operation.type) {
    case 'hold':
      return decideHold(operation, state);
    case 'charge':
      return decideCharge(operation, state);
    case 'extend':
      return decideExtend(operation, state);
    case 'progress':
      return decideProgress(operation, state);
    case 'settle':
      return decideSettle(operation, state);
    case 'release':
      return decideRelease(operation, state);
    case 'expire':
      return decideExpire(operation, state);
    case 'credit':
      return decideCredit(operation, state);
    case 'reverse':
      return decideReverse(operation, state);
    case 'conclude':
      return decideConclude(operation, state);
    case 'repay':
      return decideRepay(operation, state);
    case 'adjust':
      return decideAdjust(operation, state);
  }
}
