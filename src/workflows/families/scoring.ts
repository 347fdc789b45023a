import type { JsonObject } from '@bufbuild/protobuf';
import { fail, invalid, type Result, succeed } from '../../base/failure.ts';
import { roundTo } from '../../base/round.ts';
import { foldText } from '../../base/text/fold.ts';
import type {
  DimensionScore,
  Driver,
  Indicator,
  ScoreBusinessReadinessRequest,
  ScoreBusinessReadinessResponse,
  ScorecardDimension,
} from '../../gen/intelligence/workflow/v1/scoring_pb.ts';
import type { CheckResult } from '../checks/checks.ts';
import { riskLevelOf } from '../checks/risk-level.ts';
import { basisOf, boundJson, counted, type Family, type Plain, type Prepared, type ReplyOf } from '../family.ts';
import { type ReadScorecard, readScorecards } from '../packs/scorecard-pack.ts';

export type ScoringRequest = Plain<ScoreBusinessReadinessRequest>;
export type ScoringReply = ReplyOf<ScoreBusinessReadinessResponse>;

export const scorecards = readScorecards();

interface Measured {
  indicator: Plain<Indicator>;
  /** The indicator's share of all weight, 0-1. */
  share: number;
  /** Undefined when it is not known. */
  score: number | undefined;
}

interface MeasuredDimension {
  dimension: Plain<ScorecardDimension>;
  share: number;
  measured: Measured[];
}

/** Turns what is known of a business into scores and ratings. */
export const scoringFamily: Family<ScoringRequest, ScoringReply> = {
  name: 'scoring',
  prepare(request): Result<Prepared<ScoringReply>> {
    for (const field of ['metrics', 'answers'] as const) {
      const bounded = boundJson(field, request[field]);
      if (!bounded.ok) return bounded;
    }
    const card = scorecardOf(request);
    if (!card.ok) return card;
    const measured = measure(card.value.dimensions, request.metrics ?? {}, request.answers ?? {});
    if (!measured.ok) return measured;
    return succeed({ variables: {}, ownChecks: [], compute: () => scoreBusiness(measured.value, card.value.label) });
  },
};

/** `A` from 85, `B` from 70, `C` from 55, `D` from 40, else `E`. */
export function ratingOf(score: number): string {
  if (score >= 85) return 'A';
  if (score >= 70) return 'B';
  if (score >= 55) return 'C';
  return score >= 40 ? 'D' : 'E';
}

/** The score at a value on the line through a curve's points; level before the first and after the last. */
export function scoreAt(curve: readonly { value: number; score: number }[], value: number): number {
  const points = [...curve].sort((a, b) => a.value - b.value);
  let before = points[0];
  if (before === undefined) return 0;
  if (value <= before.value) return before.score;
  for (const point of points.slice(1)) {
    if (value <= point.value) {
      const part = (value - before.value) / (point.value - before.value);
      return before.score + part * (point.score - before.score);
    }
    before = point;
  }
  return before.score;
}

function scorecardOf(request: ScoringRequest): Result<ReadScorecard> {
  const own = request.customScorecard;
  if (own === undefined) {
    const card = scorecards.get(request.scorecard || 'business-readiness');
    return card ? succeed(card) : fail(invalid('scorecard', `is not one of ${[...scorecards.keys()].join(', ')}`));
  }
  if (request.scorecard !== '') return fail(invalid('customScorecard', 'send either scorecard or customScorecard'));
  for (const [at, { indicators }] of own.dimensions.entries())
    for (const [inner, { curve, choices }] of indicators.entries()) {
      const field = `customScorecard.dimensions[${at}].indicators[${inner}]`;
      const hasChoices = Object.keys(choices).length > 0;
      if (hasChoices === curve.length > 0) return fail(invalid(field, 'needs either a curve or choices'));
      if (curve.length === 1) return fail(invalid(`${field}.curve`, 'needs at least two points'));
      if (new Set(curve.map(({ value }) => value)).size < curve.length)
        return fail(invalid(`${field}.curve`, 'has two points with the same value'));
    }
  return succeed({ label: `scorecard/${own.name}`, dimensions: own.dimensions, examples: [] });
}

function measure(
  dimensions: readonly Plain<ScorecardDimension>[],
  metrics: JsonObject,
  answers: JsonObject,
): Result<MeasuredDimension[]> {
  const all = dimensions.reduce((sum, { weight }) => sum + (weight ?? 1), 0);
  const result: MeasuredDimension[] = [];
  for (const dimension of dimensions) {
    const share = all === 0 ? 0 : (dimension.weight ?? 1) / all;
    const inner = dimension.indicators.reduce((sum, { weight }) => sum + (weight ?? 1), 0);
    const measured: Measured[] = [];
    for (const indicator of dimension.indicators) {
      const score = scoreOfIndicator(indicator, metrics, answers);
      if (!score.ok) return score;
      measured.push({
        indicator,
        share: inner === 0 ? 0 : (share * (indicator.weight ?? 1)) / inner,
        score: score.value,
      });
    }
    result.push({ dimension, share, measured });
  }
  return succeed(result);
}

function scoreOfIndicator(
  indicator: Plain<Indicator>,
  metrics: JsonObject,
  answers: JsonObject,
): Result<number | undefined> {
  const { name, curve, choices } = indicator;
  if (curve.length > 0) {
    const value = Object.hasOwn(metrics, name) ? metrics[name] : undefined;
    if (value === undefined || value === null) return succeed(undefined);
    if (typeof value !== 'number' || !Number.isFinite(value))
      return fail(invalid(`metrics.${name}`, 'has to be a number'));
    return succeed(scoreAt(curve, value));
  }
  const answer = Object.hasOwn(answers, name) ? answers[name] : undefined;
  if (answer === undefined || answer === null || answer === '') return succeed(undefined);
  const said = foldText(answer === true ? 'yes' : answer === false ? 'no' : String(answer)).replaceAll(' ', '_');
  const found = Object.entries(choices).find(([choice]) => foldText(choice).replaceAll(' ', '_') === said);
  if (!found) return fail(invalid(`answers.${name}`, `is not one of ${Object.keys(choices).join(', ')}`));
  return succeed(found[1]);
}

