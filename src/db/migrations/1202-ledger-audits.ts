/**
 * Ledger audit runs. `beat_at_us` is the last heartbeat of the node that runs the audit: a silent node is no longer running it.
 * `found` is JSON of the first violations.
 */
export const statements: readonly string[] = [
  `CREATE TABLE ledger_audit (
    id VARBINARY(40) NOT NULL PRIMARY KEY,
    state VARBINARY(12) NOT NULL,
    actor VARBINARY(200) NOT NULL,
    rules INT NOT NULL,
    rules_done INT NOT NULL,
    violations INT NOT NULL,
    found MEDIUMTEXT NOT NULL,
    started_at_us BIGINT NOT NULL,
    beat_at_us BIGINT NOT NULL,
    ended_at_us BIGINT NULL,
    KEY ledger_audit_state (state),
    CONSTRAINT ledger_audit_state_known CHECK (state IN ('running', 'done', 'failed')),
    CONSTRAINT ledger_audit_ended CHECK ((state = 'running') = (ended_at_us IS NULL))
  ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
];
