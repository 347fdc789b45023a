import { type Failure, fail, type Result, succeed } from '../../../base/failure.ts';
import { maxOf, minOf, type NanoUsd } from '../../../base/money.ts';
import { absentColumns } from '../../columns.ts';
import { type CapRow, type ChargeRow, chargeTable, type NewChargeRow, type WalletRow } from '../../tables.ts';
import type { SpendingCap } from '../ledger.ts';
import type { ExtendOperation, HoldDecision, HoldOperation, Outcomes } from '../operation.ts';
import { freeOf, type GroupState, pairKey, walletOf } from './group-state.ts';
import { fingerprintOf, takeKey } from './keys.ts';
import { receiptOf } from './receipt.ts';

/** When to retry after being refused because of requests in flight, which hold the credit or the key. */
const retryAfterMs = 1_000;

/** Admits a request, or says why not. Checks in this order: the credential, the idempotency key, the funds, the caps. */
export function decideHold(operation: HoldOperation, state: GroupState): Result<HoldDecision> {
  const { request, walletId, chargeId } = operation;
  const own = state.charges.get(chargeId);
  if (own) return held(own, state);
  const refused = checkCredentials(operation, state);
  if (refused) return fail(refused);
  const replayed = findReplay(operation, state);
  if (replayed) return replayed;
  const wallet = walletOf(state, walletId);
  const caps = (request.caps ?? []).map((cap) => ({ ...cap, row: capOf(state, walletId, cap) }));
  const amount = affordable(wallet, caps, { asked: request.ceiling, minimum: request.minimum });
  if (!amount.ok) return amount;

  reserve(wallet, caps, amount.value);
  wallet.charges += 1n;
  const key = request.idempotency && takeKey(state, request.idempotency, { walletId, chargeId });
  const row = newCharge(operation, { hold: amount.value, fence: key?.fence }, state);
  state.charges.add(chargeId, row);
  state.newCharges.push(row);
  for (const { owner, row: cap } of caps) {
    if (!state.caps.get(owner)) state.caps.add(owner, cap);
    state.newChargeCaps.push({ walletId, chargeId, owner });
  }
  for (const [name, value] of Object.entries(request.metadata ?? {}))
    state.newMetadata.push({ walletId, chargeId, name, value });
  return held(row, state);
}

/** A hold as it is now; a group whose answer was lost may have committed it before, and it may have ended since. */
function held(charge: ChargeRow, state: GroupState): Result<HoldDecision & { kind: 'held' }> {
  if (charge.state !== 'held') return fail({ kind: 'ledger_unavailable', retryAfterMs });
  const { posted } = walletOf(state, charge.walletId);
  const expiresAtUs = charge.expiresAtUs ?? state.nowUs;
  return succeed({ kind: 'held', amount: charge.hold, balance: posted, expiresAtUs });
}

const nothingUsed = absentColumns(chargeTable);

function newCharge(
  operation: HoldOperation,
  { hold, fence }: { hold: NanoUsd; fence: bigint | undefined },
  { nowUs, nodeId }: GroupState,
): NewChargeRow {
  const { walletId, chargeId, request } = operation;
  return {
    ...nothingUsed,
    walletId,
    id: chargeId,
    state: 'held',
    hold,
    owed: 0n,
    reversed: 0n,
    progressCost: 0n,
    provider: request.provider,
    model: request.model,
    providerKeyId: request.providerKeyId,
    estimated: false,
    expiresAtUs: nowUs + BigInt(operation.ttlMs) * 1_000n,
    keyId: request.keyId,
    keyVersion: request.keyVersion,
    tokenId: request.tokenId,
    subject: request.subject,
    deviceId: request.deviceId,
    operation: request.operation,
    priceVersion: request.priceVersion,
    nodeId,
    caps: request.caps?.length ?? 0,
    requestId: request.requestId,
    idempotencyScope: request.idempotency?.scope,
    idempotencyKey: request.idempotency?.key,
    idempotencyFingerprint: request.idempotency && fingerprintOf(request.idempotency.fingerprint),
    idempotencyFence: fence,
    createdAtUs: nowUs,
  };
}

/** Extends an open hold towards a total, as far as there is credit, and renews it. */
export function decideExtend(operation: ExtendOperation, state: GroupState): Outcomes['extend'] {
  const charge = state.charges.get(operation.chargeId);
  if (charge?.state !== 'held') return fail({ kind: 'precondition_failed', description: 'The hold has ended.' });
  const wallet = walletOf(state, operation.walletId);
  // A cap may have been lowered since, and another token of the same end user may have brought a larger one.
  const caps = operation.caps.flatMap(({ owner, limit }) => {
    const row = state.caps.get(owner);
    return row ? [{ owner, limit: minOf(limit, row.limit), row }] : [];
  });
  const asked = operation.total - charge.hold;
  if (asked > 0n) {
    const amount = affordable(wallet, caps, { asked, minimum: maxOf(operation.minimum - charge.hold, 0n) });
    // On a repeated request, it may already have grown to all that it needs.
    if (!amount.ok && charge.hold < operation.minimum) return amount;
    if (amount.ok) {
      reserve(wallet, caps, amount.value);
      charge.hold += amount.value;
    }
  }
  charge.expiresAtUs = renewed(charge, operation.ttlMs, state);
  return held(charge, state);
}

