export const statements = [
  // What is due is looked for by account, and tests of an account are counted by time, without reading the rows themselves.
  `ALTER TABLE webhook_delivery
    ADD KEY webhook_delivery_due_by_account (next_attempt_at_us, account_id, endpoint_id, type),
    ADD KEY webhook_delivery_recent (account_id, type, created_at_us)`,
  // The words told which names resolve to private addresses.
  `UPDATE webhook_delivery SET last_problem = 'could not be reached'
    WHERE last_problem = 'the address is not on the public internet'`,
];
