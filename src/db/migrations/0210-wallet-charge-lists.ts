/** Lists the charges of one end user, device or key, newest first, without reading the wallet's others. */
export const statements: readonly string[] = [
  `ALTER TABLE charge
    ADD KEY charge_subject (wallet_id, subject, id),
    ADD KEY charge_device (wallet_id, device_id, id),
    ADD KEY charge_key (wallet_id, key_id, id)`,
];
