import type { JsonObject } from '@bufbuild/protobuf';
import { fail, invalid, type Result, succeed } from '../../base/failure.ts';
import { foldText } from '../../base/text/fold.ts';
import type {
  Indicator,
  RatingCap,
  RatingGate,
  ScorecardDimension,
} from '../../gen/intelligence/workflow/v1/scoring_pb.ts';
import type { Plain } from '../family.ts';
import { readAnswerWords } from '../packs/scorecard-pack.ts';
import type { Message, Words } from '../words/index.ts';
import { impossibleBecause, readFractions } from './scoring-values.ts';

export interface Measured {
  indicator: Plain<Indicator>;
  /** The indicator's share of the total weight, 0-1. */
  share: number;
  /** Undefined if the value is unknown or impossible. */
  score: number | undefined;
  /** The answer in the scorecard's wording. */
  choice?: string | undefined;
  impossible?: Impossible | undefined;
}

/** An impossible value, and why it is one. */
export interface Impossible {
  field: string;
  why: (label: string) => Message;
}

export interface MeasuredDimension {
  dimension: Plain<ScorecardDimension>;
  share: number;
  measured: Measured[];
}

/** `A` from 85, `B` from 70, `C` from 55, `D` from 40, else `E`. */
export function ratingOf(score: number): string {
  if (score >= 85) return 'A';
  if (score >= 70) return 'B';
  if (score >= 55) return 'C';
  return score >= 40 ? 'D' : 'E';
}

/** The score for a value, interpolated linearly between a curve's points; constant before the first and after the last. */
export function scoreAt(curve: readonly { value: number; score: number }[], value: number): number {
  const points = [...curve].sort((a, b) => a.value - b.value);
  let before = points[0];
  if (before === undefined) return 0;
  if (value <= before.value) return before.score;
  for (const point of points.slice(1)) {
    if (value <= point.value) {
      // Halved, since the span of two finite numbers may be infinite.
      const part = (value / 2 - before.value / 2) / (point.value / 2 - before.value / 2);
      return before.score + part * (point.score - before.score);
    }
    before = point;
  }
  return before.score;
}

/** Every indicator with its share of the weight and its score. Fails if a value has the wrong type. */
export function measure(
  dimensions: readonly Plain<ScorecardDimension>[],
  metrics: JsonObject,
  answers: JsonObject,
  words: Words,
): Result<MeasuredDimension[]> {
  const indicators = dimensions.flatMap((one) => one.indicators);
  const fractions = readFractions(indicators, metrics);
  const all = dimensions.reduce((sum, { weight }) => sum + (weight ?? 1), 0);
  const result: MeasuredDimension[] = [];
  for (const dimension of dimensions) {
    const share = all === 0 ? 0 : (dimension.weight ?? 1) / all;
    const inner = dimension.indicators.reduce((sum, { weight }) => sum + (weight ?? 1), 0);
    const measured: Measured[] = [];
    for (const indicator of dimension.indicators) {
      const found = scoreOfIndicator(indicator, metrics, answers, fractions, words);
      if (!found.ok) return found;
      measured.push({ indicator, share: inner === 0 ? 0 : (share * (indicator.weight ?? 1)) / inner, ...found.value });
    }
    result.push({ dimension, share, measured });
  }
  return succeed(result);
}

function scoreOfIndicator(
  indicator: Plain<Indicator>,
  metrics: JsonObject,
  answers: JsonObject,
  fractions: ReadonlySet<string>,
  { say }: Words,
): Result<Pick<Measured, 'score' | 'choice' | 'impossible'>> {
  const { name, curve, choices } = indicator;
  if (curve.length > 0) {
    const value = Object.hasOwn(metrics, name) ? metrics[name] : undefined;
    if (value === undefined || value === null) return succeed({ score: undefined });
    if (typeof value !== 'number' || !Number.isFinite(value))
      return fail(invalid(`metrics.${name}`, say('scorecard.number')));
    const why = impossibleBecause(indicator, value, fractions.has(name));
    if (why === undefined) return succeed({ score: scoreAt(curve, value) });
    return succeed({ score: undefined, impossible: { field: `metrics.${name}`, why } });
  }
  const answer = Object.hasOwn(answers, name) ? answers[name] : undefined;
  if (answer === undefined || answer === null || answer === '') return succeed({ score: undefined });
  const choice = choiceOf(String(answer), choices);
  if (choice === undefined)
    return fail(invalid(`answers.${name}`, say('scorecard.notOneOf', { choices: Object.keys(choices).join(', ') })));
  return succeed({ score: choices[choice], choice });
}

/** The words that mean the same as a word, itself included; all in comparable form. */
const sayingTheSame: ReadonlyMap<string, readonly string[]> = new Map(
  readAnswerWords().flatMap((words) => {
    const same = words.map(comparable);
    return same.map((word) => [word, same] as const);
  }),
);

/** Ways to say that there is nothing of it; which of them a scorecard calls it by is its author's choice. */
const nothing: readonly string[] = ['no', 'none', 'never', 'not_yet', 'missing'].flatMap(
  (word) => sayingTheSame.get(word) ?? [],
);

/** The choice that an answer names, or means: "ja" is yes, "monatlich" is monthly, "noch nicht" is none. */
function choiceOf(answer: string, choices: Readonly<Record<string, number>>): string | undefined {
  if (Object.hasOwn(choices, answer)) return answer;
  const known = new Map(Object.keys(choices).map((choice) => [comparable(choice), choice]));
  const word = comparable(answer);
  if (known.has(word)) return known.get(word);
  const same = [...(sayingTheSame.get(word) ?? []), ...(nothing.includes(word) ? nothing : [])];
  const meant = same.find((one) => known.has(one));
  return meant === undefined ? undefined : known.get(meant);
}

function comparable(text: string): string {
  return foldText(text).replaceAll(/[ _’']/g, '_');
}

const gateBelow = 50;

/** The closed gates. A gate whose indicator is unknown is open: unknown values are reported as missing. */
export function capsOf(
  gates: readonly Plain<RatingGate>[],
  measured: readonly Measured[],
  { say }: Words,
): Plain<RatingCap>[] {
  return gates.flatMap(({ indicator: name, below = gateBelow, rating }) => {
    const found = measured.find(({ indicator }) => indicator.name === name);
    if (found?.score === undefined || found.score >= below) return [];
    const best = rating || 'D';
    const label = found.indicator.label || name;
    return [{ indicator: name, rating: best, message: say('scorecard.cap', { rating: best, label }) }];
  });
}
