import type { Clock } from '../base/clock.ts';
import { hourMs } from './rollup.ts';

/** How many changes of its alerts each account is told of in an hour (UTC), on one node. */
export interface ChangeAllowance {
  isLeft(accountId: string): boolean;
  take(accountId: string): void;
}

/** Counts in memory, of the current hour alone. */
export function createChangeAllowance(clock: Clock, most: number): ChangeAllowance {
  const taken = new Map<string, number>();
  let hour = 0;
  const takenBy = (accountId: string) => {
    const now = Math.floor(clock.now() / hourMs);
    if (now !== hour) taken.clear();
    hour = now;
    return taken.get(accountId) ?? 0;
  };
  return {
    isLeft: (accountId) => takenBy(accountId) < most,
    take: (accountId) => void taken.set(accountId, takenBy(accountId) + 1),
  };
}
