/** Who is signed in to the console, and single-use sign-in codes. Times are milliseconds since the Unix epoch. */
export const statements = [
  // digest: SHA-256 of the cookie's 256 random bits, which are stored nowhere. holder: the id of a management key, or the name of
  // an operator. credential: changes when the holder's secret is replaced; a session with a different one has ended.
  `CREATE TABLE console_session (
    digest BINARY(32) NOT NULL,
    id VARBINARY(40) NOT NULL,
    role VARBINARY(12) NOT NULL,
    holder VARBINARY(255) NOT NULL,
    account_id VARBINARY(40) NULL,
    credential VARBINARY(64) NOT NULL,
    agent VARCHAR(200) NOT NULL,
    created_at_ms BIGINT NOT NULL,
    seen_at_ms BIGINT NOT NULL,
    confirmed_at_ms BIGINT NOT NULL,
    expires_at_ms BIGINT NOT NULL,
    PRIMARY KEY (digest),
    UNIQUE KEY console_session_id (id),
    KEY console_session_holder (role, holder),
    KEY console_session_account (account_id),
    KEY console_session_expires (expires_at_ms),
    CONSTRAINT console_session_role CHECK (role IN ('owner', 'operator')),
    CONSTRAINT console_session_account CHECK ((role = 'owner') = (account_id IS NOT NULL))
  ) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4`,
  // digest: SHA-256 of the code. Exactly one of the account and the operator is set.
  `CREATE TABLE console_code (
    digest BINARY(32) NOT NULL,
    account_id VARBINARY(40) NULL,
    operator VARBINARY(255) NULL,
    expires_at_ms BIGINT NOT NULL,
    PRIMARY KEY (digest),
    KEY console_code_expires (expires_at_ms),
    CONSTRAINT console_code_owner CHECK ((account_id IS NULL) <> (operator IS NULL))
  ) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4`,
];
