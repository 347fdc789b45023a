/** A rule as a query that lists what breaks it: columns `subject` and `detail`. */
export interface Invariant {
  name: string;
  /** What holds, in words. */
  promise: string;
  sql: string;
}

/** How long a hold may be past its expiry before someone must look: reapers come by, and rest after an outage. */
const graceUs = 300_000_000;
const nowUs = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))";
const signed = "IF(p.credit_account = 'wallet', p.amount, -p.amount)";

const usedAfterRevocation = (column: string) =>
  `SELECT c.id AS subject, CONCAT(s.id, ' was revoked at ', s.revoked_at_ms, ' ms, the charge is of ', c.created_at_us, ' us') AS detail
   FROM charge c JOIN credential_state s ON s.id = c.${column}
   WHERE s.state = 'revoked' AND c.created_at_us >= (s.revoked_at_ms + 1) * 1000`;

/** What must hold at every moment. Each query lists what breaks it. */
export const invariants: readonly Invariant[] = [
  {
    name: 'balance-is-its-postings',
    promise: 'A balance is the sum of its postings, which are numbered without a gap.',
    sql: `SELECT w.id AS subject,
        CONCAT('posted ', w.posted, ', postings ', COALESCE(s.total, 0), ', seq ', w.seq, ', count ', COALESCE(s.rows_, 0)) AS detail
      FROM wallet w LEFT JOIN (
        SELECT p.wallet_id, SUM(${signed}) AS total, COUNT(*) AS rows_, MAX(p.seq) AS last FROM posting p GROUP BY p.wallet_id
      ) s ON s.wallet_id = w.id
      WHERE w.posted <> COALESCE(s.total, 0) OR w.seq <> COALESCE(s.rows_, 0) OR w.seq <> COALESCE(s.last, 0)`,
  },
  {
    name: 'posting-has-a-wallet',
    promise: 'Every posting and charge is in a wallet that exists.',
    sql: `SELECT x.wallet_id AS subject, x.what AS detail FROM (
        SELECT DISTINCT wallet_id, 'posting' AS what FROM posting UNION SELECT DISTINCT wallet_id, 'charge' FROM charge
      ) x LEFT JOIN wallet w ON w.id = x.wallet_id WHERE w.id IS NULL`,
  },
  {
    name: 'balances-chain',
    promise: 'Each posting starts from the balance of the one before.',
    sql: `SELECT p.wallet_id AS subject, CONCAT('seq ', p.seq, ', balance ', p.balance_after) AS detail
      FROM posting p LEFT JOIN posting q ON q.wallet_id = p.wallet_id AND q.seq = p.seq - 1
      WHERE p.balance_after <> COALESCE(q.balance_after, 0) + ${signed}`,
  },
  {
    name: 'held-is-its-open-charges',
    promise: "A wallet's held credit is the sum of its open holds.",
    sql: `SELECT w.id AS subject, CONCAT('held ', w.held, ', open holds ', COALESCE(s.total, 0)) AS detail
      FROM wallet w LEFT JOIN (
        SELECT wallet_id, SUM(hold) AS total FROM charge WHERE state = 'held' GROUP BY wallet_id
      ) s ON s.wallet_id = w.id WHERE w.held <> COALESCE(s.total, 0)`,
  },
  {
    name: 'no-wallet-below-zero',
    promise: '0 <= held <= balance.',
    sql: `SELECT id AS subject, CONCAT('posted ', posted, ', held ', held) AS detail FROM wallet
      WHERE held < 0 OR held > posted OR posted < 0 OR owed < 0`,
  },
  {
    name: 'settled-is-captured-once',
    promise: 'What a charge settled is exactly what was captured for it.',
    sql: `SELECT c.id AS subject,
        CONCAT(c.state, ', settled ', COALESCE(c.settled, 0), ', captured ', COALESCE(SUM(p.amount), 0), ' in ', COUNT(p.seq)) AS detail
      FROM charge c LEFT JOIN posting p ON p.source_type = 'charge' AND p.source_id = c.id AND p.wallet_id = c.wallet_id
      GROUP BY c.wallet_id, c.id, c.state, c.settled
      HAVING COALESCE(c.settled, 0) <> COALESCE(SUM(p.amount), 0) OR (c.state IN ('held', 'released') AND COUNT(p.seq) > 0)
        OR COUNT(p.seq) > 2`,
  },
  {
    name: 'capture-has-a-charge',
    promise: 'Nothing is taken for use without its charge.',
    sql: `SELECT p.source_id AS subject, CONCAT('amount ', p.amount) AS detail
      FROM posting p LEFT JOIN charge c ON c.wallet_id = p.wallet_id AND c.id = p.source_id
      WHERE p.source_type = 'charge' AND (c.id IS NULL OR p.debit_account <> 'wallet' OR p.step NOT IN ('capture', 'late'))`,
  },
  {
    name: 'settled-is-within-the-hold',
    promise: '0 <= settled <= hold, and an open hold has settled nothing.',
    sql: `SELECT id AS subject, CONCAT(state, ', settled ', COALESCE(settled, 'NULL'), ', hold ', hold) AS detail
      FROM charge WHERE settled < 0 OR settled > hold OR (state = 'held') <> (settled IS NULL) OR (state = 'released' AND settled <> 0)`,
  },
  {
    name: 'no-hold-is-forgotten',
    promise: 'No hold is open long after its expiry.',
    sql: `SELECT id AS subject, CONCAT('expired ', ${nowUs} - expires_at_us, ' us ago on ', node_id) AS detail
      FROM charge WHERE expires_at_us < ${nowUs} - ${graceUs}`,
  },
  {
    name: 'paid-is-credited-once',
    promise: 'A top-up of at least 5 USD is credited once when it is paid, and never otherwise.',
    sql: `SELECT t.id AS subject,
        CONCAT(t.state, ', amount ', t.amount, ', credited ', COALESCE(SUM(p.amount), 0), ' in ', COUNT(p.seq)) AS detail
      FROM top_up t LEFT JOIN posting p ON p.source_type = 'top_up' AND p.source_id = t.id
      GROUP BY t.id, t.state, t.amount, t.wallet_id
      HAVING COUNT(p.seq) <> (t.state = 'paid') OR (t.state = 'paid' AND (t.amount <> COALESCE(SUM(p.amount), 0) OR t.amount < 5000000000))`,
  },
  {
    name: 'credit-has-a-top-up',
    promise: 'No credit without a payment: every top-up entry is that of its own top-up and wallet.',
    sql: `SELECT p.source_id AS subject, CONCAT('amount ', p.amount) AS detail
      FROM posting p LEFT JOIN top_up t ON t.id = p.source_id AND t.wallet_id = p.wallet_id
      WHERE p.source_type = 'top_up' AND (t.id IS NULL OR p.credit_account <> 'wallet' OR p.step <> 'credit')`,
  },
  {
    name: 'adjustment-is-posted-once',
    promise: 'Every correction is posted once, with its amount.',
    sql: `SELECT a.id AS subject, CONCAT('amount ', a.amount, ', posted ', COALESCE(SUM(${signed}), 0)) AS detail
      FROM adjustment a LEFT JOIN posting p ON p.source_type = 'adjustment' AND p.source_id = a.id AND p.wallet_id = a.wallet_id
      GROUP BY a.id, a.amount HAVING a.amount <> COALESCE(SUM(${signed}), 0) OR COUNT(p.seq) <> 1`,
  },
  {
    name: 'reversals-stay-within-the-charge',
    promise: 'What is given back for a charge is never more than it was, and is counted on it.',
    sql: `SELECT c.id AS subject, CONCAT('settled ', COALESCE(c.settled, 0), ', reversed ', c.reversed, ', adjustments ', COALESCE(s.total, 0)) AS detail
      FROM charge c LEFT JOIN (
        SELECT wallet_id, charge_id, SUM(amount) AS total FROM adjustment WHERE charge_id IS NOT NULL GROUP BY wallet_id, charge_id
      ) s ON s.wallet_id = c.wallet_id AND s.charge_id = c.id
      WHERE c.reversed <> COALESCE(s.total, 0) OR c.reversed > COALESCE(c.settled, 0)`,
  },
  {
    name: 'payments-taken-back-stay-within-the-payment',
    promise: 'Refunds and disputes never exceed the payment, and each has taken what it says.',
    sql: `SELECT t.id AS subject, CONCAT('amount ', t.amount, ', reversed ', t.reversed, ', receivables ', COALESCE(s.total, 0)) AS detail
      FROM top_up t LEFT JOIN (
        SELECT top_up_id, SUM(IF(state = 'restored', 0, amount)) AS total FROM receivable GROUP BY top_up_id
      ) s ON s.top_up_id = t.id WHERE t.reversed <> COALESCE(s.total, 0) OR t.reversed > t.amount`,
  },
  {
    name: 'receivables-are-what-was-not-taken',
    promise: 'What refunds and disputes took is posted, and what is left is owed by the wallet.',
    sql: `SELECT w.id AS subject, CONCAT('owed ', w.owed, ', receivables ', COALESCE(r.owed, 0), ', taken ', COALESCE(r.taken, 0), ', posted ', COALESCE(s.total, 0)) AS detail
      FROM wallet w
      LEFT JOIN (SELECT wallet_id, SUM(owed) AS owed, SUM(taken) AS taken, SUM(kind = 'dispute' AND state = 'open') AS disputes
        FROM receivable GROUP BY wallet_id) r ON r.wallet_id = w.id
      LEFT JOIN (SELECT p.wallet_id, SUM(-(${signed})) AS total FROM posting p WHERE p.source_type IN ('refund', 'dispute')
        GROUP BY p.wallet_id) s ON s.wallet_id = w.id
      WHERE w.owed <> COALESCE(r.owed, 0) OR COALESCE(r.taken, 0) <> COALESCE(s.total, 0) OR w.open_disputes <> COALESCE(r.disputes, 0)`,
  },
  {
    name: 'all-money-is-accounted-for',
    promise: 'All balances together are payments, less use, less what was paid back, with corrections.',
    sql: `SELECT 'all wallets' AS subject, CONCAT('balances ', x.balances, ', accounted for ', x.accounted) AS detail FROM (
        SELECT (SELECT COALESCE(SUM(posted), 0) FROM wallet) AS balances,
          (SELECT COALESCE(SUM(amount), 0) FROM top_up WHERE state = 'paid') - (SELECT COALESCE(SUM(settled), 0) FROM charge)
          - (SELECT COALESCE(SUM(taken), 0) FROM receivable) + (SELECT COALESCE(SUM(amount), 0) FROM adjustment) AS accounted
      ) x WHERE x.balances <> x.accounted`,
  },
  {
    name: 'caps-are-their-charges',
    promise: 'A spending cap has counted exactly the charges under it.',
    sql: `SELECT k.owner AS subject, CONCAT('held ', k.held, ', spent ', k.spent, ', charges ', COALESCE(s.held, 0), ' and ', COALESCE(s.spent, 0)) AS detail
      FROM cap k LEFT JOIN (
        SELECT cc.owner, SUM(IF(c.state = 'held', c.hold, 0)) AS held, SUM(COALESCE(c.settled, 0)) AS spent
        FROM charge_cap cc JOIN charge c ON c.wallet_id = cc.wallet_id AND c.id = cc.charge_id GROUP BY cc.owner
      ) s ON s.owner = k.owner WHERE k.held <> COALESCE(s.held, 0) OR k.spent <> COALESCE(s.spent, 0)`,
  },
  {
    name: 'no-use-after-revocation',
    promise: 'No charge was admitted after the revocation of its key, token or device was committed.',
    sql: ['key_id', 'token_id', 'device_id'].map(usedAfterRevocation).join(' UNION ALL '),
  },
  {
    name: 'a-key-leads-to-its-charge',
    promise: 'An idempotency key leads to a charge that is open or settled, never to one that cost nothing.',
    sql: `SELECT i.charge_id AS subject, CONCAT('state ', COALESCE(c.state, 'missing')) AS detail
      FROM idempotency i LEFT JOIN charge c ON c.wallet_id = i.wallet_id AND c.id = i.charge_id
      WHERE c.id IS NULL OR c.state IN ('released', 'expired', 'uncollected')`,
  },
];
