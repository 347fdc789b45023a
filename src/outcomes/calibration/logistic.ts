import { ownTurn } from '../../base/turn.ts';

/** One judged thing: the features whose value is 1, and whether its outcome was adverse. */
export interface Sample {
  features: readonly number[];
  adverse: boolean;
}

/** Pulls coefficients towards 0, so that a feature that separates the samples perfectly has a finite one. */
const ridge = 1;
const stepsMax = 25;
const samplesAtOnce = 1_000;
const enough = 1e-8;

/**
 * Coefficients of a ridge-penalised logistic regression of `adverse` on the features, by Newton's method; the intercept, which
 * is not penalised, comes last. Deterministic: the same samples give the same coefficients. Yields to other work between and
 * within steps.
 */
export async function fitLogistic(samples: readonly Sample[], features: number): Promise<Float64Array> {
  const size = features + 1;
  const beta = new Float64Array(size);
  for (let step = 0; step < stepsMax; step++) {
    const gradient = new Float64Array(size);
    const hessian = new Float64Array(size * size);
    for (const [index, { features: on, adverse }] of samples.entries()) {
      if (index % samplesAtOnce === 0) await ownTurn();
      let eta = beta[features] as number;
      for (const feature of on) eta += beta[feature] as number;
      const p = 1 / (1 + Math.exp(-eta));
      const weight = p * (1 - p);
      const error = (adverse ? 1 : 0) - p;
      addTo(gradient, features, error);
      addTo(hessian, features * size + features, weight);
      for (const row of on) {
        addTo(gradient, row, error);
        addTo(hessian, row * size + features, weight);
        addTo(hessian, features * size + row, weight);
        for (const column of on) addTo(hessian, row * size + column, weight);
      }
    }
    for (let feature = 0; feature < features; feature++) {
      addTo(gradient, feature, -ridge * (beta[feature] as number));
      addTo(hessian, feature * size + feature, ridge);
    }
    // If all outcomes are alike, the intercept grows without bound; this limits it.
    addTo(hessian, features * size + features, enough);
    const change = solve(hessian, gradient, size);
    let moved = 0;
    for (let at = 0; at < size; at++) {
      addTo(beta, at, change[at] as number);
      moved = Math.max(moved, Math.abs(change[at] as number));
    }
    if (moved < enough) break;
  }
  return beta;
}

function addTo(values: Float64Array, at: number, amount: number): void {
  values[at] = (values[at] as number) + amount;
}

/** Solves a symmetric positive definite system in place, by Cholesky decomposition. */
function solve(matrix: Float64Array, right: Float64Array, size: number): Float64Array {
  const at = (row: number, column: number) => matrix[row * size + column] as number;
  for (let column = 0; column < size; column++) {
    for (let row = column; row < size; row++) {
      let sum = at(row, column);
      for (let k = 0; k < column; k++) sum -= at(row, k) * at(column, k);
      matrix[row * size + column] = row === column ? Math.sqrt(Math.max(sum, 1e-12)) : sum / at(column, column);
    }
  }
  const x = right.slice();
  for (let row = 0; row < size; row++) {
    for (let k = 0; k < row; k++) addTo(x, row, -at(row, k) * (x[k] as number));
    x[row] = (x[row] as number) / at(row, row);
  }
  for (let row = size - 1; row >= 0; row--) {
    for (let k = row + 1; k < size; k++) addTo(x, row, -at(k, row) * (x[k] as number));
    x[row] = (x[row] as number) / at(row, row);
  }
  return x;
}

/**
 * How well scores separate the samples: the probability that an adverse sample scores higher than one that is not, counting
 * ties as half (the area under the ROC curve). Undefined if all samples are alike.
 */
export function areaUnderCurve(scored: readonly { score: number; adverse: boolean }[]): number | undefined {
  const sorted = [...scored].sort((a, b) => a.score - b.score);
  const adverse = sorted.filter((one) => one.adverse).length;
  const others = sorted.length - adverse;
  if (adverse === 0 || others === 0) return undefined;
  let ranks = 0;
  for (let start = 0; start < sorted.length; ) {
    let end = start;
    while (end < sorted.length && sorted[end]?.score === sorted[start]?.score) end++;
    const rank = (start + 1 + end) / 2;
    for (let at = start; at < end; at++) if (sorted[at]?.adverse) ranks += rank;
    start = end;
  }
  return (ranks - (adverse * (adverse + 1)) / 2) / (adverse * others);
}
