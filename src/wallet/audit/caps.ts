import { byKey, type Rules } from './invariant.ts';

/** What must hold for spending caps and the charges that count against them. */
export const capInvariants: Rules = {
  'caps-are-their-charges': {
    promise: 'A spending cap has counted exactly the charges under it.',
    sql: `SELECT k.owner AS subject, CONCAT('held ', k.held, ', spent ', k.spent, ', charges ', COALESCE(s.held, 0), ' and ', COALESCE(s.spent, 0)) AS detail
      FROM cap k LEFT JOIN (
        SELECT STRAIGHT_JOIN cc.owner, SUM(IF(c.state = 'held', c.hold, 0)) AS held, SUM(COALESCE(c.settled, 0) + c.owed) AS spent
        FROM charge_cap cc JOIN charge c ${byKey} ON c.wallet_id = cc.wallet_id AND c.id = cc.charge_id GROUP BY cc.owner
      ) s ON s.owner = k.owner WHERE s.owner IS NULL OR k.held <> s.held OR k.spent <> s.spent`,
  },
  'a-charge-knows-how-many-caps-it-counts-against': {
    promise: 'No charge is taken out of the caps that it was admitted under.',
    sql: `SELECT c.id AS subject, CONCAT('caps ', c.caps, ', there are ', COALESCE(s.rows_, 0)) AS detail
      FROM charge c LEFT JOIN (
        SELECT wallet_id, charge_id, COUNT(*) AS rows_ FROM charge_cap GROUP BY wallet_id, charge_id
      ) s ON s.wallet_id = c.wallet_id AND s.charge_id = c.id
      WHERE c.caps <> COALESCE(s.rows_, 0)`,
  },
  'a-charge-counts-against-its-own-caps': {
    promise: "A charge counts against the caps of its own key, end user or device, which are its wallet's.",
    sql: `SELECT STRAIGHT_JOIN cc.charge_id AS subject, CONCAT(cc.owner, IF(k.owner IS NULL, ' is missing', '')) AS detail
      FROM charge_cap cc LEFT JOIN charge c ${byKey} ON c.wallet_id = cc.wallet_id AND c.id = cc.charge_id LEFT JOIN cap k ${byKey} ON k.owner = cc.owner
      WHERE c.id IS NULL OR k.owner IS NULL OR k.wallet_id <> cc.wallet_id
        OR cc.owner NOT IN (CONCAT('key:', c.key_id), COALESCE(CONCAT('token:', c.key_id, ':', c.subject), ''),
          COALESCE(CONCAT('device:', c.device_id), ''))`,
  },
};
