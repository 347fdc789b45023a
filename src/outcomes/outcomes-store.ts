import { sql } from 'kysely';
import type { Queryable } from '../db/index.ts';
import type { KnownOutcome } from './outcome.ts';

/** A judgement as stored with its charge. */
export interface FoundJudgement {
  chargeId: string;
  content: string;
}

/** An outcome to store, with its judgement. */
export interface OutcomeRow extends KnownOutcome, FoundJudgement {
  reportedMs: number;
}

const wallets = (accountId: string) => sql`(SELECT id FROM wallet WHERE account_id = ${accountId} AND kind = 'api')`;

/** The account's judgements with these charges. */
export async function findJudgements(
  db: Queryable,
  accountId: string,
  chargeIds: readonly string[],
): Promise<FoundJudgement[]> {
  if (chargeIds.length === 0) return [];
  const { rows } = await sql<{ charge_id: string; content: string }>`
    SELECT charge_id, content FROM charge_evidence
    WHERE wallet_id IN ${wallets(accountId)} AND charge_id IN (${sql.join(chargeIds)})`.execute(db.for<never>());
  return rows.map(({ charge_id: chargeId, content }) => ({ chargeId, content }));
}

/** The newest charges whose label `subjectId` is one of these, at most `limit` for each. */
export async function findCharges(
  db: Queryable,
  accountId: string,
  subjectIds: readonly string[],
  limit: number,
): Promise<{ subjectId: string; chargeId: string }[]> {
  if (subjectIds.length === 0) return [];
  // MySQL returns long columns of a union as bytes, so each part says which one it is.
  const parts = subjectIds.map(
    (
      subjectId,
      place,
    ) => sql`(SELECT ${sql.lit(place)} AS place, charge_id FROM charge_metadata FORCE INDEX (charge_metadata_pair)
      WHERE wallet_id = ${wallets(accountId)} AND name = 'subjectId' AND value = ${subjectId}
      ORDER BY charge_id DESC LIMIT ${limit})`,
  );
  const { rows } = await sql<{
    place: bigint | number;
    charge_id: string;
  }>`${sql.join(parts, sql` UNION ALL `)}`.execute(db.for<never>());
  return rows.map(({ place, charge_id: chargeId }) => ({ subjectId: subjectIds[Number(place)] ?? '', chargeId }));
}

/** The known outcomes of these charges, locked until the transaction ends. */
export async function lockOutcomes(
  db: Queryable,
  accountId: string,
  chargeIds: readonly string[],
): Promise<Map<string, KnownOutcome>> {
  if (chargeIds.length === 0) return new Map();
  // The judgement always exists and can be locked; an outcome that nobody has reported yet does not.
  await sql`SELECT charge_id FROM charge_evidence WHERE wallet_id IN ${wallets(accountId)}
    AND charge_id IN (${sql.join([...chargeIds].sort())}) ORDER BY wallet_id, charge_id FOR UPDATE`.execute(
    db.for<never>(),
  );
  const { rows } = await sql<{ charge_id: string; outcome: string; occurred_at_ms: bigint; value: bigint | null }>`
    SELECT charge_id, outcome, occurred_at_ms, value FROM workflow_outcome
    WHERE account_id = ${accountId} AND charge_id IN (${sql.join(chargeIds)}) FOR UPDATE`.execute(db.for<never>());
  return new Map(
    rows.map(({ charge_id: chargeId, outcome, occurred_at_ms: at, value }) => [
      chargeId,
      { outcome, occurredMs: Number(at), value: value ?? undefined },
    ]),
  );
}

/** Adds outcomes, or replaces existing ones. */
export async function putOutcomes(db: Queryable, accountId: string, rows: readonly OutcomeRow[]): Promise<void> {
  if (rows.length === 0) return;
  const lines = rows.map(
    (row) =>
      sql`(${accountId}, ${row.chargeId}, ${row.outcome}, ${row.value ?? null}, ${row.content}, ${row.occurredMs}, ${row.reportedMs})`,
  );
  await sql`INSERT INTO workflow_outcome
      (account_id, charge_id, outcome, value, judgement, occurred_at_ms, reported_at_ms) VALUES ${sql.join(lines)}
    ON DUPLICATE KEY UPDATE outcome = VALUES(outcome), value = VALUES(value), occurred_at_ms = VALUES(occurred_at_ms),
      reported_at_ms = VALUES(reported_at_ms)`.execute(db.for<never>());
}

/** A page of the account's outcomes in a time range, latest first. */
export async function listOutcomes(
  db: Queryable,
  page: { accountId: string; fromMs: number; toMs: number; before: { ms: number; chargeId: string }; limit: number },
): Promise<(KnownOutcome & FoundJudgement)[]> {
  const { accountId, fromMs, toMs, before, limit } = page;
  const { rows } = await sql<{
    charge_id: string;
    outcome: string;
    value: bigint | null;
    judgement: string;
    occurred_at_ms: bigint;
  }>`SELECT charge_id, outcome, value, judgement, occurred_at_ms FROM workflow_outcome
    WHERE account_id = ${accountId} AND occurred_at_ms >= ${fromMs} AND occurred_at_ms < ${toMs}
      AND (occurred_at_ms < ${before.ms} OR (occurred_at_ms = ${before.ms} AND charge_id < ${before.chargeId}))
    ORDER BY occurred_at_ms DESC, charge_id DESC LIMIT ${limit}`.execute(db.for<never>());
  return rows.map((row) => ({
    chargeId: row.charge_id,
    outcome: row.outcome,
    value: row.value ?? undefined,
    content: row.judgement,
    occurredMs: Number(row.occurred_at_ms),
  }));
}

/** Deletes judgements and outcomes from before a moment, at most `limit` of each; returns the larger number deleted. */
export async function sweepOutcomes(db: Queryable, beforeMs: number, limit: number): Promise<number> {
  const judged = await sql`DELETE FROM charge_evidence WHERE created_at_us < ${BigInt(beforeMs) * 1_000n}
    ORDER BY created_at_us LIMIT ${limit}`.execute(db.for<never>());
  const reported = await sql`DELETE FROM workflow_outcome WHERE reported_at_ms < ${beforeMs}
    ORDER BY reported_at_ms LIMIT ${limit}`.execute(db.for<never>());
  return Math.max(Number(judged.numAffectedRows ?? 0n), Number(reported.numAffectedRows ?? 0n));
}
