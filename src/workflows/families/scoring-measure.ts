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
import type { Words } from '../words/index.ts';

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

/** An impossible value: below the minimum or above the maximum. */
export interface Impossible {
  field: string;
  why: 'scorecard.below' | 'scorecard.above';
  limit: number;
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
      const part = (value - before.value) / (point.value - before.value);
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
): Result<MeasuredDimension[]> {
  const all = dimensions.reduce((sum, { weight }) => sum + (weight ?? 1), 0);
  const result: MeasuredDimension[] = [];
  for (const dimension of dimensions) {
    const share = all === 0 ? 0 : (dimension.weight ?? 1) / all;
    const inner = dimension.indicators.reduce((sum, { weight }) => sum + (weight ?? 1), 0);
    const measured: Measured[] = [];
    for (const indicator of dimension.indicators) {
      const found = scoreOfIndicator(indicator, metrics, answers);
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
): Result<Pick<Measured, 'score' | 'choice' | 'impossible'>> {
  const { name, curve, choices } = indicator;
  if (curve.length > 0) {
    const value = Object.hasOwn(metrics, name) ? metrics[name] : undefined;
    if (value === undefined || value === null) return succeed({ score: undefined });
    if (typeof value !== 'number' || !Number.isFinite(value))
      return fail(invalid(`metrics.${name}`, 'has to be a number'));
    const why = impossibleBecause(indicator, value);
    if (why === undefined) return succeed({ score: scoreAt(curve, value) });
    return succeed({ score: undefined, impossible: { field: `metrics.${name}`, ...why } });
  }
  const answer = Object.hasOwn(answers, name) ? answers[name] : undefined;
  if (answer === undefined || answer === null || answer === '') return succeed({ score: undefined });
  const choice = choiceOf(String(answer), choices);
  if (choice === undefined) return fail(invalid(`answers.${name}`, `is not one of ${Object.keys(choices).join(', ')}`));
  return succeed({ score: choices[choice], choice });
}

/** The words that mean the same as a word, itself included; all in comparable form. */
const sayingTheSame: ReadonlyMap<string, readonly string[]> = new Map(
  readAnswerWords().flatMap((words) => {
    const same = words.map(comparable);
    return same.map((word) => [word, same] as const);
  }),
);

/** The choice that an answer names, or means: "ja" is yes, "monatlich" is monthly. */
function choiceOf(answer: string, choices: Readonly<Record<string, number>>): string | undefined {
  if (Object.hasOwn(choices, answer)) return answer;
  const known = new Map(Object.keys(choices).map((choice) => [comparable(choice), choice]));
  const word = comparable(answer);
  if (known.has(word)) return known.get(word);
  const meant = sayingTheSame.get(word)?.find((same) => known.has(same));
  return meant === undefined ? undefined : known.get(meant);
}

function comparable(text: string): string {
  return foldText(text).replaceAll(/[ _’']/g, '_');
}

// Shares that may still be negative or above the whole: gains, losses and changes.
const signed =
  /marg(?:e\b|in|en\b)|growth|profit|change|cash.?flow|return.?on|\broi\b|\broe\b|result|balance|delta|varia|ebit|markup|net.?(worth|income)|wachstum|gewinn|ergebnis|(?:ver)?anderung|rendite|rentabil|aufschlag|saldo|crecimiento|beneficio|ganancia|cambio|incremento|croissance|benefice|evolution|solde|rendement|\bnps\b|promoter/;
const percentage = /percent|pct\b|%|\bshare\b|prozent|anteil|quote\b|porcentaje|\btasa\b|pourcentage|\btaux\b/;
const graded = /rating|stars|sterne|bewertung|estrellas|valoracion|puntuacion|etoiles|\bnote\b/;
// "1–5", "von 10", "sur 20".
const scale = /(?:\b(?:out of|von|sobre|sur)|\/) ?(5|6|10|20|100)\b|\b[01] (?:(?:to|bis|a) )?(5|6|10|20|100)\b/;

/** Why a number is impossible, by the indicator's bounds, or else by its kind and curve; undefined if it is possible. */
function impossibleBecause(
  { name, label, curve, min, max }: Plain<Indicator>,
  value: number,
): Omit<Impossible, 'field'> | undefined {
  const words = foldText(`${spaced(name)} ${label}`);
  const values = curve.map((point) => point.value);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const isSigned = signed.test(words);
  const lowest = min ?? (isSigned || least < 0 ? undefined : 0);
  const isShare = percentage.test(words) && !isSigned && most <= 100;
  // A curve that ends at 1 is of fractions.
  const whole = most === 1 ? 1 : 100;
  const [, outOf, upTo] = graded.test(words) ? (scale.exec(words) ?? []) : [];
  const highest = max ?? (isShare ? whole : graded.test(words) ? Number(outOf ?? upTo ?? most) : undefined);
  if (lowest !== undefined && value < lowest) return { why: 'scorecard.below', limit: lowest };
  if (highest !== undefined && value > highest) return { why: 'scorecard.above', limit: highest };
  return undefined;
}

function spaced(name: string): string {
  return name.replace(/([a-z])([A-Z])/g, '$1 $2').replaceAll('_', ' ');
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
