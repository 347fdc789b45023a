/** The tables that say who has how much: their keys, and what determines a row's kind. */
export const moneyTables: Record<string, { key: readonly string[]; kind: string }> = {
  wallet: { key: ['id'], kind: "CONCAT(kind, IF(owed > 0, ' owing', ''), IF(open_disputes > 0, ' disputed', ''))" },
  charge: {
    key: ['wallet_id', 'id'],
    kind: `CONCAT(SUBSTRING_INDEX(operation, '.', 1), IF(operation LIKE 'workflow%' AND model IS NOT NULL, ' with a model', ''), ' ', state,
      IF(settled = 0 AND owed = 0, ' free', ''), IF(idempotency_key IS NULL, '', ' keyed'), IF(caps = 0, '', ' capped'), IF(owed > 0, ' owing', ''),
      IF(progress_cost > 0, ' in progress', ''), IF(reversed > 0, ' reversed', ''))`,
  },
  charge_cap: { key: ['wallet_id', 'charge_id', 'owner'], kind: "SUBSTRING_INDEX(owner, ':', 1)" },
  charge_metadata: { key: ['wallet_id', 'charge_id', 'name'], kind: "'label'" },
  posting: {
    key: ['wallet_id', 'seq'],
    kind: "CONCAT(source_type, ' ', SUBSTRING_INDEX(step, ':', 1), IF(credit_account = 'wallet', ' in', ' out'))",
  },
  usage_hour: {
    key: ['wallet_id', 'hour', 'key_id', 'operation', 'provider', 'model', 'by_user'],
    kind: "CONCAT(SUBSTRING_INDEX(operation, '.', 1), IF(by_user = 0, '', ' by a user'))",
  },
  usage_user_hour: {
    key: ['wallet_id', 'hour', 'key_id', 'operation', 'provider', 'model', 'device_id', 'subject'],
    kind: "CONCAT_WS(' ', IF(device_id = '', NULL, 'device'), IF(subject = '', NULL, 'subject'))",
  },
  idempotency: {
    key: ['scope', 'idempotency_key'],
    kind: "CONCAT((SELECT state FROM charge c WHERE c.wallet_id = t.wallet_id AND c.id = t.charge_id), IF(fence > 1, ' again', ''))",
  },
  cap: { key: ['owner'], kind: "SUBSTRING_INDEX(owner, ':', 1)" },
  top_up: { key: ['id'], kind: "CONCAT(state, IF(reversed > 0, ' reversed', ''))" },
  receivable: {
    key: ['source_id', 'reference'],
    kind: `CONCAT(kind, ' ', state, IF(taken > 0, ' taken', ''), IF(owed > 0, ' owed', ''), IF(repayments > 0, ' repaid', ''))`,
  },
  adjustment: { key: ['id'], kind: "CONCAT(IF(amount > 0, 'gives', 'takes'), IF(charge_id IS NULL, '', ' back'))" },
  credential_state: { key: ['id'], kind: 'state' },
  stored_reply: { key: ['charge_id'], kind: "'reply'" },
  price: {
    key: ['item', 'account_id', 'version'],
    kind: "CONCAT(SUBSTRING_INDEX(item, ':', 1), IF(version = 1 AND item <> 'model:up/two', ' used', ' unused'))",
  },
  price_tier: {
    key: ['item', 'account_id', 'version', 'above_input_tokens'],
    kind: "IF(version = 1, 'tier used', 'tier unused')",
  },
  price_book_version: { key: ['version'], kind: "IF(version = 1, 'used', 'unused')" },
};

export const tablesWithoutMoney: Record<string, string> = {
  charge_evidence: 'What the work of a charge found; it goes when it is old, and nothing is charged by it.',
  workflow_outcome: 'What callers report of what was judged.',
  settlement_dead_letter: 'Any row is a violation as it is, until a person has seen to it and removed it.',
  workflow_draft: 'What a draft says; it is shown once its charge is settled, and nothing is charged by it.',
  chat_stream: 'A resumable reply, kept for minutes; its charge is settled as any other.',
  chat_stream_part: 'A part of such a reply.',
  low_balance_alert: 'Says which alert was sent; it follows the balance and pays for nothing.',
  pulse_unsettled: 'A row that stays is a violation of its own (pulse-charges-are-settled).',
};

const free = / free|held|released|superseded/;
const unpaid = /pending|failed/;

