/**
 * Credential changes, for every node to poll. Numbers come from a counter row that stays locked until the commit: with plain
 * auto-increment, a later number can commit first and a poller would skip the earlier one forever.
 */
export const statements = [
  `CREATE TABLE credential_change_counter (
    id TINYINT NOT NULL PRIMARY KEY,
    number BIGINT NOT NULL
  ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  `INSERT INTO credential_change_counter (id, number) VALUES (1, 0)`,
  `CREATE TABLE credential_change (
    number BIGINT NOT NULL PRIMARY KEY,
    credential_id VARBINARY(40) NOT NULL,
    kind VARBINARY(16) NOT NULL,
    changed_at_ms BIGINT NOT NULL
  ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
];
