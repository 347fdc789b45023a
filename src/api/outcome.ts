import type { MessageInitShape } from '@bufbuild/protobuf';
import { FailureError, fail, invalid, type Result, succeed, unwrap } from '../base/failure.ts';
import type { FamilyCalibrationSchema } from '../gen/intelligence/outcome/v1/calibration_pb.ts';
import type { Outcome as OutcomeMessage } from '../gen/intelligence/outcome/v1/outcome_pb.ts';
import { OutcomeService } from '../gen/intelligence/outcome/v1/outcome_service_pb.ts';
import type { FamilyCalibration, Outcome, OutcomeReport, Outcomes, Reported } from '../outcomes/index.ts';
import { accountOf } from './caller.ts';
import { type ServedService, serve } from './handlers.ts';
import type { Items } from './items.ts';
import { amountOf, milliseconds } from './mapping.ts';

/** OutcomeService: what became of what was judged. */
export function outcomeService({ outcomes, items }: { outcomes: Outcomes; items: Items }): ServedService {
  return serve(OutcomeService, {
    reportOutcome: async ({ outcome }, { caller }) => {
      // The contract's rules allow no request without an outcome here.
      if (!outcome) throw new Error('a report without its outcome');
      const [reported] = await outcomes.report(accountOf(caller), [reportOf(outcome)]);
      if (!reported) throw new Error('a report without its result');
      return { effects: unwrap(reported).judgements };
    },

    batchReportOutcomes: async ({ outcomes: messages }, { caller }) => {
      const read = messages.map(readReport);
      const valid = read.flatMap((one) => (one.ok ? [one.value] : []));
      const reported = await outcomes.report(accountOf(caller), valid);
      let next = 0;
      const results = read.map((one): Result<Reported> => (one.ok ? (reported[next++] as Result<Reported>) : one));
      const succeeded = results.filter(({ ok }) => ok).length;
      return {
        results: results.map((result) =>
          result.ok ? { effects: result.value.judgements } : { error: items.errorOf(caller, result.failure) },
        ),
        succeeded,
        failed: results.length - succeeded,
      };
    },

    getCalibration: async ({ family, from, to, adverse }, { caller }) => {
      const [fromMs, toMs] = [milliseconds(from) ?? since, milliseconds(to) ?? Date.now() + dayMs];
      if (fromMs >= toMs) throw new FailureError(invalid('to', 'must be later than from'));
      const report = await outcomes.calibration({
        ...{ accountId: accountOf(caller), fromMs, toMs },
        family: family || undefined,
        // The contract's rules allow no other outcome here.
        adverse: adverse as Outcome[],
      });
      const calibration = unwrap(report);
      return {
        families: calibration.families.map(calibrationMessage),
        outcomes: calibration.outcomes,
        truncated: calibration.cut,
      };
    },
  });
}

/** Outcomes may be reported for times since 2000, and up to a day ahead. */
const since = Date.parse('2000-01-01T00:00:00Z');
const dayMs = 86_400_000;

function calibrationMessage({
  pack,
  notEnough,
  checks,
  reweighing,
  scores,
  levels,
  ...family
}: FamilyCalibration): MessageInitShape<typeof FamilyCalibrationSchema> {
  return {
    family: family.family,
    packVersion: pack,
    notEnoughData: notEnough,
    overall: family,
    neutral: family.neutral,
    scores: scores.map(({ from = 0, to = 0, ...result }) => ({ from, to, result })),
    levels: levels.map(({ level, ...result }) => ({ level, result })),
    checks: checks.map(({ check, whenFailed, otherwise, difference, foretells }) => ({
      ...{ checkId: check, failed: whenFailed, notFailed: otherwise, difference, foretells },
    })),
    reweighing: reweighing && {
      ...reweighing,
      weights: reweighing.weights.map(({ check, ...weights }) => ({ checkId: check, ...weights })),
    },
  };
}

function reportOf({ of, family, outcome, occurredAt, valueUsd }: OutcomeMessage): OutcomeReport {
  // The contract's rules allow no report without its subject here, and no other outcome.
  return {
    of: of.case === 'subjectId' ? { subjectId: of.value } : { chargeId: of.value ?? '' },
    family: family || undefined,
    outcome: outcome as Outcome,
    occurredMs: milliseconds(occurredAt),
    value: valueUsd === '' ? undefined : amountOf(valueUsd, 'valueUsd'),
  };
}

function readReport(message: OutcomeMessage): Result<OutcomeReport> {
  try {
    return succeed(reportOf(message));
  } catch (error) {
    if (error instanceof FailureError) return fail(error.failure);
    throw error;
  }
}
