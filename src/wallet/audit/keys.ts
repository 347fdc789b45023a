import { byKey, type Rules } from './invariant.ts';

/** Whether a charge lost its idempotency key back when expiry still freed keys; what became of the key is unknown. */
export function isFromBefore(charge: string): string {
  return `(${charge}.idempotency_fingerprint = REPEAT(CHAR(0), 32))`;
}

const keyOfCharge = 'i.scope = c.idempotency_scope AND i.idempotency_key = c.idempotency_key';
/** A paid key may have a new row, made when its charge was settled late after another charge had freed the key. */
const sameFence = '(i.fence = c.idempotency_fence OR (i.fence = 1 AND i.captured_charge_id IS NOT NULL))';

/** What must hold for idempotency keys and the charges that held them. */
export const keyInvariants: Rules = {
  'a-paid-key-is-never-free': {
    promise: 'A charge that is open or paid has its idempotency key to itself; so no key is paid twice.',
    sql: `SELECT STRAIGHT_JOIN c.id AS subject, CONCAT(c.state, ', the key leads to ', COALESCE(i.charge_id, 'nothing')) AS detail
      FROM charge c LEFT JOIN idempotency i ${byKey} ON ${keyOfCharge}
      WHERE c.idempotency_key IS NOT NULL AND c.state IN ('held', 'settled') AND NOT ${isFromBefore('c')}
        AND (i.charge_id IS NULL OR i.charge_id <> c.id OR (c.state = 'settled') <> (i.captured_charge_id IS NOT NULL)
          OR COALESCE(i.captured_charge_id, c.id) <> c.id)`,
  },
  'a-key-leads-to-its-charge': {
    promise: 'An idempotency key leads to the charge that had it last, and is paid when that one is.',
    sql: `SELECT STRAIGHT_JOIN i.charge_id AS subject, CONCAT('state ', COALESCE(c.state, 'missing'), ', fence ', i.fence, ' and ',
          COALESCE(c.idempotency_fence, 'none'), ', paid by ', COALESCE(i.captured_charge_id, 'none')) AS detail
      FROM idempotency i LEFT JOIN charge c ${byKey} ON c.wallet_id = i.wallet_id AND c.id = i.charge_id
      WHERE c.id IS NULL OR c.state IN ('released', 'superseded') OR c.idempotency_key IS NULL OR NOT (${keyOfCharge})
        OR i.fingerprint <> c.idempotency_fingerprint OR NOT ${sameFence}
        OR (c.state = 'settled') <> (i.captured_charge_id IS NOT NULL)`,
  },
  'a-key-is-remembered-whole': {
    promise: 'A charge knows its idempotency key with its fingerprint and its fence, or has none.',
    sql: `SELECT id AS subject, CONCAT('scope ', COALESCE(idempotency_scope, 'NULL'), ', fence ', COALESCE(idempotency_fence, 'NULL')) AS detail
      FROM charge WHERE (idempotency_key IS NULL) <> (idempotency_scope IS NULL) OR (idempotency_key IS NULL) <> (idempotency_fingerprint IS NULL)
        OR (idempotency_key IS NULL) <> (idempotency_fence IS NULL)`,
  },
  'only-a-release-frees-a-key': {
    promise: 'A key that leads nowhere was freed by a release, after all else that it had led to.',
    sql: `SELECT MAX(c.id) AS subject, CONCAT('fence ', MAX(IF(c.state = 'released', 0, c.idempotency_fence)), ', freed ',
          MAX(IF(c.state = 'released', c.idempotency_fence, 0))) AS detail
      FROM charge c LEFT JOIN idempotency i ${byKey} ON ${keyOfCharge}
      WHERE c.idempotency_key IS NOT NULL AND i.scope IS NULL AND NOT ${isFromBefore('c')}
      GROUP BY c.idempotency_scope, c.idempotency_key
      HAVING MAX(IF(c.state = 'released', 0, c.idempotency_fence)) > MAX(IF(c.state = 'released', c.idempotency_fence, 0))`,
  },
};
