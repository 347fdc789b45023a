import type { UsageRow } from '../statements/statements.ts';

/** A row of sums as read: days and hours are counted since the epoch, and a dimension that the charges lack is NULL. */
export type SumRow = Omit<UsageRow, 'day' | 'hour'> & { day?: bigint; hour?: bigint };

export function toUsageRow({ day, hour, ...row }: SumRow): UsageRow {
  const there = Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as Omit<
    UsageRow,
    'day' | 'hour'
  >;
  return {
    ...(day !== undefined && { day: isoOf(day, 86_400_000).slice(0, 10) }),
    ...(hour !== undefined && { hour: isoOf(hour, 3_600_000).replace('.000', '') }),
    ...there,
  };
}

function isoOf(count: bigint, ms: number): string {
  return new Date(Number(count) * ms).toISOString();
}
