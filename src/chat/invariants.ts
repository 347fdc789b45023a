import type { Invariant } from '../wallet/index.ts';

/** What is priced: the model, or a request with the account's own key for its provider. */
const item = `IF(c.provider_key_id IS NULL, CONCAT('model:', c.provider, '/', c.model), CONCAT('byok:', c.provider))`;

/** The newest price of the charged item, for everyone or for one account, in the charge's price book. */
const priceVersion = (account: string, of = item) => `SELECT MAX(q.version) FROM price q
  WHERE q.item = ${of} AND q.account_id = ${account} AND q.version <= c.price_version
    AND TIMESTAMPDIFF(MICROSECOND, '1970-01-01', q.effective_at) <= c.created_at_us`;

/** The account's own price if it has one (all of it, not column by column), otherwise everyone's. */
const chosen = (column: string) => `IF(own.item IS NULL, p.${column}, own.${column})`;
/** The rate of the tier that the charge's input falls in, otherwise the price's own rate. */
const rate = (column: string) => `IF(t.item IS NULL, ${chosen(column)}, t.${column})`;
const inputRate = (column: string) => `COALESCE(${rate(column)}, ${rate('input_per_million')})`;
const tokens = (column: string) => `CAST(COALESCE(c.${column}, 0) AS DECIMAL(20, 0))`;

const guardrail = "'guardrail'";
/** What guardrails cost on top of the model, if the caller's key had any; the one thing the charge does not record. */
const fee = `COALESCE(IF(gown.item IS NULL, g.per_request, gown.per_request), 0)`;

/**
 * What must hold between chat's charges and the price book. A charge with several attempts (replies that did not fit their
 * schema, each at its own price) shows this in its number of requests, and is not priced again here.
 */
export const chatInvariants: readonly Invariant[] = [
  {
    name: 'chat-is-priced-by-the-book',
    promise:
      'What a chat, an embedding or a ranking settled, and owes, is the price of its usage by the book of its admission, within the hold.',
    sql: `SELECT d.id AS subject, CONCAT('settled ', d.settled, ', priced ', COALESCE(d.priced, 'NULL'), ', hold ', d.hold) AS detail FROM (
        SELECT c.id, c.settled + c.owed AS settled, c.hold, ${fee} AS fee, (
            (${tokens('input_tokens')} - ${tokens('audio_input_tokens')} - ${tokens('cached_input_tokens')} - ${tokens('cache_write_input_tokens')}) * IF(c.search_units IS NULL, ${rate('input_per_million')}, COALESCE(${rate('input_per_million')}, 0))
            + IF(${tokens('audio_input_tokens')} = 0, 0, ${tokens('audio_input_tokens')} * ${inputRate('audio_input_per_million')})
            + IF(${tokens('cached_input_tokens')} = 0, 0, ${tokens('cached_input_tokens')} * ${inputRate('cached_input_per_million')})
            + IF(${tokens('cache_write_input_tokens')} = 0, 0, (${tokens('cache_write_input_tokens')} - ${tokens('cache_write_1h_input_tokens')}) * ${inputRate('cache_write_input_per_million')}
              + ${tokens('cache_write_1h_input_tokens')} * COALESCE(${rate('cache_write_1h_input_per_million')}, ${inputRate('cache_write_input_per_million')}))
            + IF(c.search_units IS NULL, 0, ${tokens('search_units')} * ${chosen('per_thousand_search_units')} * 1000)
            + IF(COALESCE(c.output_tokens, 0) = 0, 0, ${tokens('output_tokens')} * ${rate('output_per_million')})
            + ${tokens('requests')} * COALESCE(${chosen('per_request')}, 0) * 1000000 + 999999) DIV 1000000 AS priced
        FROM charge c JOIN wallet w ON w.id = c.wallet_id
        LEFT JOIN price own ON own.item = ${item} AND own.account_id = w.account_id
          AND own.version = (${priceVersion('w.account_id')})
        LEFT JOIN price p ON p.item = ${item} AND p.account_id = ''
          AND p.version = (${priceVersion("''")})
        LEFT JOIN price gown ON gown.item = ${guardrail} AND gown.account_id = w.account_id
          AND gown.version = (${priceVersion('w.account_id', guardrail)})
        LEFT JOIN price g ON g.item = ${guardrail} AND g.account_id = ''
          AND g.version = (${priceVersion("''", guardrail)})
        LEFT JOIN price_tier t ON t.item = ${item} AND t.account_id = ${chosen('account_id')}
          AND t.version = ${chosen('version')} AND t.above_input_tokens = (SELECT MAX(q.above_input_tokens) FROM price_tier q
            WHERE q.item = ${item} AND q.account_id = ${chosen('account_id')}
              AND q.version = ${chosen('version')} AND q.above_input_tokens < COALESCE(c.input_tokens, 0))
        WHERE c.operation IN ('chat', 'embedding', 'rerank') AND c.requests = 1
          AND (c.state = 'settled' OR (c.state = 'expired' AND c.idempotency_key IS NULL))
      ) d WHERE d.priced IS NULL OR d.settled NOT IN (LEAST(d.hold, d.priced), LEAST(d.hold, d.priced + d.fee))`,
  },
];
