export const statements = [
  // network: of the address that asked, as limits count addresses; what waits is counted by it, by account and in all.
  `ALTER TABLE device_grant
    ADD COLUMN network VARBINARY(64) NOT NULL DEFAULT '',
    ADD KEY device_grant_pending (state, expires_at_ms),
    ADD KEY device_grant_pending_account (account_id, state, expires_at_ms),
    ADD KEY device_grant_pending_network (network, state, expires_at_ms)`,
  // A key lists its own devices only.
  `ALTER TABLE device ADD KEY device_key (account_id, key_id, id)`,
];
