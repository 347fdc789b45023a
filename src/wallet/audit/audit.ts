import type { Database } from '../../db/index.ts';
import { runInvariant } from './audit-store.ts';
import type { Invariant } from './invariant.ts';
import { invariants } from './invariants.ts';

/** Something that must never happen: the rule, the subject, and the figures. */
export interface Violation {
  invariant: string;
  /** The id of the wallet, charge, top-up or cap. */
  subject: string;
  detail: string;
}

export interface AuditOptions {
  /** Other rooms' rules to check in the same snapshot. */
  more?: readonly Invariant[];
  /** Called after each rule with the number done and the total. */
  onProgress?: (step: { invariant: Invariant; done: number; of: number; violations: number; ms: number }) => void;
  /** Stops the audit between two rules; it then rejects with the signal's reason. */
  signal?: AbortSignal;
  /** The most violations listed per rule. Default 1,000. */
  limit?: number;
}

/** Generous, because a rule reads whole tables. */
const ruleTimeoutMs = 1_800_000;

/**
 * Checks every invariant of the ledger in one consistent snapshot and returns the violations. It takes no locks, so it is safe on
 * a live system; it reads every posting and charge once or twice, so it takes a while on a large one.
 */
export async function auditLedger(db: Database, options: AuditOptions = {}): Promise<Violation[]> {
  const all = [...invariants, ...(options.more ?? [])];
  return db.withQueryTimeout(ruleTimeoutMs).snapshot(async (tx) => {
    const violations: Violation[] = [];
    for (const [index, invariant] of all.entries()) {
      options.signal?.throwIfAborted();
      const started = performance.now();
      const found = await runInvariant(tx, invariant.sql, options.limit ?? 1_000);
      violations.push(...found.map((row) => ({ invariant: invariant.name, ...row })));
      const ms = performance.now() - started;
      options.onProgress?.({ invariant, done: index + 1, of: all.length, violations: found.length, ms });
    }
    return violations;
  });
}
