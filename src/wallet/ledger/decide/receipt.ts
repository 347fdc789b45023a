import type { ChargeRow } from '../../tables.ts';
import type { Receipt } from '../ledger.ts';
import { type GroupState, walletOf } from './group-state.ts';

/** What a charge that has ended says of itself, with the wallet's balance of now. */
export function receiptOf(state: GroupState, charge: ChargeRow): Receipt {
  if (charge.state === 'held') throw new Error('A charge that is still held has no receipt.');
  const { posted } = walletOf(state, charge.walletId);
  return {
    chargeId: charge.id,
    state: charge.state,
    charged: charge.settled ?? 0n,
    owed: charge.owed,
    balance: posted,
  };
}
