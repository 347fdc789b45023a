import { createHash } from 'node:crypto';
import { createPace, type Pace } from '../../base/turn.ts';
import type { Judgement } from '../judgement.ts';
import { areaUnderCurve, fitLogistic, type Sample } from './logistic.ts';

/** A judgement with its outcome. */
export interface Settled {
  chargeId: string;
  judgement: Judgement;
  adverse: boolean;
}

export interface ProposedWeight {
  check: string;
  present: number;
  proposed: number;
}

/** What other weights would have achieved. */
export interface Reweighing {
  /** How many outcomes it is based on. */
  outcomes: number;
  /** The probability that the present weights rank an adverse thing below another, 0-1: 0.5 is chance. */
  presentAuc: number;
  /** The same for the proposed weights, on things held out from fitting them. */
  proposedAuc: number;
  weights: ProposedWeight[];
}

/** The fewest outcomes for proposing weights; at least `classMin` of them must be adverse, and as many not. */
export const reweighMin = 200;
export const classMin = 30;
/** Only checks that both failed and did not fail at least this often are reweighed; the most frequent first. */
const varyingMin = 10;
const checksMax = 40;
/** Only the newest outcomes count, to keep the computation short. */
const samplesMax = 4_000;
const folds = 5;
/** About 5 ms of processor time. */
const checksOfATurn = 50_000;

/**
 * Reweighs checks by outcomes, newest first. A check's new weight is what its failure adds to the log odds of an adverse
 * outcome given the other checks (a logistic regression), never less than 0, scaled to keep the total weight; checks that
 * hardly vary keep their weights. Evaluated by five-fold cross-validation. Undefined if there are too few outcomes.
 */
export async function reweigh(settled: readonly Settled[]): Promise<Reweighing | undefined> {
  const newest = settled.slice(0, samplesMax);
  const adverse = newest.filter((one) => one.adverse).length;
  if (newest.length < reweighMin || adverse < classMin || newest.length - adverse < classMin) return undefined;
  const pace = createPace(checksOfATurn);
  const present = await presentWeights(newest, pace);
  const varying = await varyingChecks(newest, present, pace);
  if (varying.length === 0) return undefined;
  const samples = await samplesOf(newest, varying, pace);
  const heldOut: { score: number; adverse: boolean }[] = [];
  for (let fold = 0; fold < folds; fold++) {
    const isOut = newest.map(({ chargeId }) => foldOf(chargeId) === fold);
    const beta = await fitLogistic(
      samples.filter((_, index) => !isOut[index]),
      varying.length,
    );
    const weights = rescaled(beta, varying, present);
    heldOut.push(
      ...(await scored(
        newest.filter((_, index) => isOut[index]),
        weights,
        pace,
      )),
    );
  }
  const weights = rescaled(await fitLogistic(samples, varying.length), varying, present);
  const before = await scored(newest, present, pace);
  return {
    outcomes: newest.length,
    presentAuc: areaUnderCurve(before) ?? 0.5,
    proposedAuc: areaUnderCurve(heldOut) ?? 0.5,
    weights: varying.map((check) => ({
      check,
      present: present.get(check) ?? 0,
      proposed: Math.round((weights.get(check) ?? 0) * 100) / 100,
    })),
  };
}

/** Each check's most recent weight. */
async function presentWeights(newest: readonly Settled[], pace: Pace): Promise<Map<string, number>> {
  const weights = new Map<string, number>();
  for (const { judgement } of newest) {
    await pace(judgement.checks.length);
    for (const { id, weight } of judgement.checks) if (!weights.has(id)) weights.set(id, weight);
  }
  return weights;
}

async function varyingChecks(
  newest: readonly Settled[],
  present: ReadonlyMap<string, number>,
  pace: Pace,
): Promise<string[]> {
  const failed = new Map<string, number>();
  for (const { judgement } of newest) {
    await pace(judgement.checks.length);
    for (const { id, outcome } of judgement.checks) if (outcome === 'failed') failed.set(id, (failed.get(id) ?? 0) + 1);
  }
  return [...failed]
    .filter(([id, count]) => count >= varyingMin && newest.length - count >= varyingMin && (present.get(id) ?? 0) > 0)
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .slice(0, checksMax)
    .map(([id]) => id);
}

async function samplesOf(newest: readonly Settled[], varying: readonly string[], pace: Pace): Promise<Sample[]> {
  const place = new Map(varying.map((id, index) => [id, index]));
  const samples: Sample[] = [];
  for (const { judgement, adverse } of newest) {
    await pace(judgement.checks.length);
    const features = judgement.checks.flatMap(({ id, outcome }) => (outcome === 'failed' ? (place.get(id) ?? []) : []));
    samples.push({ features, adverse });
  }
  return samples;
}

async function scored(
  judged: readonly Settled[],
  weights: ReadonlyMap<string, number>,
  pace: Pace,
): Promise<{ score: number; adverse: boolean }[]> {
  const scores: { score: number; adverse: boolean }[] = [];
  for (const { judgement, adverse } of judged) {
    await pace(judgement.checks.length);
    scores.push({ score: failedShare(judgement, weights), adverse });
  }
  return scores;
}

function rescaled(
  beta: Float64Array,
  varying: readonly string[],
  present: ReadonlyMap<string, number>,
): Map<string, number> {
  const gains = varying.map((_, index) => Math.max(0, beta[index] ?? 0));
  const all = gains.reduce((sum, gain) => sum + gain, 0);
  const before = varying.reduce((sum, id) => sum + (present.get(id) ?? 0), 0);
  const weights = new Map(present);
  // If no check predicts anything, there is nothing to weigh by.
  if (all > 0) for (const [index, id] of varying.entries()) weights.set(id, ((gains[index] as number) * before) / all);
  return weights;
}

/** The weight of the failed checks as a share of all that applied: 1 minus the score that these weights would give. */
function failedShare({ checks }: Judgement, weights: ReadonlyMap<string, number>): number {
  let failed = 0;
  let applied = 0;
  for (const { id, outcome } of checks) {
    if (outcome === 'skipped') continue;
    const weight = weights.get(id) ?? 0;
    applied += weight;
    if (outcome === 'failed') failed += weight;
  }
  return applied === 0 ? 0 : failed / applied;
}

function foldOf(chargeId: string): number {
  return createHash('sha256').update(chargeId).digest().readUInt32BE(0) % folds;
}
