/** Replies to writes that came with an `Idempotency-Key` and charge nothing, kept as long as retries are answered with them. */
export const statements = [
  // digest: an HMAC of the caller, the method and the key. owner: an account or an operator. sealed: the encrypted reply, bound
  // to its row; empty only inside the transaction that writes it.
  `CREATE TABLE idempotent_write (
    digest BINARY(32) NOT NULL,
    owner VARBINARY(255) NOT NULL,
    fingerprint BINARY(32) NOT NULL,
    sealed MEDIUMBLOB NOT NULL,
    expires_at_us BIGINT NOT NULL,
    PRIMARY KEY (digest),
    KEY idempotent_write_owner (owner, expires_at_us),
    KEY idempotent_write_expires (expires_at_us)
  ) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4`,
];
