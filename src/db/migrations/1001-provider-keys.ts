/** Accounts' own provider keys. The secret is sealed with a key that is not in the database, and erased when the provider key is deleted. */
export const statements: readonly string[] = [
  `CREATE TABLE provider_key (
    id VARBINARY(40) NOT NULL PRIMARY KEY,
    account_id VARBINARY(40) NOT NULL,
    provider VARBINARY(128) NOT NULL,
    display_name VARCHAR(100) NOT NULL,
    last_four VARBINARY(4) NOT NULL,
    sealed BLOB NULL,
    created_at_ms BIGINT NOT NULL,
    deleted_at_ms BIGINT NULL,
    used_at_ms BIGINT NULL,
    KEY provider_key_account (account_id, id),
    CONSTRAINT provider_key_erased CHECK ((sealed IS NULL) = (deleted_at_ms IS NOT NULL))
  ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
];