/** What the audit does not notice, and why it need not or cannot. Each is needed, or the test fails. */
export const provesNothing: readonly { what: RegExp; of?: RegExp; why: string }[] = [
  {
    what: /^wallet\.version$/,
    why: 'It only guards the next update; groups change it by one, however much they post.',
  },
  {
    what: /^wallet\.(account_id|kind.*)$/,
    of: /application|disputed/,
    why: 'Of a wallet without charges: no key has paid from it, so nothing else names its account.',
  },
  {
    what: /^charge\.hold$/,
    of: /settled|released|expired|superseded/,
    why: 'What was held of a charge that has ended was given back; what it settled and owes must be within it.',
  },
  { what: /^charge\.progress_cost$/, why: 'Only an expiry without a key charges it, and then it is proven.' },
  {
    what: /^charge\.(key_version|node_id|estimated)$/,
    why: 'Says how the request came and was counted; nothing is charged by it.',
  },
  {
    what: /^charge\.(request_id|latency_ms|model_latency_ms|attempts|finish_reason)$/,
    why: 'Says how the request went, to its owner; nothing is charged by it.',
  },
  { what: /^charge\.(token_id|subject|device_id)$/, why: 'Who used the key; where that one has a cap, it is noticed.' },
  {
    what: /^charge\.reasoning_tokens$/,
    why: 'Part of the output, by which it is priced.',
  },
  {
    what: /^charge\.requests$/,
    why: 'Several attempts have a price each, which their sum does not show; such a charge is not priced again.',
  },
  {
    what: /^charge\.(operation|provider|model|provider_key_id|price_version|(cached_|cache_write_(1h_)?|audio_)?(input|output)_(input_)?tokens)$/,
    of: free,
    why: 'What costs nothing, or nothing yet, has no price to compare.',
  },
  {
    what: /^charge\.(provider|model|provider_key_id|(cached_|cache_write_(1h_)?|audio_)?(input|output)_(input_)?tokens)$/,
    of: /pulse|workflow/,
    why: 'Events have no model; what a model has cost a workflow is in its sum only, which has the least price of its family.',
  },
  {
    what: /^charge\.(price_version|(cache_write_(1h_)?|audio_)?input_tokens|output_tokens)$/,
    of: /owing/,
    why: 'Of a charge that took its whole hold: what it used may have been more.',
  },
  {
    what: /^charge\.expires_at_us$/,
    of: /held/,
    why: 'Work that goes on renews its hold; one that is past is noticed.',
  },
  {
    what: /^charge\.id$/,
    of: free,
    why: 'Nothing was posted for it, and it has neither cap nor key that leads to it.',
  },
  {
    what: /^charge\.state \((settled|released|expired|superseded)\)$/,
    of: / free/,
    why: 'Either way it cost nothing.',
  },
  {
    what: /^charge\.state \(settled\)$/,
    of: /expired in progress/,
    why: 'A settlement that comes after an expiry, and for no more, changes nothing but the word.',
  },
  {
    what: /^charge\.idempotency_(fingerprint|key|fence)$/,
    of: /released|expired free keyed$|superseded/,
    why: 'Another charge has the key, or nobody: this one leads nowhere.',
  },
  {
    what: /^charge\.idempotency_fence$/,
    of: /settled/,
    why: 'A paid key is never taken over again; its row may have been made anew, and counts from one then.',
  },
  {
    what: /^charge_metadata/,
    why: "The caller's own labels, which may be erased at any time. Nothing is charged by them.",
  },
  { what: /^cap\.spending_limit$/, why: 'Any request may bring another limit, also one below what was spent.' },
  {
    what: /^top_up\.(provider_reference|payment_url|actor|idempotency_key)$/,
    why: 'Says where the payment is found, outside of these books.',
  },
  {
    what: /^top_up( \(deleted\)|\.(id|wallet_id|amount|provider)|\.state \((pending|failed|expired)\))$/,
    of: unpaid,
    why: 'Nothing was paid; the provider of payments knows what was.',
  },
  {
    what: /^receivable\.amount$/,
    of: /restored/,
    why: 'All of it was given back or forgiven; how much was never taken is nowhere else.',
  },
  {
    what: /^receivable\.(reference|kind \(refund\))$/,
    of: /^dispute final owed$/,
    why: 'Nothing was taken for it yet, so no posting names it.',
  },
  { what: /^adjustment\.(reason|actor|idempotency_key)$/, why: 'Words of a person, or of the request.' },
  {
    what: /^credential_state\.(state|least_version|least_version_from_ms|expires_at_ms|revoked_at_ms)/,
    why: 'Belongs to the rooms of keys and devices and may change at any time; use after a revocation is noticed.',
  },
  {
    what: /^stored_reply/,
    why: 'Replies are deleted after their time and too large ones never kept; one is sealed for its charge, and opens for no other.',
  },
  { what: /^price\.(effective_at|imported_at)$/, why: 'When a price began, before it was first used.' },
  { what: /^price(\.| \(deleted\))/, of: /unused/, why: 'Nothing was charged by this price.' },
  {
    what: /^price\.(per_thousand_(events|search_units)|per_request|(cached_|cache_write_(1h_)?|audio_)?(input|output)_per_million)$/,
    of: /pulse|workflow|model/,
    why: 'A rate of what the item does not use.',
  },
  { what: /^price_tier(\.| \(deleted\))/, of: /unused/, why: 'Nothing was charged by this tier.' },
  { what: /^price_tier\.above_input_tokens$/, of: /used/, why: 'No request was as long as the difference.' },
  { what: /^price_book_version\.imported_at$/, why: 'When it was imported.' },
  { what: /^price_book_version/, of: /unused/, why: 'Nothing was charged by this version.' },
];
