/**
 * The ledger: wallets, charges and postings. Amounts are nano-USD, times are microseconds since the Unix epoch by the database's
 * own clock. Amounts are signed BIGINTs with constraints: unsigned arithmetic fails where it should return -1.
 */
export const statements: readonly string[] = [
  // `seq` numbers the postings; `version` increases by one with every update and guards it. Held credit is part of `posted`.
  `CREATE TABLE wallet (
    id VARBINARY(40) NOT NULL PRIMARY KEY,
    account_id VARBINARY(40) NOT NULL,
    kind VARBINARY(16) NOT NULL,
    posted BIGINT NOT NULL DEFAULT 0,
    held BIGINT NOT NULL DEFAULT 0,
    owed BIGINT NOT NULL DEFAULT 0,
    open_disputes INT NOT NULL DEFAULT 0,
    seq BIGINT NOT NULL DEFAULT 0,
    version BIGINT NOT NULL DEFAULT 0,
    created_at_us BIGINT NOT NULL,
    UNIQUE KEY wallet_account (account_id, kind),
    CONSTRAINT wallet_kind CHECK (kind IN ('api', 'application')),
    CONSTRAINT wallet_held_not_negative CHECK (held >= 0),
    CONSTRAINT wallet_held_at_most_posted CHECK (held <= posted),
    CONSTRAINT wallet_owed_not_negative CHECK (owed >= 0),
    CONSTRAINT wallet_open_disputes_not_negative CHECK (open_disputes >= 0)
  ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  // `expires_at_us` is set exactly while the charge is held, so that its index lists open holds by expiry.
  `CREATE TABLE charge (
    wallet_id VARBINARY(40) NOT NULL,
    id VARBINARY(40) NOT NULL,
    state VARBINARY(12) NOT NULL,
    hold BIGINT NOT NULL,
    settled BIGINT NULL,
    uncollected BIGINT NOT NULL DEFAULT 0,
    reversed BIGINT NOT NULL DEFAULT 0,
    progress_cost BIGINT NOT NULL DEFAULT 0,
    key_id VARBINARY(40) NOT NULL,
    key_version BIGINT NOT NULL,
    token_id VARBINARY(80) NULL,
    subject VARBINARY(255) NULL,
    device_id VARBINARY(40) NULL,
    operation VARBINARY(200) NOT NULL,
    provider VARBINARY(100) NULL,
    model VARBINARY(200) NULL,
    price_version BIGINT NOT NULL,
    input_tokens BIGINT NULL,
    cached_input_tokens BIGINT NULL,
    output_tokens BIGINT NULL,
    reasoning_tokens BIGINT NULL,
    requests BIGINT NULL,
    events BIGINT NULL,
    estimated TINYINT NOT NULL DEFAULT 0,
    node_id VARBINARY(40) NOT NULL,
    idempotency_scope VARBINARY(255) NULL,
    idempotency_key VARBINARY(255) NULL,
    created_at_us BIGINT NOT NULL,
    expires_at_us BIGINT NULL,
    ended_at_us BIGINT NULL,
    PRIMARY KEY (wallet_id, id),
    KEY charge_expiry (expires_at_us),
    CONSTRAINT charge_state CHECK (state IN ('held', 'settled', 'released', 'expired', 'uncollected')),
    CONSTRAINT charge_hold_positive CHECK (hold > 0),
    CONSTRAINT charge_settled_in_hold CHECK (settled IS NULL OR (settled >= 0 AND settled <= hold)),
    CONSTRAINT charge_progress_in_hold CHECK (progress_cost >= 0 AND progress_cost <= hold),
    CONSTRAINT charge_uncollected CHECK (uncollected >= 0),
    CONSTRAINT charge_reversed CHECK (reversed >= 0 AND reversed <= COALESCE(settled, 0)),
    CONSTRAINT charge_open CHECK ((state = 'held') = (expires_at_us IS NOT NULL)),
    CONSTRAINT charge_ended CHECK ((state = 'held') = (settled IS NULL)),
    CONSTRAINT charge_ended_at CHECK ((state = 'held') = (ended_at_us IS NULL))
  ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  // One immutable row carries both sides, so it balances by construction. `wallet` is the wallet's own side.
  `CREATE TABLE posting (
    wallet_id VARBINARY(40) NOT NULL,
    seq BIGINT NOT NULL,
    kind VARBINARY(16) NOT NULL,
    debit_account VARBINARY(80) NOT NULL,
    credit_account VARBINARY(80) NOT NULL,
    amount BIGINT NOT NULL,
    balance_after BIGINT NOT NULL,
    source_type VARBINARY(16) NOT NULL,
    source_id VARBINARY(40) NOT NULL,
    step VARBINARY(100) NOT NULL,
    created_at_us BIGINT NOT NULL,
    PRIMARY KEY (wallet_id, seq),
    UNIQUE KEY posting_source (source_type, source_id, step),
    CONSTRAINT posting_seq CHECK (seq > 0),
    CONSTRAINT posting_amount CHECK (amount > 0),
    CONSTRAINT posting_balance CHECK (balance_after >= 0),
    CONSTRAINT posting_sides CHECK ((debit_account = 'wallet') <> (credit_account = 'wallet'))
  ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  // The state of the charge is the state of the key; the row is deleted when the charge is released or expires.
  `CREATE TABLE idempotency (
    scope VARBINARY(255) NOT NULL,
    idempotency_key VARBINARY(255) NOT NULL,
    fingerprint BINARY(32) NOT NULL,
    wallet_id VARBINARY(40) NOT NULL,
    charge_id VARBINARY(40) NOT NULL,
    PRIMARY KEY (scope, idempotency_key)
  ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  // Sealed with a key that is not in the database; deleted once expired.
  `CREATE TABLE stored_reply (
    charge_id VARBINARY(40) NOT NULL PRIMARY KEY,
    sealed MEDIUMBLOB NOT NULL,
    expires_at_us BIGINT NOT NULL,
    KEY stored_reply_expiry (expires_at_us)
  ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  `CREATE TABLE cap (
    owner VARBINARY(255) NOT NULL PRIMARY KEY,
    wallet_id VARBINARY(40) NOT NULL,
    spending_limit BIGINT NOT NULL,
    held BIGINT NOT NULL,
    spent BIGINT NOT NULL,
    CONSTRAINT cap_held CHECK (held >= 0),
    CONSTRAINT cap_spent CHECK (spent >= 0)
  ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  `CREATE TABLE charge_cap (
    wallet_id VARBINARY(40) NOT NULL,
    charge_id VARBINARY(40) NOT NULL,
    owner VARBINARY(255) NOT NULL,
    PRIMARY KEY (wallet_id, charge_id, owner)
  ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  // Which groups were committed; after a connection is lost at COMMIT, inserting the id again finds out.
  `CREATE TABLE commit_group (
    id VARBINARY(40) NOT NULL PRIMARY KEY,
    outcome VARBINARY(12) NOT NULL,
    created_at_us BIGINT NOT NULL,
    KEY commit_group_age (created_at_us)
  ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  // Settlements that the database refused individually, for a person to look at.
  `CREATE TABLE settlement_dead_letter (
    charge_id VARBINARY(40) NOT NULL PRIMARY KEY,
    wallet_id VARBINARY(40) NOT NULL,
    operation TEXT NOT NULL,
    error TEXT NOT NULL,
    created_at_us BIGINT NOT NULL
  ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
];
