import { byKey, bySource, clocksDifferUs, graceUs, nowUs, type Rules } from './invariant.ts';
import { isFromBefore } from './keys.ts';

const captureSteps = ['capture', 'expiry', 'late', 'rest', 'excess'] as const;
const captures = captureSteps
  .map(
    (step) =>
      `LEFT JOIN posting ${step}_ ${bySource} ON ${step}_.source_type = 'charge' AND ${step}_.source_id = c.id AND ${step}_.step = '${step}'`,
  )
  .join(' ');
/** Any excess that an expiry took was given back, so it is subtracted. */
const captured = captureSteps.map((step) => `${step === 'excess' ? '-' : '+'} COALESCE(${step}_.amount, 0)`).join(' ');
const has = (step: (typeof captureSteps)[number]) => `(${step}_.seq IS NOT NULL)`;
/** While a key can still be retried, unfinished work is not charged. */
const paysAtExpiry = `(c.idempotency_key IS NULL OR ${isFromBefore('c')})`;

const usedAfterRevocation = (column: string) =>
  `SELECT STRAIGHT_JOIN c.id AS subject, CONCAT(s.id, ' was revoked at ', s.revoked_at_ms, ' ms, the charge is of ', c.created_at_us, ' us') AS detail
   FROM charge c JOIN credential_state s ${byKey} ON s.id = c.${column}
   WHERE s.state = 'revoked' AND c.created_at_us >= (s.revoked_at_ms + 1) * 1000`;

