export const statements = [
  // Finds due deliveries by account, and counts an account's tests by time, without reading the rows themselves.
  `ALTER TABLE webhook_delivery
    ADD KEY webhook_delivery_due_by_account (next_attempt_at_us, account_id, endpoint_id, type),
    ADD KEY webhook_delivery_recent (account_id, type, created_at_us)`,
  // The old wording revealed which names resolve to private addresses.
  `UPDATE webhook_delivery SET last_problem = 'could not be reached'
    WHERE last_problem = 'the address is not on the public internet'`,
];
