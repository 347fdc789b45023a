/** What events carried (properties, error messages) on the latest day, by days since 1970 in UTC, on which any did. */
export const statements: readonly string[] = [
  `ALTER TABLE pulse_account
    ADD COLUMN bytes_day INT NOT NULL DEFAULT 0,
    ADD COLUMN bytes BIGINT NOT NULL DEFAULT 0`,
];
