import { type Kysely, sql } from 'kysely';

/** Credit that is bought, payments that are taken back, and corrections by the operator. Amounts are nano-USD. */
const tables = [
  `CREATE TABLE top_up (
    id VARBINARY(40) NOT NULL PRIMARY KEY,
    wallet_id VARBINARY(40) NOT NULL,
    amount BIGINT NOT NULL,
    state VARBINARY(12) NOT NULL,
    provider VARBINARY(40) NOT NULL,
    provider_reference VARBINARY(255) NULL,
    payment_url VARCHAR(2000) NULL,
    actor VARCHAR(200) NULL,
    idempotency_key VARBINARY(300) NULL,
    reversed BIGINT NOT NULL DEFAULT 0,
    created_at_us BIGINT NOT NULL,
    paid_at_us BIGINT NULL,
    UNIQUE KEY top_up_idempotency (wallet_id, idempotency_key),
    KEY top_up_list (wallet_id, id),
    KEY top_up_reference (provider, provider_reference),
    KEY top_up_state (state, id),
    CONSTRAINT top_up_amount CHECK (amount > 0),
    CONSTRAINT top_up_state_known CHECK (state IN ('pending', 'paid', 'failed', 'expired')),
    CONSTRAINT top_up_paid CHECK ((state = 'paid') = (paid_at_us IS NOT NULL)),
    CONSTRAINT top_up_reversed CHECK (reversed >= 0 AND reversed <= amount)
  )`,
  // `taken` came out of the wallet so far, `owed` is the receivable that is left: amount = taken + owed while it stands.
  `CREATE TABLE receivable (
    top_up_id VARBINARY(40) NOT NULL,
    reference VARBINARY(100) NOT NULL,
    wallet_id VARBINARY(40) NOT NULL,
    kind VARBINARY(12) NOT NULL,
    state VARBINARY(12) NOT NULL,
    amount BIGINT NOT NULL,
    taken BIGINT NOT NULL,
    owed BIGINT NOT NULL,
    repayments INT NOT NULL DEFAULT 0,
    created_at_us BIGINT NOT NULL,
    PRIMARY KEY (top_up_id, reference),
    KEY receivable_wallet (wallet_id, owed),
    CONSTRAINT receivable_kind CHECK (kind IN ('refund', 'dispute')),
    CONSTRAINT receivable_state CHECK (state IN ('open', 'final', 'restored')),
    CONSTRAINT receivable_amounts CHECK (amount > 0 AND taken >= 0 AND owed >= 0),
    CONSTRAINT receivable_sum CHECK (state = 'restored' OR amount = taken + owed)
  )`,
  `CREATE TABLE adjustment (
    id VARBINARY(40) NOT NULL PRIMARY KEY,
    wallet_id VARBINARY(40) NOT NULL,
    amount BIGINT NOT NULL,
    reason VARCHAR(500) NOT NULL,
    actor VARCHAR(200) NOT NULL,
    idempotency_key VARBINARY(255) NOT NULL,
    charge_id VARBINARY(40) NULL,
    created_at_us BIGINT NOT NULL,
    UNIQUE KEY adjustment_idempotency (wallet_id, idempotency_key),
    CONSTRAINT adjustment_amount CHECK (amount <> 0),
    CONSTRAINT adjustment_reversal CHECK (charge_id IS NULL OR amount > 0)
  )`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of tables) await sql.raw(`${table} ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`).execute(db);
}
