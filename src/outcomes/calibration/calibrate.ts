import { createPace } from '../../base/turn.ts';
import type { Judgement } from '../judgement.ts';
import { type Interval, newcombe, wilson } from './intervals.ts';
import { type Reweighing, reweigh, type Settled } from './weights.ts';

/** How often the outcome was adverse. */
export interface AdverseRate {
  /** Outcomes, adverse or favourable. */
  outcomes: number;
  adverse: number;
  /** Absent if there are too few outcomes. */
  rate: Interval | undefined;
}

/** The results for a range of scores or for a level. */
export interface Band extends AdverseRate {
  /** The lowest score included; `to` is excluded, except that the last band includes 100. Undefined for a level. */
  from: number | undefined;
  to: number | undefined;
  /** The family's term for the level. Empty for a band of scores. */
  level: string;
}

/** What a check predicts. */
export interface Foretelling {
  check: string;
  whenFailed: AdverseRate;
  otherwise: AdverseRate;
  /** The rate when the check failed minus the rate otherwise. */
  difference: Interval;
  /** Whether the difference's interval excludes 0. */
  foretells: boolean;
}

/** What outcomes say about one version of a family's rules. */
export interface FamilyCalibration extends AdverseRate {
  family: string;
  pack: string;
  /** Outcomes that are neither adverse nor favourable. */
  neutral: number;
  /** What is missing before there can be figures; empty if there are figures. */
  notEnough: string;
  scores: Band[];
  levels: Band[];
  checks: Foretelling[];
  reweighing: Reweighing | undefined;
}

export interface JudgedOutcome {
  chargeId: string;
  judgement: Judgement;
  /** Undefined: neither adverse nor favourable. */
  adverse: boolean | undefined;
}

/** The fewest outcomes for figures beyond counts: of a family's rules, of a band, and on either side of a check. */
export const groupMin = 50;
export const bandMin = 10;
export const sideMin = 20;
const bandWidth = 10;
/** About 5 ms of processor time. */
const checksOfATurn = 50_000;
const checksMax = 50;
/** Families whose score is the weight of the checks that passed, so that other weights can be tried. */
const weighted: ReadonlySet<string> = new Set(['guidance', 'readiness', 'scoring', 'custom']);

/** What outcomes, newest first, say about each version of each family's rules; those with the most outcomes come first. */
export async function calibrate(outcomes: readonly JudgedOutcome[]): Promise<FamilyCalibration[]> {
  const groups = Map.groupBy(outcomes, ({ judgement }) => `${judgement.family}\n${judgement.pack}`);
  const calibrations: FamilyCalibration[] = [];
  for (const group of groups.values()) calibrations.push(await calibrateGroup(group));
  return calibrations.sort(
    (a, b) => b.outcomes - a.outcomes || (`${a.family} ${a.pack}` < `${b.family} ${b.pack}` ? -1 : 1),
  );
}

async function calibrateGroup(group: readonly JudgedOutcome[]): Promise<FamilyCalibration> {
  const { family = '', pack = '' } = group[0]?.judgement ?? {};
  const settled = group.flatMap(({ adverse, ...rest }): Settled[] =>
    adverse === undefined ? [] : [{ ...rest, adverse }],
  );
  const head = { family, pack, neutral: group.length - settled.length };
  const overall = rateOf(settled, groupMin);
  if (!overall.rate) {
    const notEnough = `not enough data: ${settled.length} of ${groupMin} outcomes`;
    return { ...head, ...overall, notEnough, scores: [], levels: [], checks: [], reweighing: undefined };
  }
  return {
    ...head,
    ...overall,
    notEnough: '',
    scores: scoreBands(settled),
    levels: levelBands(settled),
    checks: await foretellings(settled, family),
    reweighing: weighted.has(family) ? await reweigh(settled) : undefined,
  };
}

function rateOf(settled: readonly Settled[], least: number): AdverseRate {
  const adverse = settled.filter((one) => one.adverse).length;
  return ratio(adverse, settled.length, least);
}

function ratio(adverse: number, outcomes: number, least: number): AdverseRate {
  return { outcomes, adverse, rate: outcomes >= least ? wilson(adverse, outcomes) : undefined };
}

function scoreBands(settled: readonly Settled[]): Band[] {
  const scored = settled.filter(({ judgement }) => judgement.score !== undefined);
  const bandOf = ({ judgement: { score = 0 } }: Settled) =>
    Math.min(Math.floor(Math.max(score, 0) / bandWidth) * bandWidth, 100 - bandWidth);
  return [...Map.groupBy(scored, bandOf)]
    .sort(([a], [b]) => a - b)
    .map(([from, band]) => ({ from, to: from + bandWidth, level: '', ...rateOf(band, bandMin) }));
}

function levelBands(settled: readonly Settled[]): Band[] {
  const levelled = settled.filter(({ judgement }) => judgement.level !== '');
  return [...Map.groupBy(levelled, ({ judgement }) => judgement.level)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([level, band]) => ({ from: undefined, to: undefined, level, ...rateOf(band, bandMin) }));
}

/** The checks that both failed and did not fail often enough, largest differences first. */
async function foretellings(settled: readonly Settled[], family: string): Promise<Foretelling[]> {
  const counts = new Map<string, { failed: number; failedAdverse: number; other: number; otherAdverse: number }>();
  const pace = createPace(checksOfATurn);
  for (const { judgement, adverse } of settled) {
    await pace(judgement.checks.length);
    for (const { id, outcome } of judgement.checks) {
      const count = counts.get(id) ?? { failed: 0, failedAdverse: 0, other: 0, otherAdverse: 0 };
      counts.set(id, count);
      if (outcome === 'skipped') continue;
      count[outcome === 'failed' ? 'failed' : 'other'] += 1;
      if (adverse) count[outcome === 'failed' ? 'failedAdverse' : 'otherAdverse'] += 1;
    }
  }
  const all = rateOf(settled, 1);
  const found: Foretelling[] = [];
  for (const [check, count] of counts) {
    // The risk check names only what it found: a sign that is not named was not there.
    const other = family === 'risk' ? all.outcomes - count.failed : count.other;
    const otherAdverse = family === 'risk' ? all.adverse - count.failedAdverse : count.otherAdverse;
    if (count.failed < sideMin || other < sideMin) continue;
    const difference = newcombe({ hits: count.failedAdverse, n: count.failed }, { hits: otherAdverse, n: other });
    found.push({
      check,
      whenFailed: ratio(count.failedAdverse, count.failed, 1),
      otherwise: ratio(otherAdverse, other, 1),
      difference,
      foretells: difference.low > 0 || difference.high < 0,
    });
  }
  return found
    .sort((a, b) => Math.abs(b.difference.value) - Math.abs(a.difference.value) || (a.check < b.check ? -1 : 1))
    .slice(0, checksMax);
}
