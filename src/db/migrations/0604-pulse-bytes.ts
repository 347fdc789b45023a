/** Bytes of event data (properties, error messages) on the latest day that had any, counted as days since 1970 in UTC. */
export const statements: readonly string[] = [
  `ALTER TABLE pulse_account
    ADD COLUMN bytes_day INT NOT NULL DEFAULT 0,
    ADD COLUMN bytes BIGINT NOT NULL DEFAULT 0`,
];
