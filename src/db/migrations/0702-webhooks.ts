/** Notifications to customers, and where to send them. Times are microseconds since the Unix epoch by the database's own clock. */
export const statements: readonly string[] = [
  // The secret is sealed with a key that is not in the database.
  `CREATE TABLE webhook_endpoint (
    id VARBINARY(40) NOT NULL PRIMARY KEY,
    account_id VARBINARY(40) NOT NULL,
    url VARCHAR(2000) NOT NULL,
    secret BLOB NOT NULL,
    state VARBINARY(12) NOT NULL,
    created_at_us BIGINT NOT NULL,
    KEY webhook_endpoint_account (account_id, id),
    CONSTRAINT webhook_endpoint_state CHECK (state IN ('active', 'disabled'))
  ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  // `next_attempt_at_us` is set exactly while the delivery is pending, so that its index lists what is due.
  `CREATE TABLE webhook_delivery (
    id VARBINARY(40) NOT NULL PRIMARY KEY,
    account_id VARBINARY(40) NOT NULL,
    endpoint_id VARBINARY(40) NOT NULL,
    message_id VARBINARY(40) NOT NULL,
    type VARBINARY(100) NOT NULL,
    payload TEXT NOT NULL,
    state VARBINARY(12) NOT NULL,
    attempts INT NOT NULL DEFAULT 0,
    last_status INT NULL,
    last_problem VARCHAR(200) NULL,
    created_at_us BIGINT NOT NULL,
    last_attempt_at_us BIGINT NULL,
    next_attempt_at_us BIGINT NULL,
    KEY webhook_delivery_account (account_id, id),
    KEY webhook_delivery_endpoint (endpoint_id),
    KEY webhook_delivery_due (next_attempt_at_us),
    KEY webhook_delivery_age (created_at_us),
    CONSTRAINT webhook_delivery_state CHECK (state IN ('pending', 'delivered', 'failed')),
    CONSTRAINT webhook_delivery_open CHECK ((state = 'pending') = (next_attempt_at_us IS NOT NULL))
  ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  // `seen_seq` is the last of the wallet's postings that was checked, `below` whether the balance was then below the threshold.
  `CREATE TABLE low_balance_alert (
    wallet_id VARBINARY(40) NOT NULL PRIMARY KEY,
    account_id VARBINARY(40) NOT NULL,
    threshold BIGINT NOT NULL,
    below TINYINT NOT NULL,
    seen_seq BIGINT NOT NULL,
    CONSTRAINT low_balance_threshold CHECK (threshold > 0)
  ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
];
