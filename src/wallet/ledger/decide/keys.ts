import type { ChargeRow, IdempotencyRow } from '../../tables.ts';
import type { IdempotencyKey } from '../ledger.ts';
import type { ChargeReference, SettleOperation } from '../operation.ts';
import { type GroupState, pairKey } from './group-state.ts';

/** As the table has it: 32 bytes, shorter ones padded. */
export function fingerprintOf(fingerprint: Uint8Array): string {
  return Buffer.from(fingerprint).toString('hex').padEnd(64, '0');
}

/** Lets a key stand for a charge: a new one, or one whose charge has expired unpaid. */
export function takeKey(
  state: GroupState,
  { scope, key, fingerprint }: IdempotencyKey,
  charge: { walletId: string; chargeId: string },
): IdempotencyRow {
  const taken = { ...charge, fingerprint: fingerprintOf(fingerprint) };
  const row = rowOf(state, { scope, key });
  if (row) return Object.assign(row, taken, { fence: row.fence + 1n });
  const added = { scope, key, ...taken, fence: 1n, capturedChargeId: undefined };
  state.idempotency.add(pairKey(scope, key), added);
  return added;
}

function rowOf(state: GroupState, { scope, key }: Pick<IdempotencyKey, 'scope' | 'key'>): IdempotencyRow | undefined {
  return state.idempotency.get(pairKey(scope, key));
}

/** Whether another charge has taken this one's key: then this one must not be paid, whatever has become of the other. */
export function isSuperseded({ idempotency, chargeId }: ChargeReference, state: GroupState): boolean {
  const row = idempotency && rowOf(state, idempotency);
  return row !== undefined && row.chargeId !== chargeId;
}

/** The key is paid, for ever. Its row may be gone, when a charge that had taken it over was released. */
export function captureKey({ idempotency }: SettleOperation, state: GroupState, { walletId, id }: ChargeRow): void {
  if (!idempotency) return;
  const row = rowOf(state, idempotency) ?? takeKey(state, idempotency, { walletId, chargeId: id });
  row.capturedChargeId = id;
}

/** Nothing was done for the key: it is as if it had never been used. */
export function freeKey({ idempotency, chargeId }: ChargeReference, state: GroupState): void {
  if (!idempotency) return;
  const { scope, key } = idempotency;
  const row = rowOf(state, idempotency);
  if (row?.chargeId !== chargeId || row.capturedChargeId !== undefined) return;
  state.freedKeys.push({ scope, key, chargeId });
  state.idempotency.delete(pairKey(scope, key));
}
