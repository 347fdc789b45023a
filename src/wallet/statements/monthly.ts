import { fail, invalid, type Result, succeed } from '../../base/failure.ts';
import type { Queryable } from '../../db/index.ts';
import { balanceAfter, sumRare } from './movements-store.ts';
import type { Movement, Statement, UsageRow } from './statements.ts';

/** A month in UTC, in milliseconds since the epoch. */
export interface Month {
  name: string;
  start: number;
  /** Exclusive. */
  end: number;
}

/** An entry's time is the database's clock when its commit began: that clock may lag behind this one, and a commit takes a while. */
const lateMs = 60_000;

/** Parses a month such as `2026-03`; the caller has checked the format. */
export function monthNamed(name: string, now: number): Result<Month> {
  const [year = 0, month = 0] = name.split('-').map(Number);
  const start = Date.UTC(year, month - 1);
  if (start > now) return fail(invalid('month', 'must not be in the future; months begin in UTC'));
  return succeed({ name, start, end: Date.UTC(year, month) });
}

/** The statement of a month's postings, all read in one snapshot. */
export async function statementOf(
  tx: Queryable,
  {
    month,
    now,
    usage,
    ...postings
  }: { month: Month; now: number; usage: UsageRow[] } & {
    walletId: string;
    from: bigint;
    to: bigint;
  },
): Promise<Statement> {
  const { walletId, from, to } = postings;
  const movements = await sumRare(tx, postings);
  const used = usageOf(usage);
  return {
    month: month.name,
    start: new Date(month.start),
    end: new Date(month.end),
    final: month.end + lateMs <= now,
    opening: await balanceAfter(tx, walletId, from - 1n),
    closing: await balanceAfter(tx, walletId, to - 1n),
    movements: used.count > 0n || used.amount !== 0n ? [...movements, used] : movements,
    usage,
  };
}

function usageOf(rows: readonly UsageRow[]): Movement {
  const total = { count: 0n, amount: 0n };
  for (const { charges, cost } of rows) {
    total.count += charges;
    total.amount -= cost;
  }
  return { kind: 'usage', ...total };
}