/** What must hold for charges and the amounts captured for them. */
export const chargeInvariants: Rules = {
  'settled-is-captured-once': {
    promise: 'What a charge settled is exactly what was captured for it, at its end, its expiry or after it.',
    sql: `SELECT c.id AS subject, CONCAT(c.state, ', settled ', COALESCE(c.settled, 0), ', captured ', ${captured},
          ', at its expiry ', COALESCE(expiry_.amount, 0), ' of ', c.progress_cost) AS detail
      FROM charge c ${captures}
      WHERE COALESCE(c.settled, 0) <> ${captured}
        OR (c.state IN ('held', 'released', 'superseded') AND ${captured} > 0)
        OR (c.state = 'expired' AND (COALESCE(expiry_.amount, 0) <> IF(${paysAtExpiry}, c.progress_cost, 0)
          OR ${has('capture')} + ${has('late')} + ${has('rest')} + ${has('excess')} > 0))
        OR (c.state = 'settled' AND (${has('capture')} + ${has('late')} + ${has('expiry')} <> (c.settled > 0 OR ${has('excess')})
          OR ${has('rest')} + ${has('excess')} > ${has('expiry')}))
        OR (expiry_.amount IS NOT NULL AND (expiry_.amount <> c.progress_cost OR NOT ${paysAtExpiry}))
        OR COALESCE(capture_.created_at_us, expiry_.created_at_us, c.ended_at_us, 0) <> COALESCE(c.ended_at_us, 0)
        OR COALESCE(late_.created_at_us, rest_.created_at_us, excess_.created_at_us, c.ended_at_us, 0) < COALESCE(c.ended_at_us, 0) - ${clocksDifferUs}`,
  },
  'capture-has-a-charge': {
    promise: 'Nothing is taken for use without its charge, and all of it goes to the revenue.',
    sql: `SELECT p.source_id AS subject, CONCAT(p.kind, ' ', p.step, ', amount ', p.amount, ' from ', p.debit_account, ' to ', p.credit_account) AS detail
      FROM posting p LEFT JOIN charge c ${byKey} ON c.wallet_id = p.wallet_id AND c.id = p.source_id
      WHERE p.source_type = 'charge' AND (c.id IS NULL OR p.kind <> 'usage'
        OR IF(p.step = 'excess', p.debit_account, p.credit_account) <> 'revenue'
        OR IF(p.step = 'excess', p.credit_account, p.debit_account) <> 'wallet'
        OR (p.step NOT IN ('capture', 'expiry', 'late', 'rest', 'excess') AND p.step NOT LIKE 'repay:use:%'))`,
  },
  'settled-is-within-the-hold': {
    promise: '0 <= settled + owed <= hold, an open hold has settled nothing, and no charge ends before it begins.',
    sql: `SELECT id AS subject, CONCAT(state, ', settled ', COALESCE(settled, 'NULL'), ', owed ', owed, ', hold ', hold) AS detail
      FROM charge WHERE settled < 0 OR owed < 0 OR COALESCE(settled, 0) + owed > hold OR (state = 'held') <> (settled IS NULL)
        OR (state IN ('released', 'superseded') AND settled <> 0) OR (state <> 'settled' AND owed <> 0) OR progress_cost > hold
        OR ended_at_us < created_at_us - ${clocksDifferUs}`,
  },
  'what-is-owed-is-followed': {
    promise: 'What could not be collected for something delivered is owed, by a receivable of its own.',
    sql: `SELECT STRAIGHT_JOIN c.id AS subject, CONCAT('owed ', c.owed, ', receivable ', COALESCE(r.amount, 'missing')) AS detail
      FROM charge c LEFT JOIN receivable r ${byKey} ON r.source_id = c.id AND r.reference = 'use'
      WHERE c.owed > 0 AND (r.amount IS NULL OR r.amount <> c.owed OR r.kind <> 'usage' OR r.wallet_id <> c.wallet_id)`,
  },
  'no-hold-is-forgotten': {
    promise: 'No hold is open long after its expiry.',
    sql: `SELECT id AS subject, CONCAT('expired ', ${nowUs} - expires_at_us, ' us ago on ', node_id) AS detail
      FROM charge WHERE expires_at_us < ${nowUs} - ${graceUs}`,
  },
  'reversals-stay-within-the-charge': {
    promise:
      'What is given back for a charge is never more than was paid for it, repaid debts included, and is counted on it.',
    sql: `SELECT STRAIGHT_JOIN c.id AS subject, CONCAT('settled ', COALESCE(c.settled, 0), ', repaid ', COALESCE(r.taken, 0), ', reversed ', c.reversed,
          ', adjustments ', COALESCE(s.total, 0)) AS detail
      FROM charge c LEFT JOIN (
        SELECT wallet_id, charge_id, SUM(amount) AS total FROM adjustment WHERE charge_id IS NOT NULL GROUP BY wallet_id, charge_id
      ) s ON s.wallet_id = c.wallet_id AND s.charge_id = c.id
      LEFT JOIN receivable r ${byKey} ON r.source_id = c.id AND r.reference = 'use'
      WHERE c.reversed <> COALESCE(s.total, 0) OR c.reversed NOT BETWEEN 0 AND COALESCE(c.settled, 0) + COALESCE(r.taken, 0)`,
  },
  'a-reversal-is-of-a-charge': {
    promise: 'What is given back for a charge is given back for one of the same wallet.',
    sql: `SELECT STRAIGHT_JOIN a.id AS subject, CONCAT('of ', a.wallet_id, ' for ', a.charge_id) AS detail
      FROM adjustment a LEFT JOIN charge c ${byKey} ON c.wallet_id = a.wallet_id AND c.id = a.charge_id
      WHERE a.charge_id IS NOT NULL AND c.id IS NULL`,
  },
  'an-account-pays-with-its-own-keys': {
    promise: 'The key of every charge is one of the account whose wallet pays.',
    sql: `SELECT STRAIGHT_JOIN c.id AS subject, CONCAT(c.key_id, ' is of ', COALESCE(s.account_id, 'nobody'), ', the wallet of ', w.account_id) AS detail
      FROM charge c JOIN wallet w ${byKey} ON w.id = c.wallet_id LEFT JOIN credential_state s ${byKey} ON s.id = c.key_id
      WHERE s.id IS NULL OR s.account_id <> w.account_id`,
  },
  'no-use-after-revocation': {
    promise: 'No charge was admitted after the revocation of its key, token or device was committed.',
    sql: ['key_id', 'token_id', 'device_id'].map(usedAfterRevocation).join(' UNION ALL '),
  },
  'no-settlement-waits-for-a-person': {
    promise:
      'The database has refused no settlement; a dead letter counts until somebody has seen to it and removed it.',
    sql: `SELECT charge_id AS subject, CONCAT('in ', wallet_id, ' since ', created_at_us, ' us: ', LEFT(error, 200)) AS detail
      FROM settlement_dead_letter`,
  },
};
