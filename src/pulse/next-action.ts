import { type ActionTexts, actionTextsFor } from './action-texts.ts';
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
 * The one thing to do next, in the language of `locale` or else English. An error comes first if it lost at least half as many
 * sessions as stopped at the worst step, because it names a cause; then that step; then the step after which most sessions ended;
 * then a slow step. The same findings always give the same words.
 */
export function chooseNextAction({ totals, funnel, stalls, errors }: Findings, locale = ''): string {
  const { texts, tag } = actionTextsFor(locale);
  if (totals.sessions === 0) return texts.none;
  const least = Math.max(1, totals.sessions * leastShare);
  const worst = mostBy(stalls, (stall) => stall.abandoned);
  const error = mostBy(errors, (line) => line.sessions - line.recoveredSessions);
  const lost = error ? error.sessions - error.recoveredSessions : 0;
  if (error && lost >= least && lost * 2 >= (worst?.abandoned ?? 0)) {
    const { code, step, sessions, rate } = error;
    return texts.error({ code, step, sessions, share: share(rate, texts, tag), lost });
  }
  if (worst && worst.abandoned >= least) {
    const { step, abandoned, abandonmentRate } = worst;
    return texts.stop({ step, sessions: abandoned, share: share(abandonmentRate, texts, tag) });
  }
  const gap = mostBy(stalls, (stall) => stall.leftAfter);
  if (gap && gap.leftAfter >= least) {
    const next = funnel[funnel.findIndex((line) => line.step === gap.step) + 1]?.step;
    return texts.lead({ step: gap.step, sessions: gap.leftAfter, next });
  }
  const slow = stalls.find((stall) => (stall.timesNorm ?? 0) >= 2 && stall.sessions >= least);
  if (slow?.dwell) {
    const times = number(slow.timesNorm ?? 0, tag, 1);
    return texts.shorten({ step: slow.step, time: timeOf(slow.dwell.p50Seconds, texts, tag), times });
  }
  return texts.fine(percent(leastShare, tag));
}

function mostBy<T>(list: readonly T[], amount: (item: T) => number): T | undefined {
  let most: T | undefined;
  for (const item of list) if (most === undefined || amount(item) > amount(most)) most = item;
  return most;
}

function share(rate: number | undefined, texts: ActionTexts, tag: string): string {
  if (rate === undefined) return '';
  return texts.share(percent(rate, tag));
}

/** A share in the tag's own style, with a decimal only where there is one: 62.5%, 100%. */
function percent(rate: number, tag: string): string {
  return new Intl.NumberFormat(tag, { style: 'percent', maximumFractionDigits: 1 }).format(rate);
}

function timeOf(seconds: number, texts: ActionTexts, tag: string): string {
  return seconds < 120 ? texts.seconds(number(seconds, tag, 0)) : texts.minutes(number(seconds / 60, tag, 0));
}

function number(value: number, tag: string, digits: number): string {
  const [minimumFractionDigits, maximumFractionDigits] = [digits, digits];
  return new Intl.NumberFormat(tag, { useGrouping: false, minimumFractionDigits, maximumFractionDigits }).format(value);
}
