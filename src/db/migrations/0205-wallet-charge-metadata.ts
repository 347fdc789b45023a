/**
 * The caller's own labels of a charge, one row each: they may name people, so they are separate from what is kept forever and can
 * be deleted. The index finds the charges with one label, newest last, without reading the others.
 */
export const statements: readonly string[] = [
  `CREATE TABLE charge_metadata (
    wallet_id VARBINARY(40) NOT NULL,
    charge_id VARBINARY(40) NOT NULL,
    name VARBINARY(256) NOT NULL,
    value VARBINARY(2048) NOT NULL,
    PRIMARY KEY (wallet_id, charge_id, name),
    KEY charge_metadata_pair (wallet_id, name, value, charge_id)
  ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
];
