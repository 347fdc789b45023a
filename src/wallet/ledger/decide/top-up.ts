import type { AuditEvent } from '../../../base/audit-event.ts';
import { fail, type Result, succeed } from '../../../base/failure.ts';
import { formatUsd, minOf, type NanoUsd } from '../../../base/money.ts';
import type { ReceivableRow, TopUpRow, WalletRow } from '../../tables.ts';
import type {
  AdjustOperation,
  ConcludeOperation,
  CreditOperation,
  Outcomes,
  RepayOperation,
  ReverseOperation,
} from '../operation.ts';
import { debtReference, freeOf, type GroupState, pairKey, walletOf } from './group-state.ts';
import { post } from './post.ts';

/** Far below the BIGINT limit, so that no sum of a few amounts exceeds it. */
const balanceMax = 4_000_000_000_000_000_000n;

/** Credits a payment that has arrived, once, even if its top-up was given up before. */
export function decideCredit({ walletId, topUpId, event }: CreditOperation, state: GroupState): Result<undefined> {
  const topUp = topUpOf(state, topUpId);
  const wallet = walletOf(state, walletId);
  if (topUp.state === 'paid') return succeed(undefined);
  if (wallet.posted + topUp.amount > balanceMax) return fullWallet();
  topUp.state = 'paid';
  topUp.paidAtUs ??= state.nowUs;
  post(state, walletId, {
    kind: 'top_up',
    amount: topUp.amount,
    account: accountOf(topUp),
    sourceType: 'top_up',
    sourceId: topUpId,
    step: 'credit',
  });
  if (event) record(state, event);
  return succeed(undefined);
}

/**
 * Takes a payment back, once per reference: whatever credit is there and not held; the rest is owed. A dispute covers the whole
 * payment, even if part of it was already refunded, and a refund may be rounded up or include unreported tax: they take what is
 * left. While a dispute is open, which may be won and leave more, a refund takes its full amount or waits.
 */
export function decideReverse(operation: ReverseOperation, state: GroupState): Result<undefined> {
  const { walletId, topUpId, kind, reference } = operation;
  const topUp = topUpOf(state, topUpId);
  const wallet = walletOf(state, walletId);
  const key = pairKey(topUpId, reference);
  if (state.receivables.get(key)) return succeed(undefined);
  if (topUp.state !== 'paid') return failed('The top-up is not paid, so nothing can be taken back.');
  const left = topUp.amount - topUp.reversed;
  const amount = kind === 'refund' && wallet.openDisputes > 0n ? operation.amount : minOf(operation.amount, left);
  if (amount <= 0n || amount > left) return failed('Refunds and disputes together never exceed the payment.');
  const taken = minOf(amount, freeOf(wallet));
  topUp.reversed += amount;
  wallet.owed += amount - taken;
  wallet.openDisputes += kind === 'dispute' ? 1n : 0n;
  const row: ReceivableRow = {
    sourceId: topUpId,
    reference,
    walletId,
    kind,
    state: kind === 'dispute' ? 'open' : 'final',
    amount,
    taken,
    owed: amount - taken,
    repayments: 0n,
    counterAccount: accountOf(topUp),
    createdAtUs: state.nowUs,
  };
  state.receivables.add(key, row);
  if (taken > 0n) move(state, row, -taken, `take:${reference}`);
  return succeed(undefined);
}

/**
 * Ends a dispute. If won, what was taken comes back and what is owed is forgiven, once; this also applies when a refund has
 * failed, and when a lost dispute was won on appeal.
 */
export function decideConclude(operation: ConcludeOperation, state: GroupState): Result<undefined> {
  const { walletId, topUpId, reference, outcome } = operation;
  const row = state.receivables.get(pairKey(topUpId, reference));
  if (!row) return fail({ kind: 'not_found', resource: 'dispute' });
  if (row.state === 'restored' || (row.state === 'final' && outcome === 'lost')) return succeed(undefined);
  const wallet = walletOf(state, walletId);
  wallet.openDisputes -= row.state === 'open' ? 1n : 0n;
  row.state = outcome === 'won' ? 'restored' : 'final';
  if (outcome === 'lost') return succeed(undefined);
  const topUp = topUpOf(state, topUpId);
  const { taken } = row;
  topUp.reversed -= row.amount;
  wallet.owed -= row.owed;
  row.taken = 0n;
  row.owed = 0n;
  // Posted as a dispute even if it was a refund.
  if (taken > 0n) move(state, { ...row, kind: 'dispute' }, taken, `restore:${reference}`);
  return succeed(undefined);
}

