import { ownTurn } from '../../base/turn.ts';
import type { Database } from '../../db/index.ts';
import { decodeJudgement, type JudgedCheck } from '../judgement.ts';
import { type Outcome, outcomeClasses } from '../outcome.ts';
import { listOutcomes } from '../outcomes-store.ts';
import type { JudgedOutcome } from './calibrate.ts';

export interface CalibrationQuery {
  accountId: string;
  /** When the outcomes occurred, in milliseconds since 1970. */
  fromMs: number;
  toMs: number;
  /** Undefined: all. */
  family: string | undefined;
  /** What counts as adverse; empty: as defined in `outcomeClasses`. */
  adverse: readonly Outcome[];
}

/** How many outcomes a report covers, latest first. */
export const outcomesMax = 20_000;
/** Distinct combinations of check, weight and result in one report: some 20 MB. Rules have a few hundred. */
const checksMax = 100_000;
const pageSize = 250;

/**
 * The latest outcomes with their judgements; `cut` if there are more. Reading stops early if judgements keep bringing new
 * checks, so that a report takes no more than some tens of megabytes.
 */
export async function readOutcomes(
  db: Database,
  { accountId, fromMs, toMs, family, adverse }: CalibrationQuery,
): Promise<{ outcomes: JudgedOutcome[]; cut: boolean }> {
  const outcomes: JudgedOutcome[] = [];
  let before = { ms: toMs, chargeId: '' };
  const known = new Map<string, JudgedCheck>();
  for (let read = 0; read < outcomesMax && known.size < checksMax; ) {
    const page = await listOutcomes(db, { accountId, fromMs, toMs, before, limit: pageSize });
    read += page.length;
    // Reading a page of long judgements takes some 15 ms.
    await ownTurn();
    for (const { chargeId, content, outcome } of page) {
      const judgement = decodeJudgement(content, known);
      if (!judgement || (family !== undefined && judgement.family !== family)) continue;
      outcomes.push({ chargeId, judgement, adverse: isAdverse(outcome as Outcome, adverse) });
    }
    const last = page.at(-1);
    if (!last || page.length < pageSize) return { outcomes, cut: false };
    before = { ms: last.occurredMs, chargeId: last.chargeId };
  }
  return { outcomes, cut: true };
}

/** If the caller says what is adverse, everything else that is not neutral is favourable. */
function isAdverse(outcome: Outcome, adverse: readonly Outcome[]): boolean | undefined {
  if (adverse.includes(outcome)) return true;
  const known = outcomeClasses[outcome];
  if (known === 'neutral' || known === undefined) return undefined;
  return adverse.length > 0 ? false : known === 'adverse';
}
