import { columnOf, type Table } from '../columns.ts';
import { usageHourTable, usageUserHourTable } from '../tables.ts';
import { belongs, contributions, placeNames, sumNames } from '../usage/contributions.ts';
import { byKey, type Rules } from './invariant.ts';

/** What must hold between the usage sums and the entries they sum. */
export const usageInvariants: Rules = {
  'usage-sums-are-the-entries': {
    promise: 'The sums of usage of every hour are those of its entries, up to the one that the wallet names.',
    sql: differences(usageHourTable),
  },
  'only-entries-are-summed': {
    promise: 'A wallet has as many entries as its sums of usage are of, or more that are summed next.',
    sql: `SELECT id AS subject, CONCAT('summed ', summed, ', entries ', seq) AS detail FROM wallet WHERE summed < 0 OR summed > seq`,
  },
  'usage-sums-of-users-are-the-entries': {
    promise: 'So are the sums of end users and devices.',
    sql: differences(usageUserHourTable),
  },
};

function differences(table: Table): string {
  const places = placeNames(table).join(', ');
  const cost = columnOf(table, 'cost').name;
  return `SELECT wallet_id AS subject, CONCAT_WS(', ', CONCAT('hour ', hour), key_id, operation, model,
      CONCAT('charges ', SUM(charges), ' too many'), CONCAT('cost ', SUM(${cost}), ' too much')) AS detail
    FROM (
      SELECT ${places}, ${sumNames.join(', ')} FROM ${table.name}
      UNION ALL
      SELECT ${contributions(table, '-')} FROM posting p
      JOIN charge c ${byKey} ON c.wallet_id = p.wallet_id AND c.id = p.source_id
      JOIN wallet w ${byKey} ON w.id = p.wallet_id
      WHERE p.source_type = 'charge' AND p.seq <= w.summed AND ${belongs(table)}
    ) x GROUP BY ${places}
    HAVING ${sumNames.map((name) => `SUM(${name}) <> 0`).join(' OR ')}`;
}
