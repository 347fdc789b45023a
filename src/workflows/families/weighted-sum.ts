import type { JsonValue } from '@bufbuild/protobuf';
import type { Criterion } from '../../gen/intelligence/workflow/v1/decision_pb.ts';
import type { Plain } from '../family.ts';
import type { Message, Words } from '../words/index.ts';
import { readColumn } from './criterion-values.ts';

/** An option with its score, unrounded. */
export interface Scored {
  option: string;
  rank: number;
  /** 0-100. */
  score: number;
  criteria: { criterion: string; value: number | undefined; score: number; weight: number }[];
}

interface Option {
  name: string;
  values: ReadonlyMap<string, JsonValue>;
}

/** Messages about values that were read; all others are about values that count as unknown. */
const asRead: ReadonlySet<string> = new Set(['decision.readWords', 'decision.readNothing']);

/**
 * The weighted sum model (Fishburn 1967; Triantaphyllou 2000): the sum over all criteria of the criterion's share of all
 * weights times the option's score on the criterion's scale. Best first; equal scores share a rank and keep their order.
 * `unread` says how non-numeric values were read; `refused` has, for each criterion, the first value that counts as unknown.
 */
export function rankOptions(
  options: readonly Option[],
  criteria: readonly Plain<Criterion>[],
  words: Words,
): { ranked: Scored[]; unread: string[]; refused: Map<string, string> } {
  const all = criteria.reduce((sum, { weight }) => sum + (weight ?? 1), 0);
  const unread = new Set<string>();
  const refused = new Map<string, string>();
  const tell = (message: Message) => {
    unread.add(words.tell(message));
    const criterion = String(message.values.criterion);
    if (!asRead.has(message.name) && !refused.has(criterion)) refused.set(criterion, words.tell(message));
  };
  const columns = criteria.map((criterion) => {
    const values = readColumn(
      criterion,
      options.map(({ values }) => values.get(criterion.name)),
      words,
      tell,
    );
    return { criterion, weight: (criterion.weight ?? 1) / all, values, scores: scoresOf(criterion, values) };
  });
  const scored = options.map(({ name }, at) => {
    const parts = columns.map(({ criterion, weight, values, scores }) => ({
      criterion: criterion.name,
      value: values[at],
      score: scores[at] ?? 0,
      weight,
    }));
    return {
      option: name,
      rank: 0,
      score: parts.reduce((sum, { score, weight }) => sum + score * weight, 0),
      criteria: parts,
    };
  });
  const ranked = scored.sort((a, b) => (isLevel(a.score, b.score) ? 0 : b.score - a.score));
  for (const [index, one] of ranked.entries()) {
    const before = ranked[index - 1];
    one.rank = before && isLevel(before.score, one.score) ? before.rank : index + 1;
  }
  return { ranked, unread: [...unread], refused };
}

/**
 * `unknown`: unknown values could make another option the best. `level`: several share the best score. `single`: there was
 * never another option.
 */
export type Verdict = 'winner' | 'level' | 'unknown' | 'none' | 'single';

/**
 * Whether the ranking has a winner whatever the unknown values turn out to be: it is still ahead with 0 for its own unknown
 * values and 100 for those of every other option. No option can win if less than half of its weight is known.
 */
export function verdictOn(ranked: readonly Scored[]): Verdict {
  const [first, ...others] = ranked;
  if (!first) return 'none';
  const unknown = ({ criteria }: Scored) =>
    criteria.reduce((sum, { value, weight }) => sum + (value === undefined ? weight : 0), 0);
  if (unknown(first) > 0.5) return 'unknown';
  const reaches = (other: Scored) => other.score + 100 * unknown(other);
  const behind = others.filter((other) => !isLevel(other.score, first.score) && unknown(other) > 0);
  if (behind.some((other) => reaches(other) > first.score || isLevel(reaches(other), first.score))) return 'unknown';
  const level = others.filter((other) => isLevel(other.score, first.score));
  if (level.some((other) => unknown(other) > 0) || (level.length > 0 && unknown(first) > 0)) return 'unknown';
  return level.length > 0 ? 'level' : 'winner';
}

export interface WeightChange {
  criterion: string;
  weight: number;
  /** The nearest share of weight at which another option ties with the winner; the other criteria keep their proportions. */
  changesAt: number | undefined;
  newWinner: string;
  /** The distance to that share. */
  change: number | undefined;
}

/**
 * For each criterion, the nearest weight at which the winner changes. With share w of a criterion, an option's score is
 * w x s + (1 - w) x r, where s is its score there and r its score by the others; two options tie where
 * w x (s1 - s2) + (1 - w) x (r1 - r2) = 0.
 */
export function smallestChanges(ranked: readonly Scored[]): WeightChange[] {
  const [winner, ...others] = ranked;
  if (!winner) return [];
  return winner.criteria.map(({ criterion, weight }, at) => {
    const none: WeightChange = { criterion, weight, changesAt: undefined, newWinner: '', change: undefined };
    if (weight >= 1) return none;
    return others.reduce((nearest, other) => {
      const share = levelAt(winner, other, at, weight);
      if (share === undefined) return nearest;
      const change = Math.abs(share - weight);
      return nearest.change === undefined || change < nearest.change
        ? { criterion, weight, changesAt: share, newWinner: other.option, change }
        : nearest;
    }, none);
  });
}

function levelAt(winner: Scored, other: Scored, at: number, weight: number): number | undefined {
  const here = (winner.criteria[at]?.score ?? 0) - (other.criteria[at]?.score ?? 0);
  const elsewhere = (winner.score - other.score - weight * here) / (1 - weight);
  const share = elsewhere / (elsewhere - here);
  return Number.isFinite(share) && share >= 0 && share <= 1 ? share : undefined;
}

// Sums of the same numbers in a different order differ in their last bits.
function isLevel(a: number, b: number): boolean {
  return Math.abs(a - b) < 1e-9;
}

function scoresOf(criterion: Plain<Criterion>, values: readonly (number | undefined)[]): (number | undefined)[] {
  const known = values.filter((value) => value !== undefined);
  const lower = criterion.direction === 'lower';
  const least = known.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const most = known.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  if (criterion.scale === 'ratio')
    return values.map((value) => (value === undefined ? undefined : lower ? ratio(least, value) : ratio(value, most)));
  const points = criterion.scale === 'points';
  const from = criterion.min ?? (points ? 0 : least);
  const to = criterion.max ?? (points ? 100 : most);
  return values.map((value) => {
    if (value === undefined) return undefined;
    // Halved, since the span of two finite numbers may be infinite. All the same: the criterion distinguishes nothing, so it costs nothing.
    const part = to <= from ? 1 : Math.min(1, Math.max(0, (value / 2 - from / 2) / (to / 2 - from / 2)));
    return 100 * (lower && to > from ? 1 - part : part);
  });
}

function ratio(part: number, whole: number): number {
  if (whole === 0) return part === 0 ? 100 : 0;
  return (part / whole) * 100;
}
