import { expect } from 'vitest';
import type { Report } from '../../src/pulse/report-lines.ts';
import { exactQuantile, type ModelReport } from './model.ts';

/** Compares a report, and the totals of the period before when they are given, with the model's. */
export function expectSameReport(report: Report, model: ModelReport, before?: ModelReport): void {
  expect(report.totals).toMatchObject({
    sessions: model.sessions,
    abandoned: model.abandoned,
    erroredSessions: model.erroredSessions,
  });
  if (before) {
    expect(report.previous).toMatchObject({ sessions: before.sessions, abandoned: before.abandoned });
  }
  const atGoal = model.openAfter.filter((step) => step === report.goal).length;
  expect(report.totals.active).toBe(model.open - atGoal);
  expectQuantiles(report.totals.duration, model.durations);
  expect(report.funnel.map(({ step }) => step).sort()).toEqual([...model.steps.keys()].sort());
  const mean = (step: string) => {
    const offsets = model.steps.get(step)?.offsets ?? [];
    return offsets.reduce((sum, offset) => sum + offset, 0) / offsets.length;
  };
  for (const [place, line] of report.funnel.entries()) {
    const own = model.steps.get(line.step);
    expect({ entered: line.entered, completed: line.completed }).toEqual({
      entered: own?.entered,
      completed: own?.completed,
    });
    const next = report.funnel[place + 1];
    if (next) expect(mean(line.step)).toBeLessThanOrEqual(mean(next.step));
  }
  expect(report.totals.completed).toBe(report.goal === undefined ? 0 : model.steps.get(report.goal)?.completed);
  const dwells = [...model.steps.values()].flatMap((step) => step.dwells);
  expectQuantiles(report.norm, dwells);
  for (const stall of report.stalls) {
    const own = model.steps.get(stall.step);
    expect(stall).toMatchObject({ sessions: own?.dwells.length, abandoned: own?.abandoned });
    if (stall.step !== report.goal) expect(stall.leftAfter).toBe(own?.ended);
    expectQuantiles(stall.dwell, own?.dwells ?? []);
  }
  expect(
    new Map(
      report.errors.map((line) => [
        `${line.step} ${line.code}`,
        {
          occurrences: line.occurrences,
          sessions: line.sessions,
          recovered: line.recoveredSessions,
          first: line.firstSeenMs,
          last: line.lastSeenMs,
        },
      ]),
    ),
  ).toEqual(model.errors);
}

function expectQuantiles(
  told: { p50Seconds: number; p90Seconds: number; p99Seconds: number } | undefined,
  exact: readonly number[],
): void {
  if (exact.length === 0) {
    expect(told).toBeUndefined();
    return;
  }
  for (const [quantile, seconds] of [
    [0.5, told?.p50Seconds],
    [0.9, told?.p90Seconds],
    [0.99, told?.p99Seconds],
  ] as const) {
    const value = exactQuantile(exact, quantile) / 1_000;
    // More digits than are known would only look exact.
    expect(
      String(seconds)
        .replace(/^0\.0*|\D/g, '')
        .replace(/0+$/, '').length,
    ).toBeLessThanOrEqual(4);
    expect(Math.abs((seconds ?? Number.NaN) - value)).toBeLessThanOrEqual(value * 0.0206);
  }
}