/** Repays debts from free credit, oldest first. */
export function decideRepay({ walletId }: RepayOperation, state: GroupState): undefined {
  const wallet = walletOf(state, walletId);
  for (const row of state.receivables.values()) {
    const amount = minOf(row.owed, freeOf(wallet));
    if (row.walletId === walletId && amount > 0n) repay(state, wallet, row, amount);
  }
}

function repay(state: GroupState, wallet: WalletRow, row: ReceivableRow, amount: NanoUsd): void {
  row.owed -= amount;
  row.taken += amount;
  row.repayments += 1n;
  wallet.owed -= amount;
  move(state, row, -amount, `repay:${row.reference}:${row.repayments}`);
}

/** A correction by the operator, once per idempotency key. */
export function decideAdjust(operation: AdjustOperation, state: GroupState): Outcomes['adjust'] {
  const { walletId, adjustmentId, amount, chargeId, idempotencyKey, reason } = operation;
  const wallet = walletOf(state, walletId);
  const known = state.adjustments.get(pairKey(walletId, idempotencyKey));
  if (known) {
    // One key identifies one correction: as much for another reason is a different one and must not be dropped.
    const isOther = known.amount !== amount || known.chargeId !== chargeId || known.reason !== reason;
    if (isOther) return fail({ kind: 'idempotency_mismatch' });
    return succeed({ adjustmentId: known.id, balance: wallet.posted });
  }
  if (wallet.posted + amount > balanceMax) return fullWallet();
  if (amount < 0n && freeOf(wallet) < -amount)
    return fail({ kind: 'insufficient_credit', balance: wallet.posted, held: wallet.held, needed: -amount });
  if (chargeId !== undefined) {
    const charge = state.charges.get(chargeId);
    if (charge?.walletId !== walletId) return fail({ kind: 'not_found', resource: 'charge' });
    // What was owed for it at its end may have been repaid since.
    const repaid = state.receivables.get(pairKey(chargeId, debtReference))?.taken ?? 0n;
    const left = (charge.settled ?? 0n) + repaid - charge.reversed;
    if (amount > left)
      return failed(
        `No more can be given back than was paid for the charge and not given back yet: ${formatUsd(left)} USD.`,
      );
    charge.reversed += amount;
  }
  const { actor } = operation;
  const row = { id: adjustmentId, walletId, amount, reason, actor, idempotencyKey, chargeId, createdAtUs: state.nowUs };
  state.adjustments.add(pairKey(walletId, idempotencyKey), row);
  post(state, walletId, {
    kind: 'adjustment',
    amount,
    account: 'adjustments',
    sourceType: 'adjustment',
    sourceId: adjustmentId,
    step: 'apply',
  });
  if (operation.event) record(state, operation.event);
  return succeed({ adjustmentId, balance: wallet.posted });
}

/** Posts a movement for a wallet's current or past debt: taken from the wallet, or given back. */
function move(state: GroupState, row: ReceivableRow, amount: NanoUsd, step: string): void {
  const { walletId, kind, sourceId, counterAccount: account } = row;
  post(state, walletId, { kind, amount, account, sourceType: kind === 'usage' ? 'charge' : kind, sourceId, step });
}

/** Records what an operator did, in the transaction that does it. */
function record(state: GroupState, { eventId, details, accountId, ...event }: AuditEvent): void {
  const row = { id: eventId, accountId, details: JSON.stringify(details), createdAtUs: state.nowUs };
  state.newAuditEvents.push({ ...event, ...row });
}

/** The account that a provider's payments come from and refunds go to. */
function accountOf({ provider }: TopUpRow): string {
  return `payments:${provider}`;
}

function topUpOf(state: GroupState, topUpId: string): TopUpRow {
  const topUp = state.topUps.get(topUpId);
  if (!topUp) throw new Error(`The top-up ${topUpId} does not exist.`);
  return topUp;
}

function failed(description: string): Result<never> {
  return fail({ kind: 'precondition_failed', description });
}

function fullWallet(): Result<never> {
  return failed('The wallet cannot hold more credit.');
}
