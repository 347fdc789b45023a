import { sql } from 'kysely';
import type { Queryable } from '../db/index.ts';
import { graceUs, nowUs } from './audit/invariant.ts';

/** What the ledger says about running requests; each count stops at 10,000. */
export interface LedgerHealth {
  openHolds: number;
  /** Nodes that have open holds. */
  nodesWithHolds: number;
  /** Holds overdue for longer than reapers take. */
  overdueHolds: number;
  /** Settlements that the database refused individually. */
  deadLetters: number;
}

const countedMax = 10_000;

/** Reads the ledger's health across all nodes. */
export async function readLedgerHealth(db: Queryable): Promise<LedgerHealth> {
  const [now, most] = [sql.raw(nowUs), sql.lit(countedMax)];
  const { rows } = await sql<{ [Name in keyof LedgerHealth]: bigint }>`SELECT
    (SELECT COUNT(*) FROM (SELECT 1 FROM charge FORCE INDEX (charge_expiry) WHERE expires_at_us IS NOT NULL LIMIT ${most}) o) AS openHolds,
    (SELECT COUNT(DISTINCT n.node_id) FROM (
      SELECT node_id FROM charge FORCE INDEX (charge_expiry) WHERE expires_at_us IS NOT NULL LIMIT ${most}) n) AS nodesWithHolds,
    (SELECT COUNT(*) FROM (
      SELECT 1 FROM charge FORCE INDEX (charge_expiry) WHERE expires_at_us < ${now} - ${sql.lit(graceUs)} LIMIT ${most}) d) AS overdueHolds,
    (SELECT COUNT(*) FROM (SELECT 1 FROM settlement_dead_letter LIMIT ${most}) l) AS deadLetters`.execute(
    db.for<never>(),
  );
  const [row] = rows;
  if (!row) throw new Error('A row of counts is missing.');
  const { openHolds, nodesWithHolds, overdueHolds, deadLetters } = row;
  return {
    openHolds: Number(openHolds),
    nodesWithHolds: Number(nodesWithHolds),
    overdueHolds: Number(overdueHolds),
    deadLetters: Number(deadLetters),
  };
}
