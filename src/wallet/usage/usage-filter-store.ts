import { type RawBuilder, sql } from 'kysely';
import { columnOf } from '../columns.ts';
import type { UsageFilter } from '../statements/statements.ts';
import { chargeTable } from '../tables.ts';

/** What usage can be narrowed to. Charges and their sums call each of them the same. */
export const usageFilters = ['keyId', 'model', 'operation'] as const;

/** More conditions of a WHERE, over columns of charges or of sums. */
export function narrowed(only: Readonly<UsageFilter> = {}, of: 'charge.' | 'c.' | '' = ''): RawBuilder<unknown> {
  const conditions = usageFilters.flatMap((name) => {
    const value = only[name];
    return value === undefined ? [] : [sql`AND ${sql.ref(of + columnOf(chargeTable, name).name)} = ${value}`];
  });
  return sql.join(conditions, sql` `);
}
