/** Rows to lock while counting and adding to what an account has of something. */
export const statements = [
  `CREATE TABLE quota_lock (
    account_id VARBINARY(40) NOT NULL,
    quota VARBINARY(40) NOT NULL,
    PRIMARY KEY (account_id, quota)
  ) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4`,
];
