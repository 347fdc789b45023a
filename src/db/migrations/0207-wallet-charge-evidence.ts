/**
 * What a charge's work found, in its flow's own terms, written by the settlement's commit. The first index is the key; the second
 * finds old rows. It names nobody and contains no caller's text.
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
