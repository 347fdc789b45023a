/** Streamed replies, kept for some minutes so that they can be resumed. */
export const statements = [
  // scope_digest: digest of who may read it. state: open, ended, or dropped (its content is deleted). bytes: of its parts, plus
  // an allowance for its rows. beat_at_us: the last heartbeat of the node that produces it.
  `CREATE TABLE chat_stream (
    charge_id VARBINARY(64) NOT NULL,
    account_id VARBINARY(40) NOT NULL,
    scope_digest BINARY(32) NOT NULL,
    state VARBINARY(8) NOT NULL,
    last_sequence INT UNSIGNED NOT NULL,
    bytes BIGINT NOT NULL,
    beat_at_us BIGINT NOT NULL,
    expires_at_us BIGINT NOT NULL,
    PRIMARY KEY (charge_id),
    KEY chat_stream_account (account_id, bytes),
    KEY chat_stream_expires (expires_at_us)
  ) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4`,
  // sealed: some of its events, encrypted and bound to their position.
  `CREATE TABLE chat_stream_part (
    charge_id VARBINARY(64) NOT NULL,
    first_sequence INT UNSIGNED NOT NULL,
    last_sequence INT UNSIGNED NOT NULL,
    sealed MEDIUMBLOB NOT NULL,
    PRIMARY KEY (charge_id, first_sequence)
  ) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4`,
];
