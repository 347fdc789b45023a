import type { ErrorLine, FunnelStep, Stall, Totals } from './report-lines.ts';

interface Findings {
  totals: Totals;
  funnel: FunnelStep[];
  stalls: Stall[];
  errors: ErrorLine[];
}

/** A finding that affects a smaller share of sessions is noise rather than something to act on. */
const leastShare = 0.05;

/**
 * The one thing to do next. An error comes first if it lost at least half as many sessions as stopped at the worst step, because
 * it names a cause; then that step; then the step after which most sessions ended; then a slow step. The same findings always
 * give the same words.
 */
export function chooseNextAction({ totals, funnel, stalls, errors }: Findings): string {
  if (totals.sessions === 0) {
    return 'No session began in this period: send entered and completed events for this journey.';
  }
  const least = Math.max(1, totals.sessions * leastShare);
  const worst = mostBy(stalls, (stall) => stall.abandoned);
  const error = mostBy(errors, (line) => line.sessions - line.recoveredSessions);
  const lostToError = error ? error.sessions - error.recoveredSessions : 0;
  if (error && lostToError >= least && lostToError * 2 >= (worst?.abandoned ?? 0)) {
    return (
      `Fix error ${error.code} at step "${error.step}": it met ${count(error.sessions)}` +
      `${share(error.rate)}, and ${lostToError} of them did not complete the step afterwards.`
    );
  }
  if (worst && worst.abandoned >= least) {
    return (
      `Look at step "${worst.step}": ${count(worst.abandoned)} stopped there without completing it` +
      `${share(worst.abandonmentRate)}.`
    );
  }
  const gap = mostBy(stalls, (stall) => stall.leftAfter);
  if (gap && gap.leftAfter >= least) {
    const next = funnel[funnel.findIndex((line) => line.step === gap.step) + 1];
    const to = next ? ` and did not go on to "${next.step}"` : '';
    return `Lead people on from step "${gap.step}": ${count(gap.leftAfter)} completed it${to}.`;
  }
  const slow = stalls.find((stall) => (stall.timesNorm ?? 0) >= 2 && stall.sessions >= least);
  if (slow?.dwell) {
    return (
      `Shorten step "${slow.step}": half of its sessions take over ${seconds(slow.dwell.p50Seconds)} there, ` +
      `${(slow.timesNorm ?? 0).toFixed(1)} times what is usual for this journey.`
    );
  }
  return 'Nothing stands out: no step or error lost 5% of the sessions.';
}

function mostBy<T>(list: readonly T[], amount: (item: T) => number): T | undefined {
  let most: T | undefined;
  for (const item of list) if (most === undefined || amount(item) > amount(most)) most = item;
  return most;
}

function count(sessions: number): string {
  return sessions === 1 ? '1 session' : `${sessions} sessions`;
}

function share(rate: number | undefined): string {
  return rate === undefined ? '' : ` (${(rate * 100).toFixed(1)}% of those that entered)`;
}

function seconds(value: number): string {
  return value < 120 ? `${value.toFixed(0)} seconds` : `${(value / 60).toFixed(0)} minutes`;
}
