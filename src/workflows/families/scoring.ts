import { fail, invalid, type Result, succeed } from '../../base/failure.ts';
import { ownValue } from '../../base/own-value.ts';
import { roundTo } from '../../base/round.ts';
import { foldText } from '../../base/text/fold.ts';
import { nearestName } from '../../base/text/nearest.ts';
import { spaced } from '../../base/text/spaced.ts';
import { spokenLabel } from '../../base/text/spoken-name.ts';
import type {
  DimensionScore,
  Driver,
  ImpossibleValue,
  RatingCap,
  ScoreBusinessReadinessRequest,
  ScoreBusinessReadinessResponse,
  ScorecardDimension,
} from '../../gen/intelligence/workflow/v1/scoring_pb.ts';
import type { UnusedField } from '../../gen/intelligence/workflow/v1/unused_field_pb.ts';
import type { CheckResult } from '../checks/checks.ts';
import { riskLevelOf } from '../checks/risk-level.ts';
import { basisOf, boundJson, type Family, type Plain, type Prepared, type ReplyOf } from '../family.ts';
import { type ReadScorecard, readChoiceWords, readScorecards } from '../packs/scorecard-pack.ts';
import { unusedFieldsOf } from '../unused-fields.ts';
import { decimalSignIn, indicatorLabels, scorecardWordsOf, type Words, wordsFor } from '../words/index.ts';
import { commonGatesOf } from './common-gates.ts';
import {
  capsOf,
  type Measured,
  type MeasuredDimension,
  measure,
  type ReadingContext,
  ratingOf,
} from './scoring-measure.ts';

export type ScoringRequest = Plain<ScoreBusinessReadinessRequest>;
export type ScoringReply = ReplyOf<ScoreBusinessReadinessResponse>;

export const scorecards = readScorecards();
const choiceWords = readChoiceWords();

const defaultScorecard = 'business-readiness';

// Below half, the unknown decides more than the known.
const coverageFloor = 0.5;

/** Turns what is known about a business into scores and ratings. */
export const scoringFamily: Family<ScoringRequest, ScoringReply> = {
  name: 'scoring',
  prepare(request): Result<Prepared<ScoringReply>> {
    for (const field of ['metrics', 'answers'] as const) {
      const bounded = boundJson(field, request[field]);
      if (!bounded.ok) return bounded;
    }
    const card = scorecardOf(request);
    if (!card.ok) return card;
    const words = wordsFor(request.locale, textOf(request));
    const context = contextOf(request, words);
    const measured = measure(card.value.dimensions, request.metrics ?? {}, request.answers ?? {}, context);
    if (!measured.ok) return measured;
    const shown = inWords(measured.value, request, words);
    return succeed({ variables: {}, ownChecks: [], compute: () => scoreBusiness(request, shown, card.value, words) });
  },
};

