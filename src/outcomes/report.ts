import { type Failure, fail, invalid, type Result, succeed } from '../base/failure.ts';
import { formatUsd, maxAmountNanoUsd } from '../base/money.ts';
import type { Database } from '../db/index.ts';
import { decodeJudgement } from './judgement.ts';
import { type Effect, effectOf, type OutcomeReport } from './outcome.ts';
import {
  type FoundJudgement,
  findCharges,
  findJudgements,
  lockOutcomes,
  type OutcomeRow,
  putOutcomes,
} from './outcomes-store.ts';

/** What a report did: the judgements it refers to, and its effect on each. */
export interface Reported {
  judgements: { chargeId: string; effect: Effect }[];
}

/** How many of a subject's newest judgements a report applies to. */
export const judgementsPerSubjectMax = 20;
/** Rows per transaction; they are small. */
const rowsAtOnce = 500;
const dayMs = 86_400_000;
/** Subjects per statement. */
const subjectsAtOnce = 100;

/**
 * Records reports in order, each on its own, with one result for each. Fails with `not_found` if nothing was judged, and with
 * `invalid_argument`.
 */
export async function recordOutcomes(
  { db, nowMs }: { db: Database; nowMs: number },
  accountId: string,
  reports: readonly OutcomeReport[],
): Promise<Result<Reported>[]> {
  const problems = reports.map((report) => problemOf(report, nowMs));
  const matched = await matchJudgements(
    db,
    accountId,
    reports.filter((_, index) => problems[index] === undefined),
  );
  let next = 0;
  const judgements = problems.map((problem) => (problem === undefined ? (matched[next++] ?? []) : []));
  const writes = reports.flatMap((report, index) =>
    (judgements[index] ?? []).map((judgement) => ({ report, index, judgement })),
  );
  const done = reports.map((): Reported => ({ judgements: [] }));
  for (let start = 0; start < writes.length; start += rowsAtOnce) {
    const part = writes.slice(start, start + rowsAtOnce);
    const effects = await db.transaction(async (tx) => {
      const known = await lockOutcomes(tx, accountId, [...new Set(part.map(({ judgement }) => judgement.chargeId))]);
      const rows = new Map<string, OutcomeRow>();
      const found = part.map(({ report, judgement: { chargeId, content } }) => {
        const effect = effectOf(known.get(chargeId), report);
        if (effect === 'recorded' || effect === 'replaced') {
          const { outcome, value, occurredMs = nowMs } = report;
          const row = { chargeId, content, outcome, value, occurredMs, reportedMs: nowMs };
          rows.set(chargeId, row);
          known.set(chargeId, row);
        }
        return effect;
      });
      await putOutcomes(tx, accountId, [...rows.values()]);
      return found;
    });
    part.forEach(({ index, judgement }, at) => {
      done[index]?.judgements.push({ chargeId: judgement.chargeId, effect: effects[at] as Effect });
    });
  }
  return reports.map((report, index) => {
    const problem = problems[index];
    if (problem !== undefined) return fail(problem);
    const reported = done[index] as Reported;
    return reported.judgements.length > 0 ? succeed(reported) : fail({ kind: 'not_found', resource: nameOf(report) });
  });
}

function problemOf({ occurredMs, value }: OutcomeReport, nowMs: number): Failure | undefined {
  if (occurredMs !== undefined && occurredMs > nowMs + dayMs)
    return invalid('occurredAt', 'is more than a day to come');
  if (value !== undefined && value > maxAmountNanoUsd)
    return invalid('valueUsd', `must be at most ${formatUsd(maxAmountNanoUsd)}`);
  return undefined;
}

/** The judgements that each report refers to. */
async function matchJudgements(
  db: Database,
  accountId: string,
  reports: readonly OutcomeReport[],
): Promise<FoundJudgement[][]> {
  const subjects = [...new Set(reports.flatMap(({ of }) => ('subjectId' in of ? [of.subjectId] : [])))];
  const charges: { subjectId: string; chargeId: string }[] = [];
  for (let start = 0; start < subjects.length; start += subjectsAtOnce) {
    const part = subjects.slice(start, start + subjectsAtOnce);
    charges.push(...(await findCharges(db, accountId, part, judgementsPerSubjectMax)));
  }
  const bySubject = Map.groupBy(charges, ({ subjectId }) => subjectId);
  const idsOf = ({ of }: OutcomeReport) =>
    'chargeId' in of ? [of.chargeId] : (bySubject.get(of.subjectId) ?? []).map(({ chargeId }) => chargeId);
  const wanted = [...new Set(reports.flatMap(idsOf))];
  const found = new Map<string, FoundJudgement>();
  for (let start = 0; start < wanted.length; start += rowsAtOnce)
    for (const judgement of await findJudgements(db, accountId, wanted.slice(start, start + rowsAtOnce)))
      found.set(judgement.chargeId, judgement);
  return reports.map((report) =>
    idsOf(report).flatMap((chargeId) => {
      const judgement = found.get(chargeId);
      if (!judgement) return [];
      const isWanted = report.family === undefined || decodeJudgement(judgement.content)?.family === report.family;
      return isWanted ? [judgement] : [];
    }),
  );
}

function nameOf({ of, family }: OutcomeReport): string {
  const kind = family === undefined ? 'judgement' : `${family} judgement`;
  return 'chargeId' in of ? `${kind} of charge ${of.chargeId}` : `${kind} with the label subjectId ${of.subjectId}`;
}
