import { byKey, bySource, clocksDifferUs, type Rules, signed } from './invariant.ts';

const lastPart = "SUBSTRING_INDEX(p.step, ':', -1)";
/** The reference in a posting's step: `take:<reference>`, `restore:<reference>`, `repay:<reference>:<number>`. */
const referenceOf = `CASE WHEN p.step LIKE 'take:%' THEN SUBSTRING(p.step, 6) WHEN p.step LIKE 'restore:%' THEN SUBSTRING(p.step, 9)
  WHEN p.step LIKE 'repay:%' THEN SUBSTRING(LEFT(p.step, LENGTH(p.step) - LENGTH(${lastPart}) - 1), 7) END`;
const movesReceivable =
  "(p.source_type IN ('refund', 'dispute') OR (p.source_type = 'charge' AND p.step LIKE 'repay:%'))";

/** What must hold for payments, reversals, debts and corrections. */
export const paymentInvariants: Rules = {
  'postings-are-of-known-kinds': {
    promise:
      'Every posting is for use, a top-up, a refund, a dispute or a correction, and says so; one of its sides is the wallet.',
    sql: `SELECT wallet_id AS subject, CONCAT('seq ', seq, ', ', kind, ' of ', source_type) AS detail FROM posting
      WHERE CASE source_type WHEN 'charge' THEN 'usage' WHEN 'top_up' THEN 'top_up' WHEN 'refund' THEN 'refund'
        WHEN 'dispute' THEN 'dispute' WHEN 'adjustment' THEN 'adjustment' ELSE '' END <> kind
        OR (debit_account = 'wallet') = (credit_account = 'wallet') OR amount <= 0`,
  },
  'paid-is-credited-once': {
    promise: 'A top-up of at least 5 USD is credited once when it is paid, and never otherwise.',
    sql: `SELECT t.id AS subject, CONCAT(t.state, ', amount ', t.amount, ', credited ', COALESCE(p.amount, 0), ', paid at ', COALESCE(t.paid_at_us, 0)) AS detail
      FROM top_up t LEFT JOIN posting p ${bySource} ON p.source_type = 'top_up' AND p.source_id = t.id AND p.step = 'credit'
      WHERE (t.state = 'paid') <> (p.seq IS NOT NULL) OR (t.state = 'paid') <> (t.paid_at_us IS NOT NULL) OR t.amount < 5000000000
        OR (t.state = 'paid' AND (t.amount <> p.amount OR t.paid_at_us <> p.created_at_us OR t.paid_at_us < t.created_at_us - ${clocksDifferUs}))`,
  },
  'credit-has-a-top-up': {
    promise: 'No credit without a payment: every top-up entry is that of its own top-up, wallet and provider.',
    sql: `SELECT p.source_id AS subject, CONCAT('amount ', p.amount, ' from ', p.debit_account) AS detail
      FROM posting p LEFT JOIN top_up t ${byKey} ON t.id = p.source_id AND t.wallet_id = p.wallet_id
      WHERE p.source_type = 'top_up' AND (t.id IS NULL OR p.credit_account <> 'wallet' OR p.step <> 'credit'
        OR p.debit_account <> CONCAT('payments:', t.provider))`,
  },
  'adjustment-is-posted-once': {
    promise: 'Every correction is posted once, with its amount, when it was made.',
    sql: `SELECT a.id AS subject, CONCAT('amount ', a.amount, ', posted ', COALESCE(${signed}, 0)) AS detail
      FROM adjustment a LEFT JOIN posting p ${bySource} ON p.source_type = 'adjustment' AND p.source_id = a.id AND p.step = 'apply'
      WHERE p.seq IS NULL OR a.amount <> ${signed} OR a.wallet_id <> p.wallet_id OR a.created_at_us <> p.created_at_us`,
  },
  'correction-has-an-adjustment': {
    promise: 'No correction is posted without its reason, and all are of the same account.',
    sql: `SELECT p.source_id AS subject, CONCAT(p.step, ', amount ', p.amount, ' from ', p.debit_account, ' to ', p.credit_account) AS detail
      FROM posting p LEFT JOIN adjustment a ${byKey} ON a.id = p.source_id
      WHERE p.source_type = 'adjustment' AND (a.id IS NULL OR p.step <> 'apply'
        OR IF(p.credit_account = 'wallet', p.debit_account, p.credit_account) <> 'adjustments')`,
  },
  'payments-taken-back-stay-within-the-payment': {
    promise: 'Refunds and disputes never exceed the payment.',
    sql: `SELECT t.id AS subject, CONCAT('amount ', t.amount, ', reversed ', t.reversed, ', receivables ', COALESCE(s.total, 0)) AS detail
      FROM top_up t LEFT JOIN (
        SELECT source_id, SUM(IF(state = 'restored', 0, amount)) AS total FROM receivable GROUP BY source_id
      ) s ON s.source_id = t.id
      WHERE t.reversed <> COALESCE(s.total, 0) OR t.reversed > t.amount OR (t.reversed > 0 AND t.state <> 'paid')`,
  },
  'a-receivable-has-its-source': {
    promise:
      'What is owed is owed for a payment that was taken back, to its provider, or for a reply that was delivered.',
    sql: `SELECT STRAIGHT_JOIN r.source_id AS subject, CONCAT(r.kind, ' ', r.reference, ', ', r.state, ', to ', r.counter_account) AS detail
      FROM receivable r LEFT JOIN top_up t ${byKey} ON t.id = r.source_id LEFT JOIN charge c ${byKey} ON c.wallet_id = r.wallet_id AND c.id = r.source_id
      WHERE IF(r.kind = 'usage',
          c.id IS NULL OR c.owed <> r.amount OR r.reference <> 'use' OR r.state <> 'final' OR r.counter_account <> 'revenue'
            OR r.created_at_us < c.ended_at_us - ${clocksDifferUs},
          t.id IS NULL OR t.wallet_id <> r.wallet_id OR r.counter_account <> CONCAT('payments:', t.provider)
            OR r.created_at_us < t.paid_at_us - ${clocksDifferUs})
        OR (r.state = 'open' AND r.kind <> 'dispute')
        OR (r.state = 'restored' AND r.taken + r.owed <> 0) OR (r.state <> 'restored' AND r.taken + r.owed <> r.amount)`,
  },
  'a-receivable-has-taken-what-is-posted': {
    promise:
      'Each refund, dispute and debt has taken what it says, in as many repayments as it counts, or has given all back.',
    sql: `SELECT r.source_id AS subject, CONCAT(r.reference, ', ', r.state, ', taken ', r.taken, ', posted ', COALESCE(s.taken, 0), ' less ',
          COALESCE(s.restored, 0), ', repayments ', r.repayments, ', posted ', COALESCE(s.repayments, 0)) AS detail
      FROM receivable r LEFT JOIN (
        SELECT p.source_id, ${referenceOf} AS reference,
          SUM(IF(p.step LIKE 'restore:%', 0, p.amount)) AS taken, SUM(IF(p.step LIKE 'restore:%', p.amount, 0)) AS restored,
          SUM(p.step LIKE 'repay:%') AS repayments, MAX(IF(p.step LIKE 'repay:%', CAST(${lastPart} AS UNSIGNED), 0)) AS last,
          MAX(IF(p.step LIKE 'take:%', p.created_at_us, NULL)) AS taken_at_us
        FROM posting p WHERE ${movesReceivable} GROUP BY p.source_id, ${referenceOf}
      ) s ON s.source_id = r.source_id AND s.reference = r.reference
      WHERE r.taken <> COALESCE(s.taken, 0) - COALESCE(s.restored, 0) OR (r.state <> 'restored' AND COALESCE(s.restored, 0) <> 0)
        OR r.amount < COALESCE(s.taken, 0)
        OR r.repayments <> COALESCE(s.repayments, 0) OR r.repayments <> COALESCE(s.last, 0) OR COALESCE(s.taken_at_us, r.created_at_us) <> r.created_at_us`,
  },
  'what-is-taken-has-a-receivable': {
    promise: 'Nothing is taken back, repaid or restored but for a refund, a dispute or a debt, with its own account.',
    sql: `SELECT STRAIGHT_JOIN p.source_id AS subject, CONCAT(p.source_type, ' ', p.step, ', amount ', p.amount, ' from ', p.debit_account, ' to ', p.credit_account) AS detail
      FROM posting p LEFT JOIN receivable r ${byKey} ON r.source_id = p.source_id AND r.reference = ${referenceOf}
      WHERE ${movesReceivable} AND (r.source_id IS NULL OR r.wallet_id <> p.wallet_id
        OR IF(p.step LIKE 'restore:%',
          p.source_type <> 'dispute' OR p.credit_account <> 'wallet' OR p.debit_account <> r.counter_account,
          p.source_type <> IF(r.kind = 'usage', 'charge', r.kind) OR p.debit_account <> 'wallet' OR p.credit_account <> r.counter_account))`,
  },
  'a-wallet-owes-its-receivables': {
    promise: 'What a wallet owes is what is left of its receivables, and its open disputes are counted.',
    sql: `SELECT w.id AS subject, CONCAT('owed ', w.owed, ', receivables ', COALESCE(r.owed, 0), ', disputes ', w.open_disputes, ', there are ', COALESCE(r.disputes, 0)) AS detail
      FROM wallet w
      LEFT JOIN (SELECT wallet_id, SUM(owed) AS owed, SUM(kind = 'dispute' AND state = 'open') AS disputes
        FROM receivable GROUP BY wallet_id) r ON r.wallet_id = w.id
      WHERE w.owed <> COALESCE(r.owed, 0) OR w.open_disputes <> COALESCE(r.disputes, 0)`,
  },
};