function scorecardOf(request: ScoringRequest): Result<Pick<ReadScorecard, 'label' | 'dimensions' | 'gates'>> {
  const own = request.customScorecard;
  if (own === undefined) {
    const card = scorecards.get(request.scorecard || defaultScorecard);
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
  const names = new Set(own.dimensions.flatMap(({ indicators }) => indicators.map(({ name }) => name)));
  const stray = own.gates.findIndex(({ indicator }) => !names.has(indicator));
  if (stray >= 0) {
    const near = nearestName(own.gates[stray]?.indicator ?? '', names);
    const hint = near === undefined ? '' : `; perhaps ${near} is meant`;
    return fail(invalid(`customScorecard.gates[${stray}].indicator`, `is no indicator of the scorecard${hint}`));
  }
  const gates = own.gates.length > 0 ? own.gates : commonGatesOf(own.dimensions);
  return succeed({ label: `scorecard/${own.name}`, dimensions: own.dimensions, gates });
}

/** Text that reveals the reader's language: the words of the caller's own scorecard. */
function textOf({ customScorecard }: ScoringRequest): string {
  const dimensions = customScorecard?.dimensions ?? [];
  return dimensions
    .flatMap(({ label, indicators }) => [label, ...indicators.flatMap((one) => [one.label, one.action])])
    .join('\n');
}

/** How the request's values are read: its locale decides what 1.234 is, and the labels which words only repeat an indicator. */
function contextOf(request: ScoringRequest, words: Words): ReadingContext {
  const name = request.customScorecard ? '' : request.scorecard || defaultScorecard;
  const spoken = scorecardWordsOf(words, name)?.indicators;
  const labels = Map.groupBy(indicatorLabels(name), ([, indicator]) => indicator);
  const choices = choiceWords[name] ?? {};
  const common = request.customScorecard ? commonLabels(words) : undefined;
  return {
    words,
    sign: decimalSignIn(request.locale),
    labelOf: ({ name, label }) => ownValue(spoken, name)?.label || label || common?.get(name) || spokenLabel(name),
    wordsFor({ name, label }) {
      const all = [label, spaced(name), ...(labels.get(name) ?? []).map(([one]) => one)].join(' ');
      return new Set(foldText(all).split(/[^\p{L}\p{N}]+/u));
    },
    choiceNames: {
      labelsOf: (indicator) =>
        Object.entries(ownValue(choices, indicator) ?? {}).flatMap(([choice, called]) =>
          Object.values(called).flatMap((names) => (names ?? []).map((one) => [one, choice] as const)),
        ),
      labelOf: (indicator, choice) =>
        (spoken === undefined ? undefined : ownValue(ownValue(choices, indicator), choice)?.[words.language]?.[0]) ??
        choice,
    },
  };
}

/**
 * The measurements, with a shipped scorecard's labels and actions in the reader's language. If a caller's own scorecard has no
 * label for an indicator, the label of the shipped one of the same name is used, or the name in words.
 */
function inWords(
  dimensions: readonly MeasuredDimension[],
  { customScorecard, scorecard }: ScoringRequest,
  words: Words,
): readonly MeasuredDimension[] {
  const spoken = customScorecard ? undefined : scorecardWordsOf(words, scorecard || defaultScorecard);
  const actions = customScorecard ? undefined : scorecards.get(scorecard || defaultScorecard)?.actions;
  const common = customScorecard ? commonLabels(words) : undefined;
  return dimensions.map(({ dimension, share, measured }) => ({
    share,
    dimension: {
      ...dimension,
      label: ownValue(spoken?.dimensions, dimension.name) || dimension.label || spokenLabel(dimension.name),
    },
    measured: measured.map((one) => {
      const { name, label, action } = one.indicator;
      const said = ownValue(spoken?.indicators, name) ?? { label, action, actions: actions?.get(name) ?? {} };
      const afterAnswer = one.choice === undefined ? undefined : ownValue(said.actions, one.choice);
      const shown = said.label || common?.get(name) || spokenLabel(name);
      return { ...one, indicator: { ...one.indicator, label: shown, action: afterAnswer ?? said.action } };
    }),
  }));
}

/** The labels of the default scorecard's indicators in the reader's language. */
function commonLabels(words: Words): ReadonlyMap<string, string> {
  const spoken = scorecardWordsOf(words, defaultScorecard)?.indicators;
  const indicators = scorecards.get(defaultScorecard)?.dimensions.flatMap((one) => one.indicators) ?? [];
  return new Map(indicators.map(({ name, label }) => [name, spoken?.[name]?.label ?? label]));
}

function scoreBusiness(
  request: ScoringRequest,
  dimensions: readonly MeasuredDimension[],
  { label, gates }: Pick<ReadScorecard, 'label' | 'gates'>,
  words: Words,
): ScoringReply {
  const { tell } = words;
  const scored = dimensions.map((one) => ({ ...one, ...weighted(one.measured) }));
  // Unknown values neither help nor harm the score; they lower coverage and confidence.
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
  const gated = new Set(gates.map(({ indicator }) => indicator));
  const missing = flat
    .filter(({ score }) => score === undefined)
    .sort((a, b) => Number(gated.has(b.indicator.name)) - Number(gated.has(a.indicator.name)) || b.share - a.share);
  const caps = capsOf(gates, flat, words);
  const impossible = flat
    .flatMap((one) => (one.impossible ? [{ one, ...one.impossible }] : []))
    .map(({ one, field, why }) => ({ field, message: tell(why(nameOf(one))) }))
    .slice(0, 100);
  const rating = coverage < coverageFloor ? '' : ratingUnder(ratingOf(overallScore), caps);
  return {
    overallScore,
    rating,
    riskLevel: riskOf(rating, overallScore),
    dimensions: scored.map(({ dimension, measured, score, coverage }) =>
      dimensionReply(dimension, measured, score, coverage, words),
    ),
    coverage,
    confidence: confidenceOf(scored, coverage),
    missingFacts: missing.map(nameOf),
    nextBestAction: nextAction({ caps, impossible, missing, rating, flat }, words),
    summary: summaryOf({ score: overallScore, rating, coverage, missing: missing.length, caps }, words),
    basis: basisOf(
      flat.map((one) => asCheck(one, words)),
      label,
      words,
    ),
    unusedFields: unusedFields(request, flat),
    impossibleValues: impossible,
    caps,
  };
}

/** The rating, or the best rating that the closed gates allow if that is worse. */
function ratingUnder(rating: string, caps: readonly Plain<RatingCap>[]): string {
  return caps.reduce((worst, cap) => (cap.rating > worst ? cap.rating : worst), rating);
}

/** By score. Without a rating, the level is unknown; a capped rating gets no level that its letter could not have. */
function riskOf(rating: string, score: number): string {
  if (rating === '') return 'unknown';
  if (rating === 'E') return riskLevelOf(100);
  const level = riskLevelOf(100 - score);
  return rating === 'D' && (level === 'low' || level === 'medium') ? 'high' : level;
}

function unusedFields(request: ScoringRequest, measured: readonly Measured[]): Plain<UnusedField>[] {
  const names = (byCurve: boolean) =>
    new Set(measured.flatMap(({ indicator }) => (indicator.curve.length > 0 === byCurve ? [indicator.name] : [])));
  const labels = [
    ...measured.map(({ indicator: { label, name } }) => [label, name] as const),
    ...indicatorLabels(request.customScorecard ? '' : request.scorecard || defaultScorecard),
  ];
  return [
    ...unusedFieldsOf('metrics', request.metrics, names(true), labels),
    ...unusedFieldsOf('answers', request.answers, names(false), labels),
  ].slice(0, 100);
}

function nameOf({ indicator }: Measured): string {
  return indicator.label || indicator.name;
}

function weighted(measured: readonly Measured[]): { score: number | undefined; coverage: number } {
  const all = measured.reduce((sum, { share }) => sum + share, 0);
  const known = measured.filter(({ score }) => score !== undefined);
  const share = known.reduce((sum, one) => sum + one.share, 0);
  if (share === 0) return { score: undefined, coverage: 0 };
  return { score: known.reduce((sum, one) => sum + one.share * (one.score ?? 0), 0) / share, coverage: share / all };
}

/**
 * How reliable the score is: how much is known, lowered if everything known is in a few dimensions (a score of finance alone
 * says little about a business).
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
  words: Words,
): Plain<DimensionScore> {
  const drivers = measured
    .filter((one) => one.score !== undefined)
    .map((one) => driverOf(one, words))
    .sort((a, b) => Math.abs(b.effect) - Math.abs(a.effect))
    .slice(0, 3);
  const rounded = score === undefined ? undefined : roundTo(score, 1);
  const rating = rounded === undefined || coverage < coverageFloor ? '' : ratingOf(rounded);
  return { name, label: label || name, score: rounded, rating, coverage: roundTo(coverage, 3), drivers };
}

function driverOf({ indicator, share, score = 0 }: Measured, { say }: Words): Plain<Driver> {
  const label = indicator.label || indicator.name;
  const effect = roundTo((score - 50) * share, 2);
  const moves = effect > 0 ? 'scorecard.raises' : effect < 0 ? 'scorecard.lowers' : 'scorecard.moves';
  const message = say(moves, { label, score: roundTo(score, 1) });
  return { indicator: indicator.name, label, score: roundTo(score, 1), effect, message };
}

// From this score up, an indicator is as good as its advice would make it.
const goodFrom = 85;

/** Among the indicators that are not good yet, the one that costs the most points. */
function worst(measured: readonly Measured[]): Measured | undefined {
  const lost = ({ share, score = 100 }: Measured) => share * (100 - score);
  return measured.filter((one) => (one.score ?? goodFrom) < goodFrom).sort((a, b) => lost(b) - lost(a))[0];
}

function nextAction(
  known: {
    caps: readonly Plain<RatingCap>[];
    impossible: readonly Plain<ImpossibleValue>[];
    missing: readonly Measured[];
    rating: string;
    flat: readonly Measured[];
  },
  { say, language }: Words,
): string {
  const { caps, impossible, missing, rating, flat } = known;
  // The gravest gate first: nothing else helps while it is closed.
  const [gate] = [...caps].sort((a, b) => b.rating.localeCompare(a.rating));
  const closed = flat.find(({ indicator }) => indicator.name === gate?.indicator);
  if (closed) return closed.indicator.action || say('scorecard.settle', { label: nameOf(closed) });
  if (impossible[0]) return say('scorecard.correct', { message: impossible[0].message });
  if (rating === '')
    return say('scorecard.findOut', {
      labels: missing
        .slice(0, 3)
        .map(nameOf)
        .join(language === 'fr' ? ' ; ' : '; '),
    });
  const weakest = worst(flat);
  if (weakest) return weakest.indicator.action || say('scorecard.improve', { label: nameOf(weakest) });
  if (missing[0]) return say('scorecard.findOut', { labels: nameOf(missing[0]) });
  return say('scorecard.keep');
}

function asCheck({ indicator, share, score }: Measured, { say }: Words): CheckResult {
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
      message: score === undefined ? '' : say('scorecard.points', { label, score: roundTo(score, 1) }),
      action: indicator.action,
    },
  };
}

function summaryOf(
  facts: { score: number; rating: string; coverage: number; missing: number; caps: readonly Plain<RatingCap>[] },
  { say }: Words,
): string {
  const { score, rating, coverage, missing, caps } = facts;
  if (coverage === 0) return say('scorecard.nothingKnown');
  if (rating === '') return say('scorecard.notEnough', { percent: roundTo(coverage * 100, 1) });
  const byScore = ratingOf(score);
  const capped = caps.length === 0 || rating === byScore ? [] : [say('scorecard.byScore', { rating: byScore })];
  const known = missing === 0 ? say('scorecard.allKnown') : say('scorecard.unknown', { count: missing });
  return [say('scorecard.scores', { score, rating }), ...capped, known].join(' ');
}
