import { createHash } from 'node:crypto';
import { fail, invalid, type Result, succeed } from './failure.ts';

/** Which page of a list is asked for (AIP-158). */
export interface PageRequest {
  /** How many at most; 0 or absent: the default. More than the maximum is taken as the maximum. */
  pageSize?: number;
  /** The token that the page before gave, as it is. Absent or empty: the first page. */
  pageToken?: string;
}

/** One page. */
export interface Page<T> {
  items: T[];
  /** Asks for the next page; empty on the last one. */
  nextPageToken: string;
}

/** Where a page starts and how long it is. */
export interface PageStart {
  size: number;
  /** The position after which the page starts, as the page before stated it. */
  after?: string;
}

/** Reads a page request for one kind of list; a token of another list is refused. */
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

/** A page ends before it is over this, so that no list is large for being of large things. */
export const pageBytesMax = 1_024 * 1_024;

/**
 * Makes a page of rows that were read with one more than asked for. It ends early before it is over `pageBytesMax`, but
 * holds at least one row. `positionOf` is told the page's last item and how many items the page has. Where rows were looked
 * for no further than `readTo`, a page without more of them leads on from there.
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

/** Names a list with what narrows it, short enough for its page tokens: a token of one narrowing is refused by another. */
export function narrowedList(name: string, by: readonly unknown[]): string {
  return `${name}:${createHash('sha256').update(JSON.stringify(by)).digest('base64url').slice(0, 16)}`;
}

/** The token of the page that starts after a position, which `readPageRequest` reads. */
export function pageToken(list: string, position: string): string {
  return Buffer.from(`${list}\n${position}`, 'utf8').toString('base64url');
}

/** About how many bytes a row takes in a reply: its texts, and a little for each member. */
function bytesAbout(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value) + 2;
  if (typeof value !== 'object' || value === null) return 8;
  let bytes = 2;
  for (const [name, member] of Object.entries(value)) bytes += name.length + 4 + bytesAbout(member);
  return bytes;
}
