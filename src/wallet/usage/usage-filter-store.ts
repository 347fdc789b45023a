import { type RawBuilder, sql } from 'kysely';
import { columnOf } from '../columns.ts';
import type { UsageFilter } from '../statements/statements.ts';
import { chargeTable } from '../tables.ts';

/** What usage can be filtered by. Charges and their sums use the same names for these. */
export const usageFilters = ['keyId', 'model', 'operation'] as const;

/** Additional WHERE conditions on columns of charges or sums. */
export function narrowed(only: Readonly<UsageFilter> = {}, of: 'charge.' | 'c.' | '' = ''): RawBuilder<unknown> {
  const conditions = usageFilters.flatMap((name) => {
    const value = only[name];
    return value === undefined ? [] : [sql`AND ${sql.ref(of + columnOf(chargeTable, name).name)} = ${value}`];
  });
  return sql.join(conditions, sql` `);
}
