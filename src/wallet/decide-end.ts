import { maxOf, minOf, type NanoUsd } from '../base/money.ts';
import { type ChargeRow, type GroupState, pairKey, walletOf } from './group-state.ts';
import type { Receipt } from './ledger.ts';
import type {
  ChargeReference,
  ExpireOperation,
  ProgressOperation,
  ReleaseOperation,
  SettleOperation,
} from './operation.ts';
import { post } from './post.ts';

/** Charges what the request cost, at most what was held; exactly once, whatever comes twice or late. */
export function decideSettle(operation: SettleOperation, state: GroupState): Receipt {
  const charge = chargeOf(state, operation);
  if (charge.state === 'held') {
    describeUse(charge, operation);
    endCharge(operation, state, charge, { end: 'settled', captured: minOf(operation.cost, charge.hold) });
    keepReply(operation, state);
  } else if (charge.state === 'expired') settleLate(operation, state, charge);
  return receiptOf(state, charge);
}

export function decideProgress(operation: ProgressOperation, state: GroupState): undefined {
  const charge = chargeOf(state, operation);
  if (charge.state !== 'held') return;
  // Never backwards: two reports may overtake each other.
  charge.progressCost = minOf(charge.hold, maxOf(charge.progressCost, operation.cost));
  charge.usage = operation.usage;
  charge.expiresAtUs = state.nowUs + BigInt(operation.ttlMs) * 1_000n;
  charge.changed = true;
  charge.changedMore = true;
}

export function decideRelease(operation: ReleaseOperation, state: GroupState): undefined {
  const charge = chargeOf(state, operation);
  if (charge.state !== 'held') return;
  endCharge(operation, state, charge, { end: 'released', captured: 0n });
  freeKey(operation, state);
}

/** Only database time decides, under the wallet's lock: the owner may have renewed or settled meanwhile. */
export function decideExpire(operation: ExpireOperation, state: GroupState): undefined {
  const charge = chargeOf(state, operation);
  if (charge.state !== 'held' || charge.expiresAtUs === undefined || charge.expiresAtUs > state.nowUs) return;
  endCharge(operation, state, charge, { end: 'expired', captured: charge.progressCost });
  freeKey(operation, state);
}

function endCharge(
  reference: ChargeReference,
  state: GroupState,
  charge: ChargeRow,
  { end, captured }: { end: 'settled' | 'released' | 'expired'; captured: NanoUsd },
): void {
  const wallet = walletOf(state, charge.walletId);
  wallet.held -= charge.hold;
  wallet.changed = true;
  countCaps(reference, state, { released: charge.hold, captured });
  if (captured > 0n) capture(state, charge, captured, 'capture');
  charge.state = end;
  charge.settled = captured;
  charge.expiresAtUs = undefined;
  charge.endedAtUs = state.nowUs;
  charge.changed = true;
  if (!reference.idempotency) return;
  const row = state.idempotency.get(pairKey(reference.idempotency.scope, reference.idempotency.key));
  if (row?.chargeId !== charge.id) return;
  row.chargeState = end;
  row.settled = captured;
}

// The hold is gone: hold again for what is still to pay, all of it or nothing, and capture that in the same step.
function settleLate(operation: SettleOperation, state: GroupState, charge: ChargeRow): void {
  const wallet = walletOf(state, charge.walletId);
  const captured = charge.settled ?? 0n;
  const missing = maxOf(0n, minOf(operation.cost, charge.hold) - captured);
  const available = wallet.posted - wallet.held;
  describeUse(charge, operation);
  charge.changed = true;
  charge.changedMore = true;
  if (missing > available) {
    charge.state = 'uncollected';
    charge.uncollected = missing;
    return;
  }
  if (missing > 0n) {
    capture(state, charge, missing, 'late');
    countCaps(operation, state, { released: 0n, captured: missing });
  }
  charge.state = 'settled';
  charge.settled = captured + missing;
}

function capture(state: GroupState, charge: ChargeRow, amount: NanoUsd, step: 'capture' | 'late'): void {
  post(state, charge.walletId, {
    kind: 'usage',
    amount: -amount,
    account: 'revenue',
    sourceType: 'charge',
    sourceId: charge.id,
    step,
  });
}

function countCaps(
  { capOwners }: ChargeReference,
  state: GroupState,
  { released, captured }: { released: NanoUsd; captured: NanoUsd },
): void {
  for (const owner of capOwners) {
    const cap = state.caps.get(owner);
    if (!cap) throw new Error('The spending cap of a charge is gone.');
    cap.held -= released;
    cap.spent += captured;
    cap.changed = true;
  }
}

function describeUse(charge: ChargeRow, { usage, provider, model }: SettleOperation): void {
  charge.usage = usage;
  charge.provider = provider;
  charge.model = model;
}

function keepReply({ idempotency, sealedReply, replyTtlMs, chargeId }: SettleOperation, state: GroupState): void {
  if (!idempotency || !sealedReply) return;
  state.newReplies.push({
    chargeId,
    sealed: sealedReply,
    expiresAtUs: state.nowUs + BigInt(replyTtlMs) * 1_000n,
  });
}

function freeKey({ idempotency, chargeId }: ChargeReference, state: GroupState): void {
  if (!idempotency) return;
  const { scope, key } = idempotency;
  state.freedKeys.push({ scope, key, chargeId });
  if (state.idempotency.get(pairKey(scope, key))?.chargeId === chargeId) state.idempotency.delete(pairKey(scope, key));
}

function receiptOf(state: GroupState, charge: ChargeRow): Receipt {
  const { posted } = walletOf(state, charge.walletId);
  if (charge.state === 'held') throw new Error('A settled charge is still held.');
  return { chargeId: charge.id, state: charge.state, charged: charge.settled ?? 0n, balance: posted };
}

function chargeOf(state: GroupState, { chargeId, walletId }: ChargeReference): ChargeRow {
  const charge = state.charges.get(chargeId);
  if (charge?.walletId !== walletId) throw new Error(`The charge ${chargeId} does not exist in its wallet.`);
  return charge;
}
