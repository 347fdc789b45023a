/**
 * Who did what: one row for each write by an operator and each change to an account's keys. Rows are added in the write's
 * transaction and never changed. Ids sort by creation time.
 */
export const statements: readonly string[] = [
  `CREATE TABLE audit_event (
    id VARBINARY(40) NOT NULL PRIMARY KEY,
    actor VARBINARY(200) NOT NULL,
    action VARBINARY(60) NOT NULL,
    target VARBINARY(64) NOT NULL,
    account_id VARBINARY(40) NULL,
    reason VARCHAR(500) NOT NULL,
    details VARCHAR(4000) NOT NULL,
    request_id VARBINARY(128) NOT NULL,
    address VARBINARY(64) NOT NULL,
    created_at_us BIGINT NOT NULL,
    KEY audit_event_account (account_id, id),
    KEY audit_event_actor (actor, id),
    KEY audit_event_action (action, id)
  ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  // Listing all accounts' corrections needs no index, as ids sort by time; listing one wallet's does.
  'ALTER TABLE adjustment ADD KEY adjustment_list (wallet_id, id)',
];
