import { type Failure, fail, type Result, succeed } from '../base/failure.ts';
import { minOf, type NanoUsd } from '../base/money.ts';
import { type CapRow, type ChargeRow, type GroupState, pairKey, type WalletRow, walletOf } from './group-state.ts';
import type { SpendingCap } from './ledger.ts';
import type { ExtendOperation, HoldDecision, HoldOperation, Outcomes } from './operation.ts';

/** When to ask again for credit that is only held by requests in flight. */
const heldRetryAfterMs = 1_000;
const inFlightRetryAfterMs = 1_000;

/** Admits a request, or says why not. In this order: the credential, the idempotency key, the funds, the caps. */
export function decideHold(operation: HoldOperation, state: GroupState): Result<HoldDecision> {
  const { request, walletId, chargeId } = operation;
  const refused = checkCredentials(operation, state);
  if (refused) return fail(refused);
  const replayed = findReplay(operation, state);
  if (replayed) return replayed;
  const wallet = walletOf(state, walletId);
  const caps = (request.caps ?? []).map((cap) => capOf(state, walletId, cap));
  const amount = affordable(wallet, caps, { asked: request.ceiling, minimum: request.minimum });
  if (!amount.ok) return amount;

  const expiresAtUs = state.nowUs + BigInt(operation.ttlMs) * 1_000n;
  reserve(wallet, caps, amount.value);
  const row = newCharge(operation, amount.value, expiresAtUs);
  state.charges.set(chargeId, row);
  state.newCharges.push({ row, request });
  if (request.idempotency) {
    const { scope, key, fingerprint } = request.idempotency;
    state.idempotency.set(pairKey(scope, key), {
      scope,
      key,
      fingerprintHex: Buffer.from(fingerprint).toString('hex').padEnd(64, '0'),
      walletId,
      chargeId,
      chargeState: 'held',
      settled: 0n,
      added: true,
    });
  }
  return succeed({ kind: 'held', amount: amount.value, balance: wallet.posted, expiresAtUs });
}

/** The row of a hold that was just given. */
export function newCharge({ walletId, chargeId }: HoldOperation, hold: NanoUsd, expiresAtUs: bigint): ChargeRow {
  return {
    walletId,
    id: chargeId,
    state: 'held',
    stateBefore: 'held',
    hold,
    settled: undefined,
    uncollected: 0n,
    reversed: 0n,
    progressCost: 0n,
    expiresAtUs,
    endedAtUs: undefined,
    usage: undefined,
    provider: undefined,
    model: undefined,
    changed: false,
    changedMore: false,
    added: true,
  };
}

/** Adds to a hold that is still open. */
export function decideExtend(operation: ExtendOperation, state: GroupState): Outcomes['extend'] {
  const charge = state.charges.get(operation.chargeId);
  if (charge?.state !== 'held') return fail({ kind: 'precondition_failed', description: 'The hold has ended.' });
  const wallet = walletOf(state, operation.walletId);
  const caps = operation.capOwners.flatMap((owner) => state.caps.get(owner) ?? []);
  const amount = affordable(wallet, caps, { asked: operation.more, minimum: operation.minimum });
  if (!amount.ok) return amount;

  reserve(wallet, caps, amount.value);
  charge.hold += amount.value;
  charge.expiresAtUs = state.nowUs + BigInt(operation.ttlMs) * 1_000n;
  charge.changed = true;
  charge.changedMore = true;
  return succeed({ amount: charge.hold, balance: wallet.posted, expiresAtUs: charge.expiresAtUs });
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
  const fingerprintHex = Buffer.from(fingerprint).toString('hex').padEnd(64, '0');
  if (row.fingerprintHex !== fingerprintHex || row.walletId !== walletId) return fail({ kind: 'idempotency_mismatch' });
  if (row.chargeState === 'held')
    return fail({ kind: 'idempotency_in_flight', chargeId: row.chargeId, retryAfterMs: inFlightRetryAfterMs });
  const { posted } = walletOf(state, walletId);
  const settled = row.chargeState === 'uncollected' ? 'uncollected' : 'settled';
  return succeed({
    kind: 'replayed',
    receipt: { chargeId: row.chargeId, state: settled, charged: row.settled, balance: posted },
  });
}

/** As much of what is asked as the wallet and every cap allow, or the failure when that is less than the minimum. */
function affordable(
  wallet: WalletRow,
  caps: readonly CapRow[],
  { asked, minimum }: { asked: NanoUsd; minimum: NanoUsd },
): Result<NanoUsd> {
  const { posted, held } = wallet;
  const blocked = wallet.owed > 0n || wallet.openDisputes > 0;
  let amount = minOf(asked, posted - held);
  if (blocked || amount < minimum)
    return fail({
      kind: 'insufficient_credit',
      balance: posted,
      held,
      needed: minimum,
      ...(!blocked && posted >= minimum && { retryAfterMs: heldRetryAfterMs }),
    });
  for (const cap of caps) {
    const room = cap.limit - cap.held - cap.spent;
    if (room < minimum)
      return fail({
        kind: 'spending_cap_reached',
        owner: cap.owner.split(':', 1)[0] ?? cap.owner,
        limit: cap.limit,
        spent: cap.spent,
        held: cap.held,
        needed: minimum,
      });
    amount = minOf(amount, room);
  }
  return succeed(amount);
}

function reserve(wallet: WalletRow, caps: readonly CapRow[], amount: NanoUsd): void {
  wallet.held += amount;
  wallet.changed = true;
  for (const cap of caps) {
    cap.held += amount;
    cap.changed = true;
  }
}

// The caller knows the limit best: its credential may have been given another one since.
function capOf(state: GroupState, walletId: string, { owner, limit }: SpendingCap): CapRow {
  let cap = state.caps.get(owner);
  if (!cap) {
    cap = { owner, walletId, limit, held: 0n, spent: 0n, added: true, changed: false };
    state.caps.set(owner, cap);
  }
  if (cap.walletId !== walletId) throw new Error('A spending cap belongs to one wallet; its owner names another.');
  cap.limit = limit;
  return cap;
}
