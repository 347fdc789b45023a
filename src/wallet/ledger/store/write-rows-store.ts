import {
  adjustmentTable,
  auditEventTable,
  capTable,
  chargeCapTable,
  chargeTable,
  evidenceTable,
  idempotencyTable,
  metadataTable,
  postingTable,
  receivableTable,
  replyTable,
  topUpTable,
  usageHourTable,
  usageUserHourTable,
  walletTable,
} from '../../tables.ts';
import type { GroupState } from '../decide/group-state.ts';
import { type UsageChanges, usageOf } from '../decide/usage.ts';
import { guard, guardEnd, type LedgerConnection } from './connection-store.ts';
import { addToRows, insertRows, quoteAll, updateRows, type Write } from './table-store.ts';

/** Fewer or more rows changed than were locked: something bypassed the locks. The group must not be committed. */
export class UnexpectedRowsError extends Error {
  constructor(statement: string, expected: number, found: number) {
    super(`${statement}: ${found} rows instead of ${expected}`);
    this.name = 'UnexpectedRowsError';
  }
}

/** Writes everything the group decided, in one packet, and checks how many rows each statement changed. */
export async function writeRows(connection: LedgerConnection, writes: readonly Write[]): Promise<void> {
  const counts = await connection.write([...guard, ...writes.map(({ sql }) => sql), guardEnd].join(';'));
  writes.forEach(({ name, rows }, index) => {
    const found = counts[guard.length + index] ?? 0;
    if (rows !== undefined && found !== rows) throw new UnexpectedRowsError(name, rows, found);
  });
}

/** What a group has to write: nothing if everything was refused or already done. */
export function planWrites(state: GroupState): Write[] {
  const wallets = state.wallets.changed();
  for (const { row } of wallets) row.version += 1n;
  // This group's new charges are in both; they are inserted in their final state.
  const charges = state.charges.changed();
  const { hours, userHours, moved } = usageOf(state);
  const writes = [
    // Freed keys go before new ones: the same key may be freed and taken in one group.
    freeKeys(state),
    insertRows(chargeTable, state.newCharges),
    insertRows(idempotencyTable, state.idempotency.added()),
    insertRows(chargeCapTable, state.newChargeCaps),
    insertRows(metadataTable, state.newMetadata),
    insertRows(postingTable, state.newPostings),
    insertRows(replyTable, state.newReplies),
    insertRows(evidenceTable, state.newEvidence),
    insertRows(adjustmentTable, state.adjustments.added()),
    insertRows(auditEventTable, state.newAuditEvents),
    insertRows(capTable, state.caps.added()),
    insertRows(receivableTable, state.receivables.added()),
    updateRows(idempotencyTable, state.idempotency.changed(), 'fence'),
    updateRows(capTable, state.caps.changed()),
    updateRows(receivableTable, state.receivables.changed()),
    updateRows(topUpTable, state.topUps.changed(), 'state'),
    updateRows(chargeTable, charges, 'state'),
    updateRows(walletTable, wallets, 'version'),
    addToRows(usageHourTable, hours),
    addToRows(usageUserHourTable, userHours),
    ...moved.flatMap((change) => {
      const only = summedCapture(change);
      return [addToRows(usageHourTable, change.hours, only), addToRows(usageUserHourTable, change.userHours, only)];
    }),
  ];
  return writes.filter((write) => write !== undefined);
}

/** A query that returns a row if the charge's capture at expiry is already summed. */
function summedCapture({ chargeId, upTo }: UsageChanges['moved'][number]): string {
  return `SELECT 1 FROM posting FORCE INDEX (posting_source)
    WHERE source_type = 'charge' AND source_id = ${quoteAll([chargeId])} AND step = 'expiry' AND seq <= ${upTo}`;
}

function freeKeys({ freedKeys }: GroupState): Write | undefined {
  if (freedKeys.length === 0) return undefined;
  const keys = freedKeys.map(({ scope, key, chargeId }) => `(${quoteAll([scope, key, chargeId])})`);
  return {
    name: 'free keys',
    sql: `DELETE FROM idempotency WHERE (scope, idempotency_key, charge_id) IN (${keys.join(',')}) AND captured_charge_id IS NULL`,
    rows: undefined,
  };
}
