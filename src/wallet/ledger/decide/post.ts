import type { NanoUsd } from '../../../base/money.ts';
import type { SourceType } from '../../tables.ts';
import type { EntryKind } from '../../wallets/wallets.ts';
import { type GroupState, walletOf } from './group-state.ts';

/** One movement: a positive amount goes from `account` to the wallet, a negative one from the wallet to `account`. */
export interface Movement {
  kind: EntryKind;
  amount: NanoUsd;
  account: string;
  sourceType: SourceType;
  sourceId: string;
  step: string;
}

/** Where everything that is paid for use goes. */
export const revenue = 'revenue';

/** What a group's postings took for use: at the end of charges, later, and of debts. What they gave back is not subtracted. */
export function collectedBy({ newPostings }: GroupState): NanoUsd {
  return newPostings.reduce((sum, { creditAccount, amount }) => (creditAccount === revenue ? sum + amount : sum), 0n);
}

/** Adds an immutable posting and updates the balance with it. This is the only place where a balance changes. */
export function post(state: GroupState, walletId: string, movement: Movement): void {
  const wallet = walletOf(state, walletId);
  const { kind, amount, account, sourceType, sourceId, step } = movement;
  const isSummed = wallet.summed === wallet.seq;
  wallet.posted += amount;
  wallet.seq += 1n;
  // Behind a gap, it waits to be summed with the postings before it.
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
