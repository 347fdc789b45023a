/** Accounts: the customers who own everything. */
export const statements = [
  `CREATE TABLE account (
    id VARBINARY(40) NOT NULL PRIMARY KEY,
    display_name VARCHAR(200) NOT NULL,
    created_at_ms BIGINT NOT NULL
  ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
];
