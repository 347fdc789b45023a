import { maxOf } from '../../../base/money.ts';
import { isOwnCap } from '../../payer.ts';
import type { ChargeRow } from '../../tables.ts';
import type { Receipt } from '../ledger.ts';
import { type GroupState, walletOf } from './group-state.ts';

/** The receipt of an ended charge, with what the wallet and the end user's own cap (one of `capOwners`) have left now. */
export function receiptOf(state: GroupState, charge: ChargeRow, capOwners: readonly string[]): Receipt {
  if (charge.state === 'held') throw new Error('A charge that is still held has no receipt.');
  const { posted } = walletOf(state, charge.walletId);
  const own = capOwners.find(isOwnCap);
  const cap = own === undefined ? undefined : state.caps.get(own);
  return {
    chargeId: charge.id,
    state: charge.state,
    charged: charge.settled ?? 0n,
    owed: charge.owed,
    balance: posted,
    ...(cap && { capLeft: maxOf(cap.limit - cap.spent, 0n) }),
  };
}
