import { maxOf, minOf, type NanoUsd } from '../../../base/money.ts';
import type { CapRow, ChargeRow } from '../../tables.ts';
import type { Receipt, Usage } from '../ledger.ts';
import type {
  ChargeReference,
  ExpireOperation,
  ProgressOperation,
  ReleaseOperation,
  SettleOperation,
} from '../operation.ts';
import { debtReference, freeOf, type GroupState, pairKey, walletOf } from './group-state.ts';
import { renewed } from './hold.ts';
import { captureKey, freeKey, isSuperseded } from './keys.ts';
import { post, revenue } from './post.ts';
import { receiptOf } from './receipt.ts';

/**
 * Charges what a request cost, exactly once, whatever arrives twice or late. If its hold is gone or was granted only in part,
 * free credit pays: all that is missing, or, if the work was already delivered, as much as there is, and the rest is owed. If
 * that cannot pay for work that nobody has seen, nothing is charged. A spending cap is never passed: what it has no room for by
 * then is not charged.
 */
export function decideSettle(operation: SettleOperation, state: GroupState): Receipt {
  const charge = chargeOf(state, operation);
  if (charge.state === 'held') settleOpen(operation, state, charge);
  else if (charge.state === 'expired') settleLate(operation, state, charge);
  return receiptOf(state, charge, operation.capOwners);
}

function settleOpen(operation: SettleOperation, state: GroupState, charge: ChargeRow): void {
  const { cost, delivered } = operation;
  const payable = charge.hold + freeOf(walletOf(state, charge.walletId));
  if (cost > payable && !delivered) {
    endCharge(operation, state, charge, { end: 'released' });
    return;
  }
  const captured = minOf(cost, payable);
  describeUse(charge, operation);
  endCharge(operation, state, charge, { end: 'settled', captured, owed: cost - captured });
  conclude(operation, state, charge, cost - captured);
}

function settleLate(operation: SettleOperation, state: GroupState, charge: ChargeRow): void {
  if (isSuperseded(operation, state)) {
    charge.state = 'superseded';
    return;
  }
  const { cost, delivered } = operation;
  const before = charge.settled ?? 0n;
  // Negative if the expiry took more than the actual cost. What was given back by hand since is not given back again.
  const unpaid = maxOf(cost, charge.reversed) - before;
  const missing = withinCaps(operation, state, unpaid);
  const captured = minOf(missing, freeOf(walletOf(state, charge.walletId)));
  if (captured < unpaid && !delivered) {
    giveUp(operation, state, charge);
    return;
  }
  if (captured !== 0n) capture(state, charge, captured, captured < 0n ? 'excess' : before > 0n ? 'rest' : 'late');
  countCaps(operation, state, { released: 0n, spent: missing });
  describeUse(charge, operation);
  charge.state = 'settled';
  charge.settled = before + captured;
  conclude(operation, state, charge, missing - captured);
}

/** As much of an amount as the caps still have room for: the expiry gave theirs back, and others may have spent it since. */
function withinCaps({ capOwners }: ChargeReference, state: GroupState, amount: NanoUsd): NanoUsd {
  let most = amount;
  for (const owner of capOwners) {
    const { limit, held, spent } = capOf(state, owner);
    most = minOf(most, maxOf(limit - held - spent, 0n));
  }
  return most;
}

/** Charges nothing for work that can't be paid and that nobody has seen: what the expiry took goes back, unless it was given back by hand. */
function giveUp(operation: SettleOperation, state: GroupState, charge: ChargeRow): void {
  const { settled = 0n, reversed } = charge;
  const rest = settled - reversed;
  if (rest === 0n) return;
  capture(state, charge, -rest, 'excess');
  countCaps(operation, state, { released: 0n, spent: -rest });
  charge.settled = reversed;
  // One with a correction by hand keeps its state, in which that can be seen.
  if (reversed === 0n) charge.state = 'released';
}

/** Concludes a payment: its key is taken forever, its reply and evidence are kept, and what could not be collected is owed. */
function conclude(operation: SettleOperation, state: GroupState, charge: ChargeRow, owed: NanoUsd): void {
  charge.hold = maxOf(charge.hold, (charge.settled ?? 0n) + owed);
  captureKey(operation, state, charge);
  keepReply(operation, state);
  keepEvidence(operation, state);
  if (owed === 0n) return;
  charge.owed = owed;
  walletOf(state, charge.walletId).owed += owed;
  state.receivables.add(pairKey(charge.id, debtReference), {
    sourceId: charge.id,
    reference: debtReference,
    walletId: charge.walletId,
    kind: 'usage',
    state: 'final',
    amount: owed,
    taken: 0n,
    owed,
    repayments: 0n,
    counterAccount: revenue,
    createdAtUs: state.nowUs,
  });
}

