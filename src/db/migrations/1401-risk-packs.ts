/** Accounts' risk packs. A change replaces the content; only the newest version is kept. */
export const statements: readonly string[] = [
  // content: the pack as JSON, as its message prints it. phrase_characters: the total over all its phrases, for the account's quota.
  `CREATE TABLE risk_pack (
    account_id VARBINARY(40) NOT NULL,
    pack_id VARBINARY(63) NOT NULL,
    version INT NOT NULL,
    content MEDIUMTEXT NOT NULL,
    bytes INT AS (LENGTH(content)) STORED,
    phrase_characters INT NOT NULL,
    created_at_ms BIGINT NOT NULL,
    updated_at_ms BIGINT NOT NULL,
    PRIMARY KEY (account_id, pack_id)
  ) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4`,
];
