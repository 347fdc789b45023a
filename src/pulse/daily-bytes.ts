/** How many bytes of properties and error messages an account's events carried on one day (UTC). */
export interface DailyBytes {
  /** Days since 1970. */
  day: number;
  bytes: number;
}

const dayMs = 86_400_000;

/** The current day's count, given the stored one. A node whose clock is ahead starts the day for all nodes. */
export function bytesToday(kept: DailyBytes, nowMs: number): DailyBytes {
  const day = Math.floor(nowMs / dayMs);
  return kept.day >= day ? kept : { day, bytes: 0 };
}

/** The bytes that count: properties and error messages. The rest of an event is small, and is paid for by its price. */
export function bytesOf(events: Iterable<{ detail?: string }>): number {
  let bytes = 0;
  for (const { detail } of events) if (detail !== undefined) bytes += Buffer.byteLength(detail);
  return bytes;
}

export function untilTomorrowMs(nowMs: number): number {
  return dayMs - (nowMs % dayMs);
}
