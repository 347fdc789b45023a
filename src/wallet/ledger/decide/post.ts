import type { NanoUsd } from '../../../base/money.ts';
import type { SourceType } from '../../tables.ts';
import type { EntryKind } from '../../wallets/wallets.ts';
import { type GroupState, walletOf } from './group-state.ts';

/** One movement: positive adds to the wallet from `account`, negative takes from the wallet to `account`. */
export interface Movement {
  kind: EntryKind;
  amount: NanoUsd;
  account: string;
  sourceType: SourceType;
  sourceId: string;
  step: string;
}

/** Adds an immutable posting and moves the balance with it. The only place where a balance changes. */
export function post(state: GroupState, walletId: string, movement: Movement): void {
  const wallet = walletOf(state, walletId);
  const { kind, amount, account, sourceType, sourceId, step } = movement;
  const isSummed = wallet.summed === wallet.seq;
  wallet.posted += amount;
  wallet.seq += 1n;
  // Behind a gap, it waits to be summed with what is before it.
  if (isSummed) wallet.summed = wallet.seq;
  if (amount === 0n || wallet.posted < 0n) throw new Error(`A posting of ${amount} is not possible.`);
  state.newPostings.push({
    walletId,
    seq: wallet.seq,
    kind,
    debitAccount: amount > 0n ? account : 'wallet',
    creditAccount: amount > 0n ? 'wallet' : account,
    amount: amount > 0n ? amount : -amount,
    balanceAfter: wallet.posted,
    sourceType,
    sourceId,
    step,
    createdAtUs: state.nowUs,
  });
}
