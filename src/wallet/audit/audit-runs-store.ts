import { sql } from 'kysely';
import type { Queryable, Transaction } from '../../db/index.ts';
import type { Violation } from './audit.ts';

interface Tables {
  ledger_audit: {
    id: string;
    state: AuditRun['state'];
    actor: string;
    rules: number;
    rules_done: number;
    violations: number;
    found: string;
    started_at_us: bigint;
    beat_at_us: bigint;
    ended_at_us: bigint | null;
  };
}

/** The current state of one audit run. */
export interface AuditRun {
  auditId: string;
  state: 'running' | 'done' | 'failed';
  /** Who started it. */
  actor: string;
  startedAt: Date;
  endedAt?: Date;
  rules: number;
  rulesDone: number;
  violationCount: number;
  /** The first violations found. */
  violations: readonly Violation[];
}

const nowUs = sql<bigint>`TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))`;

export async function addRun(tx: Transaction, run: { id: string; actor: string; rules: number }): Promise<void> {
  await tx
    .for<Tables>()
    .insertInto('ledger_audit')
    .values({
      ...{ ...run, state: 'running', rules_done: 0, violations: 0, found: '[]' },
      ...{ started_at_us: nowUs, beat_at_us: nowUs, ended_at_us: null },
    })
    .execute();
}

/** Fails runs whose node has been silent for too long and is presumed dead. */
export async function endSilentRuns(tx: Transaction, silentMs: number): Promise<void> {
  await sql`UPDATE ledger_audit SET state = 'failed', ended_at_us = ${nowUs}
    WHERE state = 'running' AND beat_at_us < ${nowUs} - ${silentMs * 1_000}`.execute(tx.for<Tables>());
}

/** Finds a run by its id; without one, the active run or else the latest. */
export async function findRun(
  db: Queryable,
  which: { id: string } | 'running' | 'last',
): Promise<AuditRun | undefined> {
  const query = db.for<Tables>().selectFrom('ledger_audit').selectAll().orderBy('id', 'desc').limit(1);
  const chosen =
    which === 'last'
      ? query
      : which === 'running'
        ? query.where('state', '=', 'running')
        : query.where('id', '=', which.id);
  const row = await chosen.executeTakeFirst();
  return (
    row && {
      auditId: String(row.id),
      state: String(row.state) as AuditRun['state'],
      actor: String(row.actor),
      startedAt: dateOf(row.started_at_us),
      ...(row.ended_at_us !== null && { endedAt: dateOf(row.ended_at_us) }),
      rules: row.rules,
      rulesDone: row.rules_done,
      violationCount: row.violations,
      violations: JSON.parse(row.found) as Violation[],
    }
  );
}

/** Records a run's progress, which doubles as its node's heartbeat. */
export async function noteRun(
  db: Queryable,
  {
    id,
    rulesDone,
    violations,
    state,
  }: { id: string; rulesDone: number; violations: readonly Violation[]; state: AuditRun['state'] },
): Promise<void> {
  await db
    .for<Tables>()
    .updateTable('ledger_audit')
    .set({
      ...{ state, rules_done: rulesDone, violations: violations.length, beat_at_us: nowUs },
      found: JSON.stringify(violations.slice(0, keptMax)),
      ended_at_us: state === 'running' ? null : nowUs,
    })
    .where('id', '=', id)
    .where('state', '=', 'running')
    .execute();
}

/** The most violations kept for a run. */
const keptMax = 100;

function dateOf(us: bigint): Date {
  return new Date(Number(BigInt(us) / 1_000n));
}