function scoreBusiness(dimensions: readonly MeasuredDimension[], label: string): ScoringReply {
  const scored = dimensions.map((one) => ({ ...one, ...weighted(one.measured) }));
  // What is not known neither helps nor harms the score; it lowers coverage and confidence.
  const known = scored.filter(({ score }) => score !== undefined);
  const knownShare = known.reduce((sum, { share }) => sum + share, 0);
  const overall =
    knownShare === 0 ? 0 : known.reduce((sum, { share, score }) => sum + share * (score ?? 0), 0) / knownShare;
  const overallScore = roundTo(overall, 1);
  const coverage = roundTo(
    scored.reduce((sum, { share, coverage }) => sum + share * coverage, 0),
    3,
  );
  const flat = dimensions.flatMap(({ measured }) => measured);
  const missing = flat.filter(({ score }) => score === undefined).sort((a, b) => b.share - a.share);
  const weakest = worst(flat);
  return {
    overallScore,
    rating: ratingOf(overallScore),
    riskLevel: riskLevelOf(100 - overallScore),
    dimensions: scored.map(({ dimension, measured, score, coverage }) =>
      dimensionReply(dimension, measured, score, coverage),
    ),
    coverage,
    confidence: confidenceOf(scored, coverage),
    missingFacts: missing.map(({ indicator }) => indicator.label || indicator.name),
    nextBestAction: nextAction(weakest, missing[0], coverage),
    summary: summaryOf(overallScore, coverage, missing.length),
    basis: basisOf(flat.map(asCheck), label),
  };
}

function weighted(measured: readonly Measured[]): { score: number | undefined; coverage: number } {
  const all = measured.reduce((sum, { share }) => sum + share, 0);
  const known = measured.filter(({ score }) => score !== undefined);
  const share = known.reduce((sum, one) => sum + one.share, 0);
  if (share === 0) return { score: undefined, coverage: 0 };
  return { score: known.reduce((sum, one) => sum + one.share * (one.score ?? 0), 0) / share, coverage: share / all };
}

/**
 * How far the score can be relied on: how much is known, lowered when what is known is all in a few dimensions (a score
 * of finance alone says little of a business).
 */
function confidenceOf(scored: readonly { share: number; coverage: number }[], coverage: number): number {
  const touched = scored.reduce((sum, one) => sum + (one.coverage > 0 ? one.share : 0), 0);
  return roundTo(coverage * (0.5 + 0.5 * touched), 2);
}

function dimensionReply(
  { name, label }: Plain<ScorecardDimension>,
  measured: readonly Measured[],
  score: number | undefined,
  coverage: number,
): Plain<DimensionScore> {
  const drivers = measured
    .filter((one) => one.score !== undefined)
    .map(driverOf)
    .sort((a, b) => Math.abs(b.effect) - Math.abs(a.effect))
    .slice(0, 3);
  const rounded = score === undefined ? undefined : roundTo(score, 1);
  const rating = rounded === undefined ? '' : ratingOf(rounded);
  return { name, label: label || name, score: rounded, rating, coverage: roundTo(coverage, 3), drivers };
}

function driverOf({ indicator, share, score = 0 }: Measured): Plain<Driver> {
  const label = indicator.label || indicator.name;
  const effect = roundTo((score - 50) * share, 2);
  const moves = effect > 0 ? 'raises' : effect < 0 ? 'lowers' : 'does not move';
  const message = `${label} scores ${roundTo(score, 1)} and ${moves} the overall score.`;
  return { indicator: indicator.name, label, score: roundTo(score, 1), effect, message };
}

/** The indicator with which most points are lost. */
function worst(measured: readonly Measured[]): Measured | undefined {
  const lost = ({ share, score = 100 }: Measured) => share * (100 - score);
  return measured.filter((one) => one.score !== undefined && lost(one) > 0).sort((a, b) => lost(b) - lost(a))[0];
}

function nextAction(weakest: Measured | undefined, missing: Measured | undefined, coverage: number): string {
  const named = (one: Measured) => one.indicator.label || one.indicator.name;
  // Below half, knowing more moves the score more than doing better.
  if (missing && (coverage < 0.5 || !weakest)) return `Find out and state: ${named(missing)}.`;
  if (!weakest) return 'Keep it so, and measure again in three months.';
  return weakest.indicator.action || `Improve: ${named(weakest)}.`;
}

function asCheck({ indicator, share, score }: Measured): CheckResult {
  const label = indicator.label || indicator.name;
  const low = score !== undefined && score < 50;
  return {
    outcome: score === undefined ? 'skipped' : low ? 'failed' : 'passed',
    rule: {
      id: indicator.name,
      fact: label,
      pass: '',
      weight: roundTo(share * 100, 2),
      severity: low && score < 25 ? 'high' : 'medium',
      message: score === undefined ? '' : `${label} scores ${roundTo(score, 1)} of 100.`,
      action: indicator.action,
    },
  };
}

function summaryOf(score: number, coverage: number, missing: number): string {
  if (coverage === 0) return 'Nothing is known of the business yet.';
  const known =
    missing === 0
      ? 'Everything that counts is known.'
      : `${counted(missing, 'indicator is', 'indicators are')} not known.`;
  return `The business scores ${score} of 100, rating ${ratingOf(score)}. ${known}`;
}
