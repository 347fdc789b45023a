/**
 * What the work of a charge found, in its flow's own words, written by the settlement's commit. The first index is the key;
 * the second finds what is old. It names nobody and holds no text of a caller.
 */
export const statements: readonly string[] = [
  `CREATE TABLE charge_evidence (
    wallet_id VARBINARY(40) NOT NULL,
    charge_id VARBINARY(40) NOT NULL,
    content VARBINARY(8192) NOT NULL,
    created_at_us BIGINT NOT NULL,
    PRIMARY KEY (wallet_id, charge_id),
    KEY charge_evidence_created (created_at_us)
  ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
];
