import type { Invariant } from '../wallet/index.ts';

/** What an item costs a request in the price book behind the charge: the account's own price, else everyone's. */
const perRequest = (item: string) => {
  const priceFor = (
    account: string,
  ) => `(SELECT q.per_request FROM price q WHERE q.item = ${item} AND q.account_id = ${account}
    AND q.version <= c.price_version AND TIMESTAMPDIFF(MICROSECOND, '1970-01-01', q.effective_at) <= c.created_at_us
    ORDER BY q.version DESC LIMIT 1)`;
  return `${priceFor('w.account_id')}, ${priceFor("''")}`;
};

const noTokens = 'c.input_tokens IS NULL AND c.output_tokens IS NULL';

/**
 * What must hold between the charges of workflows and the price book. A model's cost is included only in the charge's total,
 * so with a model the family's price is a lower bound.
 */
export const workflowInvariants: readonly Invariant[] = [
  {
    name: 'workflows-are-priced-by-the-book',
    promise:
      'What a workflow settled, and owes, is the price of its family by the book of its admission; with a model, at least.',
    sql: `SELECT d.id AS subject, CONCAT('settled ', d.settled, ', priced ', COALESCE(d.due, 'NULL'), IF(d.exact, '', ' at least'), ', hold ', d.hold) AS detail
      FROM (
        SELECT STRAIGHT_JOIN c.id, c.settled + c.owed AS settled, c.hold, ${noTokens} AS exact,
          LEAST(c.hold, COALESCE(${perRequest("CONCAT('workflow:', SUBSTRING(c.operation, 10))")}, ${perRequest("'workflow'")})) AS due
        FROM charge c JOIN wallet w FORCE INDEX (PRIMARY) ON w.id = c.wallet_id
        WHERE c.operation LIKE 'workflow.%' AND c.state = 'settled' AND ((${noTokens}) OR c.model IS NOT NULL)
      ) d WHERE d.due IS NULL OR d.settled < d.due OR (d.exact AND d.settled > d.due)`,
  },
  {
    name: 'what-is-charged-has-a-price',
    promise:
      'Every charge is for a chat, an embedding, a ranking, for events or for a workflow, by a book that was there, and states only what that uses.',
    sql: `SELECT c.id AS subject, CONCAT(c.operation, ', book ', c.price_version, ', events ', COALESCE(c.events, 'NULL')) AS detail
      FROM charge c LEFT JOIN price_book_version b FORCE INDEX (PRIMARY) ON b.version = c.price_version
      WHERE b.version IS NULL OR (c.operation NOT IN ('chat', 'embedding', 'rerank', 'pulse') AND c.operation NOT LIKE 'workflow.%')
        OR (c.operation <> 'pulse' AND c.events IS NOT NULL) OR (c.operation <> 'rerank' AND c.search_units IS NOT NULL)
        OR (c.operation = 'pulse' AND COALESCE(c.input_tokens, c.cached_input_tokens, c.cache_write_input_tokens,
          c.cache_write_1h_input_tokens, c.audio_input_tokens, c.output_tokens, c.reasoning_tokens) IS NOT NULL)`,
  },
];