/** A later report states more; if two reports arrive out of order, the one further along counts. */
export function decideProgress(operation: ProgressOperation, state: GroupState): undefined {
  const charge = chargeOf(state, operation);
  if (charge.state !== 'held') return;
  const cost = minOf(charge.hold, operation.cost);
  if (cost >= charge.progressCost) {
    charge.progressCost = cost;
    stateUsage(charge, operation.usage);
    stateRoute(charge, operation);
  }
  charge.expiresAtUs = renewed(charge, operation.ttlMs, state);
}

export function decideRelease(operation: ReleaseOperation, state: GroupState): undefined {
  if (operation.mayBeAbsent && !state.charges.get(operation.chargeId)) return;
  const charge = chargeOf(state, operation);
  if (charge.state === 'held') endCharge(operation, state, charge, { end: 'released' });
}

/**
 * Only database time decides, under the wallet's lock: the owner may have renewed or settled in the meantime. An unfinished
 * request is charged what was recorded, unless a retry with its idempotency key can still come: then only the retry pays.
 */
export function decideExpire(operation: ExpireOperation, state: GroupState): undefined {
  const charge = chargeOf(state, operation);
  if (charge.state !== 'held' || charge.expiresAtUs === undefined || charge.expiresAtUs > state.nowUs) return;
  endCharge(operation, state, charge, { end: 'expired', captured: operation.idempotency ? 0n : charge.progressCost });
}

function endCharge(
  reference: ChargeReference,
  state: GroupState,
  charge: ChargeRow,
  { end, captured = 0n, owed = 0n }: { end: 'settled' | 'released' | 'expired'; captured?: NanoUsd; owed?: NanoUsd },
): void {
  walletOf(state, charge.walletId).held -= charge.hold;
  countCaps(reference, state, { released: charge.hold, spent: captured + owed });
  if (captured > 0n) capture(state, charge, captured, end === 'expired' ? 'expiry' : 'capture');
  charge.state = end;
  charge.settled = captured;
  charge.expiresAtUs = undefined;
  charge.endedAtUs = state.nowUs;
  if (end === 'released') freeKey(reference, state);
}

/** When a charge is paid: at its end, or at its expiry with the `rest` afterwards, or all of it `late`. */
type CaptureStep = 'capture' | 'expiry' | 'late' | 'rest' | 'excess';

function capture(state: GroupState, charge: ChargeRow, amount: NanoUsd, step: CaptureStep): void {
  post(state, charge.walletId, {
    kind: 'usage',
    amount: -amount,
    account: revenue,
    sourceType: 'charge',
    sourceId: charge.id,
    step,
  });
}

function countCaps(
  { capOwners }: ChargeReference,
  state: GroupState,
  { released, spent }: { released: NanoUsd; spent: NanoUsd },
): void {
  for (const owner of capOwners) {
    const cap = capOf(state, owner);
    cap.held -= released;
    cap.spent += spent;
  }
}

function capOf(state: GroupState, owner: string): CapRow {
  const cap = state.caps.get(owner);
  if (!cap) throw new Error('The spending cap of a charge is gone.');
  return cap;
}

function describeUse(charge: ChargeRow, operation: SettleOperation): void {
  stateUsage(charge, operation.usage);
  Object.assign(charge, operation.outcome);
  stateRoute(charge, operation);
}

function stateRoute(charge: ChargeRow, { provider, model, providerKeyId }: SettleOperation | ProgressOperation): void {
  if (provider !== undefined) {
    charge.provider = provider;
    charge.providerKeyId = providerKeyId;
  } else if (providerKeyId !== undefined) charge.providerKeyId = providerKeyId;
  if (model !== undefined) charge.model = model;
}

// An unknown count keeps the one recorded before.
function stateUsage(charge: ChargeRow, { estimated = false, ...counts }: Usage): void {
  for (const name in counts) {
    const count = counts[name as keyof typeof counts];
    if (count !== undefined) charge[name as keyof typeof counts] = count;
  }
  charge.estimated = estimated;
}

function keepReply({ idempotency, sealedReply, replyTtlMs, chargeId }: SettleOperation, state: GroupState): void {
  if (!idempotency || !sealedReply) return;
  const sealed = Buffer.from(sealedReply.buffer, sealedReply.byteOffset, sealedReply.byteLength).toString('hex');
  state.newReplies.push({ chargeId, sealed, expiresAtUs: state.nowUs + BigInt(replyTtlMs) * 1_000n });
}

function keepEvidence({ evidence, walletId, chargeId }: SettleOperation, state: GroupState): void {
  if (evidence === undefined) return;
  state.newEvidence.push({ walletId, chargeId, content: evidence, createdAtUs: state.nowUs });
}

function chargeOf(state: GroupState, { chargeId, walletId }: ChargeReference): ChargeRow {
  const charge = state.charges.get(chargeId);
  if (charge?.walletId !== walletId) throw new Error(`The charge ${chargeId} does not exist in its wallet.`);
  return charge;
}