/** A renewal never shortens a hold. */
export function renewed({ expiresAtUs = 0n }: ChargeRow, ttlMs: number, { nowUs }: GroupState): bigint {
  return maxOf(expiresAtUs, nowUs + BigInt(ttlMs) * 1_000n);
}

function checkCredentials({ request }: HoldOperation, state: GroupState): Failure | undefined {
  const nowMs = state.nowUs / 1_000n;
  const key = state.credentials.get(request.keyId);
  if (key?.accountId !== request.accountId) return { kind: 'credential_invalid' };
  if (key.state !== 'active') return { kind: 'key_revoked' };
  if (key.expiresAtMs !== undefined && key.expiresAtMs <= nowMs) return { kind: 'credential_invalid' };
  const overlaps = key.leastVersionFromMs !== undefined && key.leastVersionFromMs > nowMs;
  if (BigInt(request.keyVersion) < key.leastVersion && !overlaps) return { kind: 'credential_invalid' };
  for (const id of [request.tokenId, request.deviceId])
    if (id !== undefined && state.credentials.get(id)?.state === 'revoked') return { kind: 'token_expired' };
  return undefined;
}

function findReplay({ request, walletId }: HoldOperation, state: GroupState): Result<HoldDecision> | undefined {
  if (!request.idempotency) return undefined;
  const { scope, key, fingerprint } = request.idempotency;
  const row = state.idempotency.get(pairKey(scope, key));
  if (!row) return undefined;
  const charge = state.charges.get(row.chargeId);
  if (!charge) throw new Error(`The charge ${row.chargeId} of an idempotency key does not exist.`);
  const isFree = row.capturedChargeId === undefined && charge.state !== 'held';
  if (isFree && row.walletId === walletId) return undefined;
  if (row.fingerprint !== fingerprintOf(fingerprint) || row.walletId !== walletId)
    return fail({ kind: 'idempotency_mismatch' });
  if (charge.state === 'held') return fail({ kind: 'idempotency_in_flight', chargeId: charge.id, retryAfterMs });
  const caps = (request.caps ?? []).map(({ owner }) => owner);
  return succeed({ kind: 'replayed', receipt: receiptOf(state, charge, caps) });
}

/** As much of the requested amount as the wallet and every cap allow, or a failure if that is below the minimum. */
function affordable(
  wallet: WalletRow,
  caps: readonly Cap[],
  { asked, minimum }: { asked: NanoUsd; minimum: NanoUsd },
): Result<NanoUsd> {
  const { posted, held } = wallet;
  const blocked = wallet.owed > 0n || wallet.openDisputes > 0n;
  let amount = minOf(asked, freeOf(wallet));
  if (blocked || amount < minimum)
    return fail({
      kind: 'insufficient_credit',
      balance: posted,
      held,
      needed: minimum,
      ...(!blocked && posted >= minimum && { retryAfterMs }),
    });
  for (const cap of caps) {
    const { held: capHeld, spent } = cap.row;
    const room = cap.limit - capHeld - spent;
    if (room < minimum)
      return fail({
        kind: 'spending_cap_reached',
        owner: cap.owner.split(':', 1)[0] ?? cap.owner,
        limit: cap.limit,
        spent,
        held: capHeld,
        needed: minimum,
      });
    amount = minOf(amount, room);
  }
  return succeed(amount < 0n ? 0n : amount);
}

function reserve(wallet: WalletRow, caps: readonly Cap[], amount: NanoUsd): void {
  wallet.held += amount;
  for (const { row } of caps) row.held += amount;
}

/** A cap as the request states it, and what has been counted against it. */
interface Cap extends SpendingCap {
  row: CapRow;
}

function capOf(state: GroupState, walletId: string, { owner, limit }: SpendingCap): CapRow {
  const cap = state.caps.get(owner) ?? { owner, walletId, limit, held: 0n, spent: 0n };
  if (cap.walletId !== walletId) throw new Error('A spending cap belongs to one wallet; its owner names another.');
  // The caller has the latest limit: its credential's limit may have changed since. Even if the request is refused, what runs is
  // not extended beyond it.
  cap.limit = limit;
  return cap;
}
