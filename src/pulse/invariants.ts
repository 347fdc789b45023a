import type { Invariant } from '../wallet/index.ts';

/** The newest price of pulse events, for everyone or for one account, in the price book behind the charge. */
const priceVersion = (account: string) => `SELECT MAX(q.version) FROM price q
  WHERE q.item = 'pulse' AND q.account_id = ${account} AND q.version <= c.price_version
    AND TIMESTAMPDIFF(MICROSECOND, '1970-01-01', q.effective_at) <= c.created_at_us`;

const sums =
  'SUM(sessions) AS sessions, SUM(completed) AS completed, SUM(reached) AS reached, SUM(abandoned) AS abandoned, SUM(ended) AS ended';
const place = 'account_no, journey_no';

/** What must hold for pulse in addition to the ledger's own rules: its charges follow the price book, and its rollups agree. */
export const pulseInvariants: readonly Invariant[] = [
  {
    name: 'pulse-is-priced-by-the-book',
    promise: 'What a pulse request settled, and owes, is the price of its events by the book of its admission.',
    sql: `SELECT d.id AS subject, CONCAT('settled ', d.settled, ', priced ', COALESCE(d.due, 'NULL'), ', hold ', d.hold) AS detail FROM (
        SELECT c.id, c.settled + c.owed AS settled, c.hold, LEAST(c.hold, (
            CAST(COALESCE(c.events, 0) AS DECIMAL(20, 0)) * COALESCE(own.per_thousand_events, p.per_thousand_events) + 999) DIV 1000) AS due
        FROM charge c JOIN wallet w ON w.id = c.wallet_id
        LEFT JOIN price own ON own.item = 'pulse' AND own.account_id = w.account_id AND own.version = (${priceVersion('w.account_id')})
        LEFT JOIN price p ON p.item = 'pulse' AND p.account_id = '' AND p.version = (${priceVersion("''")})
        WHERE c.operation = 'pulse' AND c.state = 'settled'
      ) d WHERE d.due IS NULL OR d.due <> d.settled`,
  },
  {
    name: 'pulse-charges-are-settled',
    promise: 'No stored events wait long for their charge.',
    sql: `SELECT charge_id AS subject, CONCAT('events ', events, ', cost ', cost, ', since ', created_at) AS detail
      FROM pulse_unsettled WHERE created_at < UTC_TIMESTAMP(6) - INTERVAL 5 MINUTE`,
  },
  daysAreTheirHours('pulse-days-are-their-hours', 'pulse_cell', 'step_no'),
  daysAreTheirHours('pulse-segment-days-are-their-hours', 'pulse_segment', 'property_no, value_no'),
  {
    name: 'pulse-segment-sessions-end-once',
    promise: 'Each session of a segment has its latest event at exactly one step.',
    sql: `SELECT CONCAT_WS('/', ${place}, property_no, value_no, grain, start_hour) AS subject,
        CONCAT('sessions ', sessions, ', abandoned ', abandoned, ', ended ', ended) AS detail
      FROM pulse_segment WHERE abandoned + ended <> sessions`,
  },
];

function daysAreTheirHours(name: string, table: string, part: string): Invariant {
  const rows = `${place}, ${part}`;
  return {
    name,
    promise: 'The rollup of a day is the sum of its hours, and none has a negative count.',
    sql: `SELECT CONCAT_WS('/', ${rows}, x.start_day) AS subject,
        CONCAT('hours ', SUM(IF(x.grain = 1, x.sessions, 0)), ', day ', SUM(IF(x.grain = 2, x.sessions, 0)), ' sessions') AS detail
      FROM (
        SELECT ${rows}, grain, start_hour DIV 24 AS start_day, ${sums}, MIN(LEAST(sessions, completed, reached, abandoned, ended, errored)) AS least
        FROM ${table} GROUP BY ${rows}, grain, start_hour DIV 24
      ) x GROUP BY ${rows}, x.start_day
      HAVING SUM(IF(x.grain = 1, x.sessions, -x.sessions)) <> 0 OR SUM(IF(x.grain = 1, x.completed, -x.completed)) <> 0
        OR SUM(IF(x.grain = 1, x.abandoned, -x.abandoned)) <> 0 OR SUM(IF(x.grain = 1, x.ended, -x.ended)) <> 0 OR SUM(IF(x.grain = 1, x.reached, -x.reached)) <> 0 OR MIN(x.least) < 0`,
  };
}
