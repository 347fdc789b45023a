export const statements = [
  // network: that of the requesting address, as limits count addresses; pending grants are counted by network, by account and in total.
  `ALTER TABLE device_grant
    ADD COLUMN network VARBINARY(64) NOT NULL DEFAULT '',
    ADD KEY device_grant_pending (state, expires_at_ms),
    ADD KEY device_grant_pending_account (account_id, state, expires_at_ms),
    ADD KEY device_grant_pending_network (network, state, expires_at_ms)`,
  // A key lists only its own devices.
  `ALTER TABLE device ADD KEY device_key (account_id, key_id, id)`,
];
