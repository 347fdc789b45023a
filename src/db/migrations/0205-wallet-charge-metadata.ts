/**
 * The caller's own labels of a charge, a row for each: they may name persons, so they are apart from what is kept for
 * ever and can be deleted. The index finds the charges with one label, the newest last, without looking at the others.
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
