import { locale } from './i18n/index.ts';

/** Days are UTC days, like the ledger's: `2026-11-22`. */
export type Day = string;

const dayMs = 86_400_000;

export function dayOf(time: Date): Day {
  return time.toISOString().slice(0, 10);
}

export function startOf(day: Day): Date {
  return new Date(`${day}T00:00:00Z`);
}

export function addDays(day: Day, days: number): Day {
  return dayOf(new Date(startOf(day).getTime() + days * dayMs));
}

/** Each day from the first to the last, inclusive; none when the last is before the first. */
export function daysBetween(first: Day, last: Day): Day[] {
  const count = Math.round((startOf(last).getTime() - startOf(first).getTime()) / dayMs) + 1;
  return Array.from({ length: Math.max(0, count) }, (_, index) => addDays(first, index));
}

/** The last `count` days including today, in the form used by requests: until the end of today. */
export function lastDays(
  count: number,
  now = new Date(),
): { first: Day; last: Day; startTime: string; endTime: string } {
  const last = dayOf(now);
  const first = addDays(last, 1 - count);
  return { first, last, ...timesOf(first, last) };
}

/** From the start of the first day to the end of the last. */
export function timesOf(first: Day, last: Day): { startTime: string; endTime: string } {
  return { startTime: startOf(first).toISOString(), endTime: startOf(addDays(last, 1)).toISOString() };
}

/** `22 Nov`. */
export function dayText(day: Day): string {
  return new Intl.DateTimeFormat(locale(), { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(startOf(day));
}

/** `Nov 22 – 23, 2026`. */
export function rangeText(first: Day, last: Day): string {
  const format = { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' } as const;
  return new Intl.DateTimeFormat(locale(), format).formatRange(startOf(first), startOf(last));
}

/** `November`. */
export function monthText(day: Day): string {
  return new Intl.DateTimeFormat(locale(), { month: 'long', timeZone: 'UTC' }).format(startOf(day));
}

/** A UTC month: `2026-11`. */
export type Month = string;

export function monthNow(now = new Date()): Month {
  return now.toISOString().slice(0, 7);
}

/** The month that many months later; earlier, when negative. */
export function monthOf(month: Month, after: number): Month {
  const start = startOf(`${month}-01`);
  return new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + after)).toISOString().slice(0, 7);
}

/** `November 2026`. */
export function monthTitle(month: Month): string {
  return new Intl.DateTimeFormat(locale(), { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
    startOf(`${month}-01`),
  );
}
