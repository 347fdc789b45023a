/** Console passkeys of owners and operators, and the challenges that they answer. Times are milliseconds since the Unix epoch. */
export const statements = [
  // credential_digest: SHA-256 of the credential id, which is too long for an index. credential_id: in base64url. public_key:
  // COSE (RFC 9052). user_handle: the `user.id` given to its authenticator. role, holder, credential: as in console_session; a
  // passkey with a different credential is no longer valid. multi_device: it may be on several devices (backup eligible).
  // expires_at_ms: when the secret that it was made with expires, if it does.
  `CREATE TABLE console_passkey (
    id VARBINARY(40) NOT NULL,
    credential_digest BINARY(32) NOT NULL,
    credential_id VARBINARY(1364) NOT NULL,
    public_key BLOB NOT NULL,
    user_handle BINARY(32) NOT NULL,
    role VARBINARY(12) NOT NULL,
    holder VARBINARY(255) NOT NULL,
    account_id VARBINARY(40) NULL,
    credential VARBINARY(64) NOT NULL,
    name VARCHAR(100) NOT NULL,
    multi_device BOOLEAN NOT NULL,
    sign_count BIGINT NOT NULL,
    created_at_ms BIGINT NOT NULL,
    used_at_ms BIGINT NULL,
    expires_at_ms BIGINT NULL,
    PRIMARY KEY (id),
    UNIQUE KEY console_passkey_credential (credential_digest),
    KEY console_passkey_holder (role, holder),
    KEY console_passkey_account (account_id),
    CONSTRAINT console_passkey_role CHECK (role IN ('owner', 'operator')),
    CONSTRAINT console_passkey_account CHECK ((role = 'owner') = (account_id IS NOT NULL))
  ) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4`,
  // digest: SHA-256 of the challenge. session_id: the session it was made for; none: for signing in. network: that of the
  // requesting address, as limits count addresses; open challenges are counted by it.
  `CREATE TABLE console_challenge (
    digest BINARY(32) NOT NULL,
    purpose VARBINARY(12) NOT NULL,
    session_id VARBINARY(40) NULL,
    network VARBINARY(64) NOT NULL,
    expires_at_ms BIGINT NOT NULL,
    PRIMARY KEY (digest),
    KEY console_challenge_network (network, expires_at_ms),
    KEY console_challenge_expires (expires_at_ms),
    CONSTRAINT console_challenge_purpose CHECK (purpose IN ('sign-in', 'add', 'confirm')),
    CONSTRAINT console_challenge_session CHECK ((purpose = 'sign-in') = (session_id IS NULL))
  ) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4`,
  // passkey_id: the passkey that opened the session, which ends with it. credential_ends_at_ms: when the secret that opened the
  // session expires, if it does.
  `ALTER TABLE console_session
    ADD COLUMN passkey_id VARBINARY(40) NULL,
    ADD COLUMN credential_ends_at_ms BIGINT NULL,
    ADD KEY console_session_passkey (passkey_id)`,
];
