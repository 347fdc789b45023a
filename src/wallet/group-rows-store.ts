import { type ChargeRow, type GroupState, type IdempotencyRow, pairKey, type ReceivableRow } from './group-state.ts';
import type { Row } from './ledger-connection-store.ts';
import type { ChargeState } from './wallets.ts';

// Rows as the server printed them become rows of the group's state. Amounts are never numbers on the way.

export function takeWallet([id, posted, held, owed, openDisputes, seq, version]: Row, state: GroupState): void {
  state.wallets.set(text(id), {
    id: text(id),
    posted: integer(posted),
    held: integer(held),
    owed: integer(owed),
    openDisputes: Number(openDisputes),
    seq: integer(seq),
    version: integer(version),
    changed: false,
  });
}

export function takeIdempotency(row: Row, state: GroupState): void {
  const [scope, key, fingerprintHex, walletId, chargeId, chargeState, settled] = row;
  const found: IdempotencyRow = {
    scope: text(scope),
    key: text(key),
    fingerprintHex: text(fingerprintHex),
    walletId: text(walletId),
    chargeId: text(chargeId),
    chargeState: text(chargeState) as ChargeState,
    settled: optional(settled) ?? 0n,
    added: false,
  };
  state.idempotency.set(pairKey(found.scope, found.key), found);
}

export function takeCharge(row: Row, state: GroupState): void {
  const [walletId, id, chargeState, hold, settled, uncollected, reversed, progressCost, expires, ended] = row;
  const charge: ChargeRow = {
    walletId: text(walletId),
    id: text(id),
    state: text(chargeState) as ChargeState,
    stateBefore: text(chargeState) as ChargeState,
    hold: integer(hold),
    settled: optional(settled),
    uncollected: integer(uncollected),
    reversed: integer(reversed),
    progressCost: integer(progressCost),
    expiresAtUs: optional(expires),
    endedAtUs: optional(ended),
    usage: undefined,
    provider: undefined,
    model: undefined,
    changed: false,
    changedMore: false,
    added: false,
  };
  state.charges.set(charge.id, charge);
}

export function takeCap([owner, walletId, limit, held, spent]: Row, state: GroupState): void {
  state.caps.set(text(owner), {
    owner: text(owner),
    walletId: text(walletId),
    limit: integer(limit),
    held: integer(held),
    spent: integer(spent),
    added: false,
    changed: false,
  });
}

export function takeCredential(
  [id, accountId, credentialState, least, leastFrom, expires]: Row,
  state: GroupState,
): void {
  state.credentials.set(text(id), {
    accountId: text(accountId),
    state: text(credentialState),
    leastVersion: integer(least),
    leastVersionFromMs: optional(leastFrom),
    expiresAtMs: optional(expires),
  });
}

export function takeTopUp([id, walletId, amount, topUpState, provider, reversed]: Row, state: GroupState): void {
  state.topUps.set(text(id), {
    id: text(id),
    walletId: text(walletId),
    amount: integer(amount),
    state: text(topUpState),
    provider: text(provider),
    reversed: integer(reversed),
    changed: false,
  });
}

export function takeReceivable(row: Row, state: GroupState): void {
  const [topUpId, reference, walletId, kind, receivableState, amount, taken, owed, repayments] = row;
  state.receivables.set(pairKey(text(topUpId), text(reference)), {
    topUpId: text(topUpId),
    reference: text(reference),
    walletId: text(walletId),
    kind: text(kind) as ReceivableRow['kind'],
    state: text(receivableState) as ReceivableRow['state'],
    amount: integer(amount),
    taken: integer(taken),
    owed: integer(owed),
    repayments: Number(repayments),
    added: false,
    changed: false,
  });
}

export function takeAdjustment([walletId, key, id, amount, chargeId]: Row, state: GroupState): void {
  state.adjustments.set(pairKey(text(walletId), text(key)), {
    id: text(id),
    amount: integer(amount),
    chargeId: chargeId === null || chargeId === undefined ? undefined : text(chargeId),
  });
}

function text(value: Row[number] | undefined): string {
  if (typeof value !== 'string') throw new Error('The database gave no text where there must be one.');
  return value;
}

export function integer(value: Row[number] | undefined): bigint {
  return BigInt(text(value));
}

function optional(value: Row[number] | undefined): bigint | undefined {
  return value === null || value === undefined ? undefined : BigInt(value);
}
