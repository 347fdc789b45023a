/** Replies that may answer the same request again, for accounts that enabled this. */
export const statements = [
  // request_digest: an HMAC of who may read the reply and what was asked. sealed: the encrypted reply, bound to its row.
  `CREATE TABLE chat_cached_reply (
    account_id VARBINARY(40) NOT NULL,
    request_digest BINARY(32) NOT NULL,
    sealed MEDIUMBLOB NOT NULL,
    stored_at_us BIGINT NOT NULL,
    expires_at_us BIGINT NOT NULL,
    PRIMARY KEY (account_id, request_digest),
    KEY chat_cached_reply_stored (account_id, stored_at_us),
    KEY chat_cached_reply_expires (expires_at_us)
  ) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4`,
];
