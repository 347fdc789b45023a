import { columnOf, type Table } from '../columns.ts';
import { chargeTable, usageCounts, usageHourTable, usageSums, usageUserHourTable } from '../tables.ts';

/** A charge paid in several postings is counted with its first: one of which nothing could be collected, with the first repayment. */
const once = "(p.step IN ('capture', 'expiry', 'late') OR (p.step = 'repay:use:1' AND c.settled = 0))";

/** The SQL columns of the sums. */
export const sumNames = usageSums.map((name) => columnOf(usageHourTable, name).name);

/** What one posting `p` of a charge `c` adds to each of the sums. */
const added: Record<string, string> = {
  charges: once,
  cost: "IF(p.credit_account = 'wallet', -p.amount, p.amount)",
  ...Object.fromEntries(
    usageCounts.map((name) => {
      const column = columnOf(chargeTable, name).name;
      return [column, `${once} * COALESCE(c.${column}, 0)`];
    }),
  ),
};

/** Which row a posting's contribution belongs to. */
const places: Record<string, string> = {
  wallet_id: 'p.wallet_id',
  hour: 'p.created_at_us DIV 3600000000',
  key_id: 'c.key_id',
  operation: 'c.operation',
  provider: "COALESCE(c.provider, '')",
  model: "COALESCE(c.model, '')",
  by_user: '(c.device_id IS NOT NULL OR c.subject IS NOT NULL)',
  device_id: "COALESCE(c.device_id, '')",
  subject: "COALESCE(c.subject, '')",
};

export function placeNames(table: Table): string[] {
  return table.key.map((property) => columnOf(table, property).name);
}

/** What postings `p` of charges `c` add to a table of sums, one row per posting; `sign` is prefixed to each number. */
export function contributions(table: Table, sign: '' | '-' = ''): string {
  const columns = placeNames(table).map((name) => `${places[name]} AS ${name}`);
  return [...columns, ...sumNames.map((name) => `${sign}${added[name]} AS ${name}`)].join(', ');
}

/** Which charge postings belong in a table. */
export function belongs(table: Table): string {
  return table.name === usageUserHourTable.name ? (places.by_user ?? '') : 'TRUE';
}
