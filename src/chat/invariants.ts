import type { Invariant } from '../wallet/index.ts';

/** The newest price of a charge's model, for everyone or for one account, in the book that the charge stands on. */
const priceVersion = (account: string) => `SELECT MAX(q.version) FROM price q
  WHERE q.item = CONCAT('model:', c.provider, '/', c.model) AND q.account_id = ${account} AND q.version <= c.price_version
    AND TIMESTAMPDIFF(MICROSECOND, '1970-01-01', q.effective_at) <= c.created_at_us`;

const rate = (column: string) => `COALESCE(own.${column}, p.${column})`;
const tokens = (column: string) => `CAST(COALESCE(c.${column}, 0) AS DECIMAL(20, 0))`;

/**
 * What must hold between chat's charges and the price book. A charge of several attempts (replies that did not fit their
 * schema, each at its own price) states so by its number of requests and is not priced again here.
 */
export const chatInvariants: readonly Invariant[] = [
  {
    name: 'chat-is-priced-by-the-book',
    promise: 'What a chat settled is the price of its usage by the book of its admission, within the hold.',
    sql: `SELECT d.id AS subject, CONCAT('settled ', d.settled, ', priced ', d.due, ', hold ', d.hold) AS detail FROM (
        SELECT c.id, c.settled, c.hold, LEAST(c.hold, (
            (${tokens('input_tokens')} - ${tokens('cached_input_tokens')}) * ${rate('input_per_million')}
            + ${tokens('cached_input_tokens')} * COALESCE(own.cached_input_per_million, own.input_per_million, p.cached_input_per_million, p.input_per_million)
            + ${tokens('output_tokens')} * ${rate('output_per_million')}
            + ${tokens('requests')} * COALESCE(${rate('per_request')}, 0) * 1000000 + 999999) DIV 1000000) AS due
        FROM charge c JOIN wallet w ON w.id = c.wallet_id
        LEFT JOIN price own ON own.item = CONCAT('model:', c.provider, '/', c.model) AND own.account_id = w.account_id
          AND own.version = (${priceVersion('w.account_id')})
        LEFT JOIN price p ON p.item = CONCAT('model:', c.provider, '/', c.model) AND p.account_id = ''
          AND p.version = (${priceVersion("''")})
        WHERE c.operation = 'chat' AND c.state IN ('settled', 'expired') AND c.requests = 1
      ) d WHERE d.due IS NULL OR d.due <> d.settled`,
  },
];
