import { byKey, clocksDifferUs, nowUs, type Rules, signed } from './invariant.ts';

const times: readonly (readonly [table: string, id: string, column: string])[] = [
  ['wallet', 'id', 'created_at_us'],
  ['charge', 'id', 'created_at_us'],
  ['charge', 'id', 'ended_at_us'],
  ['posting', 'source_id', 'created_at_us'],
  ['top_up', 'id', 'created_at_us'],
  ['receivable', 'source_id', 'created_at_us'],
];

/** What must hold for wallets and their chains of postings. */
export const balanceInvariants: Rules = {
  'balance-is-its-postings': {
    promise: 'A balance is the sum of its postings, which are numbered without a gap.',
    sql: `SELECT w.id AS subject,
        CONCAT('posted ', w.posted, ', postings ', COALESCE(s.total, 0), ', seq ', w.seq, ', count ', COALESCE(s.rows_, 0)) AS detail
      FROM wallet w LEFT JOIN (
        SELECT p.wallet_id, SUM(${signed}) AS total, COUNT(*) AS rows_, MAX(p.seq) AS last FROM posting p GROUP BY p.wallet_id
      ) s ON s.wallet_id = w.id
      WHERE w.posted <> COALESCE(s.total, 0) OR w.seq <> COALESCE(s.rows_, 0) OR w.seq <> COALESCE(s.last, 0)`,
  },
  'all-is-in-a-wallet': {
    promise: 'Every posting, charge and top-up is in a wallet that exists, and charges are in API wallets.',
    sql: `SELECT x.wallet_id AS subject, x.what AS detail FROM (
        SELECT DISTINCT wallet_id, 'posting' AS what FROM posting
        UNION SELECT DISTINCT wallet_id, 'charge' FROM charge
        UNION SELECT DISTINCT wallet_id, 'top-up' FROM top_up
      ) x LEFT JOIN wallet w ${byKey} ON w.id = x.wallet_id WHERE w.id IS NULL OR (x.what = 'charge' AND w.kind <> 'api')`,
  },
  'balances-chain': {
    promise: 'Each posting starts from the balance of the one before, and is not older.',
    sql: `SELECT p.wallet_id AS subject, CONCAT('seq ', p.seq, ', balance ', p.balance_after, ', time ', p.created_at_us) AS detail
      FROM posting p LEFT JOIN posting q ${byKey} ON q.wallet_id = p.wallet_id AND q.seq = p.seq - 1
      WHERE p.balance_after <> COALESCE(q.balance_after, 0) + ${signed}
        OR p.created_at_us < COALESCE(q.created_at_us, 0) - ${clocksDifferUs}`,
  },
  'a-wallet-counts-its-charges': {
    promise: "A wallet's held credit is the sum of its open holds, and none of its charges is missing.",
    sql: `SELECT w.id AS subject, CONCAT('held ', w.held, ', open holds ', COALESCE(s.total, 0),
          ', charges ', w.charges, ', there are ', COALESCE(s.rows_, 0)) AS detail
      FROM wallet w LEFT JOIN (
        SELECT wallet_id, SUM(IF(state = 'held', hold, 0)) AS total, COUNT(*) AS rows_ FROM charge GROUP BY wallet_id
      ) s ON s.wallet_id = w.id WHERE w.held <> COALESCE(s.total, 0) OR w.charges <> COALESCE(s.rows_, 0)`,
  },
  'no-wallet-below-zero': {
    promise: '0 <= held <= balance.',
    sql: `SELECT id AS subject, CONCAT('posted ', posted, ', held ', held) AS detail FROM wallet
      WHERE held < 0 OR held > posted OR posted < 0 OR owed < 0`,
  },
  'all-money-is-accounted-for': {
    promise: 'All balances together are payments, less use, less what was paid back, with corrections.',
    sql: `SELECT 'all wallets' AS subject, CONCAT('balances ', x.balances, ', accounted for ', x.accounted) AS detail FROM (
        SELECT (SELECT COALESCE(SUM(posted), 0) FROM wallet) AS balances,
          (SELECT COALESCE(SUM(amount), 0) FROM top_up WHERE state = 'paid') - (SELECT COALESCE(SUM(settled), 0) FROM charge)
          - (SELECT COALESCE(SUM(taken), 0) FROM receivable) + (SELECT COALESCE(SUM(amount), 0) FROM adjustment) AS accounted
      ) x WHERE x.balances <> x.accounted`,
  },
  'nothing-is-of-the-future': {
    promise: 'Nothing in the books happens later than now.',
    sql: times
      .map(
        ([table, id, column]) =>
          `SELECT ${id} AS subject, CONCAT('${table}.${column} ', ${column}) AS detail FROM ${table}
           WHERE ${column} > ${nowUs} + ${clocksDifferUs}`,
      )
      .join(' UNION ALL '),
  },
};
