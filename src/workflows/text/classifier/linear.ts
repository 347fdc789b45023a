import type { Token } from '../signs/index.ts';
import { featuresOf, groups } from './features.ts';

/** Weights of hashed features, one for each class of an output, as whole numbers from -127 to 127 times `scale`. */
export interface Linear {
  /** By bucket, then by class; the number of buckets is a power of two. */
  weights: Int8Array;
  scale: number;
  bias: readonly number[];
}

/** A text's part, tokens `from` to before `to`. */
export interface Span {
  from: number;
  to: number;
}

/**
 * The score of each class for a passage: log-odds if it was trained so. Of each group of features the mean counts, times the root of
 * their number, so that short and long passages compare.
 */
export function scoresOf({ weights, scale, bias }: Linear, tokens: readonly Token[], { from, to }: Span): number[] {
  const classes = bias.length;
  const mask = weights.length / classes - 1;
  const sums = new Int32Array(groups * classes);
  const counts = new Int32Array(groups);
  if (classes === 1)
    featuresOf(tokens, from, to, (group, hash) => {
      counts[group] = (counts[group] as number) + 1;
      sums[group] = (sums[group] as number) + (weights[hash & mask] as number);
    });
  else
    featuresOf(tokens, from, to, (group, hash) => {
      counts[group] = (counts[group] as number) + 1;
      const start = (hash & mask) * classes;
      const sum = group * classes;
      for (let one = 0; one < classes; one++)
        sums[sum + one] = (sums[sum + one] as number) + (weights[start + one] as number);
    });
  return bias.map((own, one) => {
    let score = own;
    for (let group = 0; group < groups; group++) {
      const count = counts[group] as number;
      if (count > 0) score += ((sums[group * classes + one] as number) * scale) / Math.sqrt(count);
    }
    return score;
  });
}

/** How much each sentence of a passage adds to the score of a single class, in the passage's order. */
export function sharesBySentence({ weights, scale }: Linear, tokens: readonly Token[], span: Span): number[] {
  const mask = weights.length - 1;
  const first = tokens[span.from]?.sentence ?? 0;
  const sentences = (tokens[span.to - 1]?.sentence ?? first) - first + 1;
  const sums = new Int32Array(groups * sentences);
  const counts = new Int32Array(groups);
  featuresOf(tokens, span.from, span.to, (group, hash, token) => {
    counts[group] = (counts[group] as number) + 1;
    const place = group * sentences + (tokens[token] as Token).sentence - first;
    sums[place] = (sums[place] as number) + (weights[hash & mask] as number);
  });
  return Array.from({ length: sentences }, (_, sentence) => {
    let share = 0;
    for (let group = 0; group < groups; group++)
      share +=
        ((sums[group * sentences + sentence] as number) * scale) / Math.sqrt(Math.max(1, counts[group] as number));
    return share;
  });
}
