/** Lets the size of an owner's kept replies be summed without reading them. A generated column. */
export const statements = [
  `ALTER TABLE idempotent_write
    ADD COLUMN bytes INT UNSIGNED AS (LENGTH(sealed)) STORED,
    ADD KEY idempotent_write_owner_bytes (owner, expires_at_us, bytes)`,
  'ALTER TABLE idempotent_write DROP KEY idempotent_write_owner',
];
