import type { ChargeRow, IdempotencyRow } from '../../tables.ts';
import type { IdempotencyKey } from '../ledger.ts';
import type { ChargeReference, SettleOperation } from '../operation.ts';
import { type GroupState, pairKey } from './group-state.ts';

/** In the table's form: 32 bytes, padded if shorter. */
export function fingerprintOf(fingerprint: Uint8Array): string {
  return Buffer.from(fingerprint).toString('hex').padEnd(64, '0');
}

/** Assigns a key to a charge: a new key, or one whose charge has expired unpaid. */
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

/** Whether another charge has taken this one's key: then this one must not be paid, whatever became of the other. */
export function isSuperseded({ idempotency, chargeId }: ChargeReference, state: GroupState): boolean {
  const row = idempotency && rowOf(state, idempotency);
  return row !== undefined && row.chargeId !== chargeId;
}

/** Marks the key paid, forever. Its row may be gone if a charge that had taken it over was released. */
export function captureKey({ idempotency }: SettleOperation, state: GroupState, { walletId, id }: ChargeRow): void {
  if (!idempotency) return;
  const row = rowOf(state, idempotency) ?? takeKey(state, idempotency, { walletId, chargeId: id });
  row.capturedChargeId = id;
}

/** Frees a key for which nothing was done, as if it had never been used. */
export function freeKey({ idempotency, chargeId }: ChargeReference, state: GroupState): void {
  if (!idempotency) return;
  const { scope, key } = idempotency;
  const row = rowOf(state, idempotency);
  if (row?.chargeId !== chargeId || row.capturedChargeId !== undefined) return;
  state.freedKeys.push({ scope, key, chargeId });
  state.idempotency.delete(pairKey(scope, key));
}
