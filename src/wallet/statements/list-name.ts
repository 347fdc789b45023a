import { narrowedList } from '../../base/page.ts';
import type { MetadataFilter } from './statements.ts';

/** Names a list together with its filters, short enough for page tokens. */
export function listName(name: string, ...filters: readonly (string | MetadataFilter | undefined)[]): string {
  if (filters.every((filter) => filter === undefined)) return name;
  return narrowedList(
    name,
    filters.map((filter) => (typeof filter === 'object' ? [filter.key, filter.value] : (filter ?? null))),
  );
}
