/**
 * A lost COMMIT is retried by identity, so groups no longer have ids. An idempotency key says which charge has it now, how many
 * have had it (`fence`), and which one was paid. What could not be collected for something delivered is owed like a refund of
 * spent credit. Stop older nodes first: they know nothing of fences.
 */
export const statements: readonly string[] = [
  'DROP TABLE IF EXISTS commit_group',
  // What was written off then is not collected now.
  "UPDATE charge SET state = 'expired' WHERE state = 'uncollected'",
  'ALTER TABLE charge DROP CONSTRAINT charge_uncollected',
  `ALTER TABLE charge
    DROP COLUMN uncollected,
    ADD COLUMN owed BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN cache_write_input_tokens BIGINT NULL,
    ADD CONSTRAINT charge_owed CHECK (owed >= 0 AND owed <= hold)`,
  'ALTER TABLE charge DROP CONSTRAINT charge_state',
  `ALTER TABLE charge ADD CONSTRAINT charge_state_known
    CHECK (state IN ('held', 'settled', 'released', 'expired', 'superseded'))`,
  `ALTER TABLE idempotency
    ADD COLUMN fence BIGINT NOT NULL DEFAULT 1,
    ADD COLUMN captured_charge_id VARBINARY(40) NULL,
    ADD CONSTRAINT idempotency_fence CHECK (fence > 0),
    ADD CONSTRAINT idempotency_captured CHECK (captured_charge_id IS NULL OR captured_charge_id = charge_id)`,
  `UPDATE idempotency i JOIN charge c ON c.wallet_id = i.wallet_id AND c.id = i.charge_id
    SET i.captured_charge_id = i.charge_id WHERE c.state = 'settled'`,
  'ALTER TABLE receivable RENAME COLUMN top_up_id TO source_id',
  "ALTER TABLE receivable ADD COLUMN counter_account VARBINARY(80) NOT NULL DEFAULT ''",
  `UPDATE receivable r JOIN top_up t ON t.id = r.source_id SET r.counter_account = CONCAT('payments:', t.provider)`,
  'ALTER TABLE receivable DROP CONSTRAINT receivable_kind',
  `ALTER TABLE receivable ADD CONSTRAINT receivable_kind_known CHECK (kind IN ('refund', 'dispute', 'usage'))`,
  // Repayments went to an account without a provider, so neither that one nor the provider's added up.
  `UPDATE posting p JOIN top_up t ON t.id = p.source_id SET p.credit_account = CONCAT('payments:', t.provider)
    WHERE p.source_type IN ('refund', 'dispute') AND p.credit_account = 'payments'`,
  // A count kept in addition to the rows, so that the audit notices a missing one.
  'ALTER TABLE wallet ADD COLUMN charges BIGINT NOT NULL DEFAULT 0',
  `UPDATE wallet w JOIN (SELECT wallet_id, COUNT(*) AS charges FROM charge GROUP BY wallet_id) c ON c.wallet_id = w.id
    SET w.charges = c.charges`,
  `ALTER TABLE charge
    ADD COLUMN caps INT NOT NULL DEFAULT 0,
    ADD COLUMN idempotency_fingerprint BINARY(32) NULL,
    ADD COLUMN idempotency_fence BIGINT NULL`,
  `UPDATE charge c JOIN (SELECT wallet_id, charge_id, COUNT(*) AS caps FROM charge_cap GROUP BY wallet_id, charge_id) k
    ON k.wallet_id = c.wallet_id AND k.charge_id = c.id SET c.caps = k.caps`,
  // Until now, an expiry freed the key. A charge that has lost its key is marked with zeros.
  `UPDATE charge c LEFT JOIN idempotency i
    ON i.scope = c.idempotency_scope AND i.idempotency_key = c.idempotency_key AND i.charge_id = c.id
    SET c.idempotency_fingerprint = COALESCE(i.fingerprint, REPEAT(CHAR(0), 32)), c.idempotency_fence = 1
    WHERE c.idempotency_key IS NOT NULL`,
  // Label what was captured at an expiry, and what was captured after it, as such.
  `UPDATE posting late JOIN posting first ON first.source_type = 'charge' AND first.source_id = late.source_id AND first.step = 'capture'
    SET late.step = 'rest' WHERE late.source_type = 'charge' AND late.step = 'late'`,
  `UPDATE posting first JOIN posting rest ON rest.source_type = 'charge' AND rest.source_id = first.source_id AND rest.step = 'rest'
    SET first.step = 'expiry' WHERE first.source_type = 'charge' AND first.step = 'capture'`,
  `UPDATE posting p JOIN charge c ON c.wallet_id = p.wallet_id AND c.id = p.source_id SET p.step = 'expiry'
    WHERE p.source_type = 'charge' AND p.step = 'capture' AND c.state = 'expired'`,
];
