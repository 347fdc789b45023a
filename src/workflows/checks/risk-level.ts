import { roundTo } from '../../base/round.ts';
import type { Severity } from './checks.ts';

export type RiskLevel = 'low' | 'medium' | 'high' | 'critical';

/**
 * The share of safety that a finding removes: one finding of a severity gives the level of that name, and several lesser ones
 * add up to the next.
 */
export const takenBy: Readonly<Record<Severity, number>> = {
  info: 0,
  low: 0.1,
  medium: 0.25,
  high: 0.5,
  critical: 0.75,
};

/** 0-100: 100 x (1 - the product of what each leaves), the way independent risks combine. One decimal. */
export function riskScoreOf(taken: Iterable<number>): number {
  let left = 1;
  for (const share of taken) left *= 1 - share;
  return roundTo((1 - left) * 100, 1);
}

/** `low` below 25, `medium` below 50, `high` below 75, else `critical`. */
export function riskLevelOf(riskScore: number): RiskLevel {
  if (riskScore < 25) return 'low';
  if (riskScore < 50) return 'medium';
  return riskScore < 75 ? 'high' : 'critical';
}
