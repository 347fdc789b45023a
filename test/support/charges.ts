import { sql } from 'kysely';
import { newId } from '../../src/base/ids.ts';
import type { Database } from '../../src/db/index.ts';
import type { Ledger } from '../../src/wallet/index.ts';

/** Writes a charge of an account as the ledger would, ending in `state`. */
export async function writeCharge(
  database: Database,
  accountId: string,
  { chargeId = newId('chg'), state = 'settled' }: { chargeId?: string; state?: string } = {},
): Promise<string> {
  const db = database.for<never>();
  await sql`INSERT IGNORE INTO wallet (id, account_id, kind, created_at_us)
    VALUES (${`wal_${accountId}`}, ${accountId}, 'api', 1)`.execute(db);
  const ended = state === 'held' ? null : 1;
  await sql`INSERT INTO charge (wallet_id, id, state, hold, settled, key_id, key_version, operation, price_version, node_id,
      created_at_us, expires_at_us, ended_at_us)
    VALUES (${`wal_${accountId}`}, ${chargeId}, ${state}, 1, ${ended === null ? null : 0}, 'key_1', 1, 'workflow.draft', 1,
      'nod_1', 1, ${ended === null ? 1 : null}, ${ended})`.execute(db);
  return chargeId;
}

/** A ledger that keeps its books elsewhere but also writes its settled charges into a database. */
export function chargesWritten(ledger: Ledger, database: Database): Ledger {
  const accounts = new Map<string, string>();
  return {
    ...ledger,
    async hold(request) {
      const held = await ledger.hold(request);
      if (held.ok && held.value.kind === 'held') accounts.set(held.value.hold.chargeId, request.accountId);
      return held;
    },
    async settle(hold, settlement) {
      const receipt = await ledger.settle(hold, settlement);
      const accountId = accounts.get(hold.chargeId);
      if (receipt.state === 'settled' && accountId !== undefined && accounts.delete(hold.chargeId))
        await writeCharge(database, accountId, hold);
      return receipt;
    },
  };
}
