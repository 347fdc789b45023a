import { createHash } from 'node:crypto';
import { fail, invalid, type Result, succeed } from './failure.ts';

/** Which page of a list to return (AIP-158). */
export interface PageRequest {
  /** The maximum number of items; 0 or absent: the default. Larger values are capped at the maximum. */
  pageSize?: number;
  /** The token from the previous page, unchanged. Absent or empty: the first page. */
  pageToken?: string;
}

/** One page. */
export interface Page<T> {
  items: T[];
  /** Requests the next page; empty on the last one. */
  nextPageToken: string;
}

/** Where a page starts, and its length. */
export interface PageStart {
  size: number;
  /** The position after which the page starts, as given by the previous page. */
  after?: string;
}

/** Parses a page request for one kind of list; refuses a token from another list. */
export function readPageRequest(
  list: string,
  { pageSize = 0, pageToken = '' }: PageRequest,
  { defaultSize = 50, maxSize = 100 } = {},
): Result<PageStart> {
  if (!Number.isInteger(pageSize) || pageSize < 0) return fail(invalid('pageSize', 'must not be negative'));
  const size = pageSize === 0 ? defaultSize : Math.min(pageSize, maxSize);
  if (pageToken === '') return succeed({ size });
  const text = pageToken.length <= 500 ? Buffer.from(pageToken, 'base64url').toString('utf8') : '';
  if (!text.startsWith(`${list}\n`))
    return fail(invalid('pageToken', 'must be the nextPageToken of the page before, unchanged'));
  return succeed({ size, after: text.slice(list.length + 1) });
}

/** A page ends before it exceeds this, so that large items do not make a list large. */
export const pageBytesMax = 1_024 * 1_024;

/**
 * Makes a page from rows, of which one more than requested was read. It ends early rather than exceed `pageBytesMax`, but has
 * at least one row. `positionOf` receives the page's last item and the number of items. If the search stopped at `readTo`, a
 * page without further rows continues from there.
 */
export function makePage<T>(
  list: string,
  start: PageStart,
  rows: T[],
  positionOf: (item: T, count: number) => string,
  { bytesOf = bytesAbout, readTo }: { bytesOf?: ((item: T) => number) | undefined; readTo?: string | undefined } = {},
): Page<T> {
  const items = rows.slice(0, start.size);
  let bytes = 0;
  const tooMany = items.findIndex((item) => {
    bytes += bytesOf(item);
    return bytes > pageBytesMax;
  });
  if (tooMany >= 0) items.length = Math.max(1, tooMany);
  const last = items.at(-1);
  const next = rows.length > items.length && last !== undefined ? positionOf(last, items.length) : readTo;
  const nextPageToken = next === undefined ? '' : pageToken(list, next);
  return { items, nextPageToken };
}

/** A list's name including its filters, short enough for its page tokens: a token from one filter is refused by another. */
export function narrowedList(name: string, by: readonly unknown[]): string {
  return `${name}:${createHash('sha256').update(JSON.stringify(by)).digest('base64url').slice(0, 16)}`;
}

/** The token of the page that starts after a position; parsed by `readPageRequest`. */
export function pageToken(list: string, position: string): string {
  return Buffer.from(`${list}\n${position}`, 'utf8').toString('base64url');
}

/** The approximate size of a row in a reply: its texts, and a little for each member. */
function bytesAbout(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value) + 2;
  if (typeof value !== 'object' || value === null) return 8;
  let bytes = 2;
  for (const [name, member] of Object.entries(value)) bytes += name.length + 4 + bytesAbout(member);
  return bytes;
}
