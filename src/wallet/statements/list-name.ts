import { createHash } from 'node:crypto';
import type { MetadataFilter } from './statements.ts';

/** Names a list with what it was filtered by, short enough for its page tokens. */
export function listName(name: string, ...filters: readonly (string | MetadataFilter | undefined)[]): string {
  if (filters.every((filter) => filter === undefined)) return name;
  const text = JSON.stringify(
    filters.map((filter) => (typeof filter === 'object' ? [filter.key, filter.value] : (filter ?? null))),
  );
  return `${name}:${createHash('sha256').update(text).digest('base64url').slice(0, 16)}`;
}
