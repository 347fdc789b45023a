/** What an account's events carried on one day (UTC): their properties and error messages. */
export interface DailyBytes {
  /** Days since 1970. */
  day: number;
  bytes: number;
}

const dayMs = 86_400_000;

/** What counts now of what was kept. A node whose clock is ahead begins the day for all. */
export function bytesToday(kept: DailyBytes, nowMs: number): DailyBytes {
  const day = Math.floor(nowMs / dayMs);
  return kept.day >= day ? kept : { day, bytes: 0 };
}

/** What events carry of their own; the rest of an event is narrow, and has its price. */
export function bytesOf(events: Iterable<{ detail?: string }>): number {
  let bytes = 0;
  for (const { detail } of events) if (detail !== undefined) bytes += Buffer.byteLength(detail);
  return bytes;
}

export function untilTomorrowMs(nowMs: number): number {
  return dayMs - (nowMs % dayMs);
}
