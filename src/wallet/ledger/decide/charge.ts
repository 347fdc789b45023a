import { succeed } from '../../../base/failure.ts';
import { maxOf, minOf } from '../../../base/money.ts';
import type { ChargeOperation, Outcomes } from '../operation.ts';
import type { GroupState } from './group-state.ts';
import { decideHold } from './hold.ts';
import { receiptOf } from './receipt.ts';
import { decideSettle } from './settle.ts';

/** Admits and charges a request that is already done, by the rules of both steps. A refusal leaves nothing behind. */
export function decideCharge({ hold, settlement }: ChargeOperation, state: GroupState): Outcomes['charge'] {
  const own = state.charges.get(hold.chargeId);
  if (own && own.state !== 'held') return succeed({ receipt: receiptOf(state, own, settlement.capOwners) });
  // The work can no longer be cut short, so it must not be paid with less than it cost.
  const minimum = maxOf(hold.request.minimum, minOf(settlement.cost, hold.request.ceiling));
  const held = decideHold({ ...hold, request: { ...hold.request, minimum } }, state);
  if (!held.ok) return held;
  return succeed({ receipt: held.value.kind === 'replayed' ? held.value.receipt : decideSettle(settlement, state) });
}
