import type { UsageRowJson } from '../../../gen/intelligence/wallet/v1/wallet_pb';
import { addDays, type Day, daysBetween } from '../../days.ts';
import { type NanoUsd, pixelsOf, readUsd } from '../../money.ts';

/** Costs by day and by model, each exact. */
export type Costs = ReadonlyMap<Day, ReadonlyMap<string, NanoUsd>>;

/**
 * Costs without a model, such as those of a workflow that uses only rules, are under the empty name. Undefined when a row's amount cannot be
 * parsed.
 */
export function costsOf(rows: readonly UsageRowJson[]): Costs | undefined {
  const costs = new Map<Day, Map<string, NanoUsd>>();
  for (const { day = '', model = '', costUsd } of rows) {
    const cost = readUsd(costUsd);
    if (cost === undefined) return undefined;
    const ofDay = costs.get(day) ?? new Map<string, NanoUsd>();
    costs.set(day, ofDay.set(model, (ofDay.get(model) ?? 0n) + cost));
  }
  return costs;
}

/** The sum over all models and days, both ends included. */
export function spentBetween(costs: Costs, first: Day, last: Day): NanoUsd {
  let sum = 0n;
  for (const day of daysBetween(first, last)) for (const cost of costs.get(day)?.values() ?? []) sum += cost;
  return sum;
}

/** The first day of a day's month, and the same part of the previous month: until the same date, or its last one. */
export function monthsOf(today: Day): { first: Day; firstBefore: Day; lastBefore: Day } {
  const first = `${today.slice(0, 8)}01`;
  const endBefore = addDays(first, -1);
  const firstBefore = `${endBefore.slice(0, 8)}01`;
  const sameDate = `${endBefore.slice(0, 8)}${today.slice(8)}`;
  return { first, firstBefore, lastBefore: sameDate < endBefore ? sameDate : endBefore };
}

/** The change in tenths of a percent; undefined when there was nothing before. */
export function changeOf(now: NanoUsd, before: NanoUsd): number | undefined {
  return before <= 0n ? undefined : Number(((now - before) * 1_000n) / before);
}

export interface Runway {
  /** Whole days that the credit lasts; undefined when nothing was used, or for too short a time. */
  days: number | undefined;
  /** Spending per day. */
  pace: NanoUsd;
  /** The number of days that this covers: those since the first use, 7 at most. */
  over: number;
}

/** Days of use needed for a pace; fewer are chance. */
export const leastDays = 3;
const mostDays = 7;

/** How long credit lasts at the pace of the last seven days, including today; of fewer days, if use began since then. */
export function runwayOf(available: NanoUsd, costs: Costs, today: Day): Runway {
  const first = firstUse(costs);
  const since = first === undefined ? 0 : daysBetween(first, today).length;
  const over = Math.min(mostDays, Math.max(1, since));
  const pace = spentBetween(costs, addDays(today, 1 - over), today) / BigInt(over);
  const known = pace > 0n && since >= leastDays;
  return { pace, over, days: known ? Number((available > 0n ? available : 0n) / pace) : undefined };
}

/** The first day with a cost. */
function firstUse(costs: Costs): Day | undefined {
  return [...costs.keys()].sort()[0];
}

export interface ModelCosts {
  model: string;
  byDay: readonly NanoUsd[];
  sum: NanoUsd;
}

/** The most expensive models over some days, and the rest combined under no name. */
export function topModels(
  costs: Costs,
  days: readonly Day[],
  most: number,
): { top: ModelCosts[]; rest: ModelCosts | undefined } {
  const models = new Set(days.flatMap((day) => [...(costs.get(day)?.keys() ?? [])]));
  const all = [...models]
    .map((model) => {
      const byDay = days.map((day) => costs.get(day)?.get(model) ?? 0n);
      return { model, byDay, sum: sumOf(byDay) };
    })
    .sort((a, b) => (a.sum === b.sum ? a.model.localeCompare(b.model) : a.sum > b.sum ? -1 : 1));
  const others = all.slice(most);
  if (others.length === 0) return { top: all, rest: undefined };
  const byDay = days.map((_, index) => sumOf(others.map((other) => other.byDay[index] ?? 0n)));
  return { top: all.slice(0, most), rest: { model: '', byDay, sum: sumOf(byDay) } };
}

export function sumOf(amounts: readonly NanoUsd[]): NanoUsd {
  return amounts.reduce((sum, amount) => sum + amount, 0n);
}

/** Amounts as a chart draws them. */
export function drawn(amounts: readonly NanoUsd[]): number[] {
  return amounts.map(pixelsOf);
}
