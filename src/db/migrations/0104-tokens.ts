/**
 * Short-lived access tokens, the keys that sign them, client applications and devices. Secrets (device codes, refresh
 * credentials) are stored as SHA-256 of 256 random bits; signing keys are encrypted under a key that is not in the database.
 */
export const statements = [
  `CREATE TABLE signing_key_lock (
    id TINYINT NOT NULL PRIMARY KEY
  ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  `INSERT INTO signing_key_lock (id) VALUES (1)`,
  `CREATE TABLE signing_key (
    id VARBINARY(64) NOT NULL PRIMARY KEY,
    sealed BLOB NOT NULL,
    created_at_ms BIGINT NOT NULL,
    signs_from_ms BIGINT NOT NULL,
    KEY signing_key_time (signs_from_ms)
  ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  `CREATE TABLE access_token (
    id VARBINARY(40) NOT NULL PRIMARY KEY,
    account_id VARBINARY(40) NOT NULL,
    key_id VARBINARY(40) NOT NULL,
    device_id VARBINARY(40) NULL,
    subject VARBINARY(128) NOT NULL,
    created_at_ms BIGINT NOT NULL,
    expires_at_ms BIGINT NOT NULL,
    revoked_at_ms BIGINT NULL,
    KEY access_token_expiry (expires_at_ms)
  ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  `CREATE TABLE client_application (
    id VARBINARY(40) NOT NULL PRIMARY KEY,
    account_id VARBINARY(40) NOT NULL,
    key_id VARBINARY(40) NOT NULL,
    display_name VARCHAR(200) NOT NULL,
    activation_uri VARCHAR(500) NULL,
    created_at_ms BIGINT NOT NULL,
    disabled_at_ms BIGINT NULL,
    KEY client_application_account (account_id, id)
  ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  `CREATE TABLE device (
    id VARBINARY(40) NOT NULL PRIMARY KEY,
    account_id VARBINARY(40) NOT NULL,
    client_id VARBINARY(40) NOT NULL,
    key_id VARBINARY(40) NOT NULL,
    subject VARBINARY(128) NOT NULL,
    display_name VARCHAR(200) NOT NULL,
    scopes VARBINARY(200) NOT NULL,
    models VARBINARY(4000) NULL,
    spending_cap BIGINT NULL,
    approved_by VARCHAR(100) NOT NULL,
    created_at_ms BIGINT NOT NULL,
    used_at_ms BIGINT NULL,
    expires_at_ms BIGINT NOT NULL,
    revoked_at_ms BIGINT NULL,
    revoke_reason VARBINARY(40) NULL,
    KEY device_account (account_id, id)
  ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  `CREATE TABLE device_grant (
    device_code_hash BINARY(32) NOT NULL PRIMARY KEY,
    user_code VARBINARY(8) NOT NULL,
    client_id VARBINARY(40) NOT NULL,
    account_id VARBINARY(40) NOT NULL,
    scopes VARBINARY(200) NOT NULL,
    state VARBINARY(16) NOT NULL,
    device_id VARBINARY(40) NULL,
    interval_ms INT NOT NULL,
    polled_at_ms BIGINT NULL,
    created_at_ms BIGINT NOT NULL,
    expires_at_ms BIGINT NOT NULL,
    UNIQUE KEY device_grant_user_code (user_code),
    KEY device_grant_expiry (expires_at_ms)
  ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  `CREATE TABLE refresh_credential (
    secret_hash BINARY(32) NOT NULL PRIMARY KEY,
    device_id VARBINARY(40) NOT NULL,
    created_at_ms BIGINT NOT NULL,
    expires_at_ms BIGINT NOT NULL,
    used_at_ms BIGINT NULL,
    KEY refresh_credential_device (device_id),
    KEY refresh_credential_expiry (expires_at_ms)
  ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
];
