import { succeed } from '../base/failure.ts';
import { maxOf, minOf } from '../base/money.ts';
import { decideSettle } from './decide-end.ts';
import { decideHold } from './decide-hold.ts';
import type { GroupState } from './group-state.ts';
import type { ChargeOperation, Outcomes } from './operation.ts';

/** Admits a request that is done already and charges it, by the rules of both steps. A refusal leaves nothing behind. */
export function decideCharge({ hold, settlement }: ChargeOperation, state: GroupState): Outcomes['charge'] {
  const { request } = hold;
  // The work can't be made shorter any more: less than it cost must not pay for it.
  const minimum = maxOf(request.minimum, minOf(settlement.cost, request.ceiling));
  const held = decideHold({ ...hold, request: { ...request, minimum } }, state);
  if (!held.ok) return held;
  if (held.value.kind === 'replayed') return succeed({ hold: held.value, receipt: held.value.receipt });
  return succeed({ hold: held.value, receipt: decideSettle(settlement, state) });
}
