import type { JsonObject } from '@bufbuild/protobuf';
import { fail, type Result, succeed } from '../../base/failure.ts';
import { ownValue } from '../../base/own-value.ts';
import type {
  Indicator,
  RatingCap,
  RatingGate,
  ScorecardDimension,
} from '../../gen/intelligence/workflow/v1/scoring_pb.ts';
import type { Plain } from '../family.ts';
import type { Message, Words } from '../words/index.ts';
import { type ChoiceNames, readAnswer } from './scoring-answers.ts';
import { contradictionsIn } from './scoring-contradictions.ts';
import { type NumberContext, type ReadMetrics, readMetrics } from './scoring-numbers.ts';
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

/** How what a caller writes is read. */
export interface ReadingContext extends NumberContext {
  choiceNames: ChoiceNames;
  words: Words;
}

const refusedMax = 100;

/** Every indicator with its share of the weight and its score. Fails with all values that cannot be read. */
export function measure(
  dimensions: readonly Plain<ScorecardDimension>[],
  metrics: JsonObject,
  answers: JsonObject,
  context: ReadingContext,
): Result<MeasuredDimension[]> {
  const indicators = dimensions.flatMap((one) => one.indicators);
  const read = readMetrics(
    indicators.filter(({ curve }) => curve.length > 0),
    metrics,
    context,
  );
  const unsigned = indicators.filter(({ name }) => !read.inPercent.has(name));
  const fractions = readFractions(unsigned, read.numbers);
  const contradictions = contradictionsIn(read.numbers);
  const all = dimensions.reduce((sum, { weight }) => sum + (weight ?? 1), 0);
  const result: MeasuredDimension[] = [];
  const refused = new Map<string, string>();
  for (const dimension of dimensions) {
    const share = all === 0 ? 0 : (dimension.weight ?? 1) / all;
    const inner = dimension.indicators.reduce((sum, { weight }) => sum + (weight ?? 1), 0);
    const measured: Measured[] = [];
    for (const indicator of dimension.indicators) {
      const found = scoreOfIndicator(indicator, read, answers, { fractions, contradictions }, context);
      if ('refused' in found) refused.set(found.field, context.words.tell(found.refused));
      else measured.push({ indicator, share: inner === 0 ? 0 : (share * (indicator.weight ?? 1)) / inner, ...found });
    }
    result.push({ dimension, share, measured });
  }
  if (refused.size === 0) return succeed(result);
  const violations = [...refused].slice(0, refusedMax).map(([field, description]) => ({ field, description }));
  return fail({ kind: 'invalid_argument', violations });
}

function scoreOfIndicator(
  indicator: Plain<Indicator>,
  { numbers, refused }: ReadMetrics,
  answers: JsonObject,
  {
    fractions,
    contradictions,
  }: { fractions: ReadonlySet<string>; contradictions: ReturnType<typeof contradictionsIn> },
  context: ReadingContext,
): Pick<Measured, 'score' | 'choice' | 'impossible'> | { field: string; refused: Message } {
  const { name, curve, choices } = indicator;
  if (curve.length > 0) {
    const field = `metrics.${name}`;
    const problem = refused.get(name);
    if (problem) return { field, refused: problem };
    const value = numbers.get(name);
    if (value === undefined) return { score: undefined };
    const why = impossibleBecause(indicator, value, fractions.has(name)) ?? contradictions.get(name);
    return why === undefined ? { score: scoreAt(curve, value) } : { score: undefined, impossible: { field, why } };
  }
  const answer = ownValue(answers, name);
  const read = readAnswer(indicator, answer, context);
  if (read === undefined) return { score: undefined };
  if (typeof read !== 'string') return { field: `answers.${name}`, refused: read };
  return { score: choices[read], choice: read };
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
