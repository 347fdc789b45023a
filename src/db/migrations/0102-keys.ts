/**
 * API keys. A secret is stored only as an HMAC under a pepper that is not in the database. `api_key_use` is a separate table, so
 * that the lazy writes of last use never wait for or delay a rotation or a revocation.
 */
export const statements = [
  `CREATE TABLE api_key (
    id VARBINARY(40) NOT NULL PRIMARY KEY,
    account_id VARBINARY(40) NOT NULL,
    kind VARBINARY(16) NOT NULL,
    display_name VARCHAR(200) NOT NULL,
    purpose VARCHAR(1000) NOT NULL,
    scopes VARBINARY(200) NOT NULL,
    secret_hash BINARY(32) NOT NULL,
    pepper_version INT NOT NULL,
    last_four VARBINARY(4) NOT NULL,
    previous_hash BINARY(32) NULL,
    previous_pepper_version INT NULL,
    previous_expires_at_ms BIGINT NULL,
    version BIGINT NOT NULL,
    created_at_ms BIGINT NOT NULL,
    rotated_at_ms BIGINT NULL,
    expires_at_ms BIGINT NULL,
    revoked_at_ms BIGINT NULL,
    spending_cap BIGINT NULL,
    requests_per_minute INT NULL,
    tokens_per_minute INT NULL,
    concurrent INT NULL,
    streams INT NULL,
    allowed_origins VARBINARY(4000) NOT NULL,
    KEY api_key_account (account_id, id)
  ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  `CREATE TABLE api_key_use (
    key_id VARBINARY(40) NOT NULL PRIMARY KEY,
    used_at_ms BIGINT NOT NULL
  ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
];
