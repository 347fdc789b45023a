export const statements: readonly string[] = [
  // The previous secret also signs until it expires; the index is for deleting it then.
  `ALTER TABLE webhook_endpoint
    ADD COLUMN previous_secret BLOB NULL,
    ADD COLUMN previous_expires_at_us BIGINT NULL,
    ADD KEY webhook_endpoint_previous (previous_expires_at_us),
    ADD CONSTRAINT webhook_endpoint_previous_time
      CHECK ((previous_secret IS NULL) = (previous_expires_at_us IS NULL))`,
  // When an owner last asked to redeliver it: these requests are counted by account and minute.
  `ALTER TABLE webhook_delivery
    ADD COLUMN retried_at_us BIGINT NULL,
    ADD KEY webhook_delivery_retried (account_id, retried_at_us)`,
];
