/**
 * Pulse: events, sessions and rollups. The account comes first in every key. Customers' names are stored once and numbered, so
 * that rows stay narrow; end users and sessions are kept as keyed digests only.
 */
export const statements = [
  // Writers for the account lock its row, so one account's groups run one after another across all nodes. sweep_at: when some
  // node should next scan the account's events; the node that does moves it ahead as a lease.
  `CREATE TABLE pulse_account (
    account_no INT NOT NULL AUTO_INCREMENT,
    account_id VARBINARY(40) NOT NULL,
    sweep_at DATETIME(6) NOT NULL,
    PRIMARY KEY (account_no),
    UNIQUE KEY pulse_account_id (account_id),
    KEY pulse_account_sweep (sweep_at)
  ) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4`,

  // kind: 1 journey (journey_no 0), 2 step, 3 error code.
  `CREATE TABLE pulse_name (
    account_no INT NOT NULL,
    kind SMALLINT NOT NULL,
    journey_no INT NOT NULL,
    name_no INT NOT NULL,
    name VARBINARY(256) NOT NULL,
    PRIMARY KEY (account_no, kind, journey_no, name_no),
    UNIQUE KEY pulse_name_name (account_no, kind, journey_no, name)
  ) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4`,

  // One row per event until its retention ends; the key makes each id count once.
  `CREATE TABLE pulse_event (
    account_no INT NOT NULL,
    event_id VARBINARY(64) NOT NULL,
    journey_no INT NOT NULL,
    step_no INT NOT NULL,
    kind SMALLINT NOT NULL,
    occurred_ms BIGINT NOT NULL,
    session_key BINARY(16) NOT NULL,
    user_key BINARY(16) NULL,
    detail BLOB NULL,
    PRIMARY KEY (account_no, event_id)
  ) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4`,

  // The outcome of a session's events: the state from which its share of the rollups is derived.
  `CREATE TABLE pulse_session (
    account_no INT NOT NULL,
    journey_no INT NOT NULL,
    session_key BINARY(16) NOT NULL,
    last_ms BIGINT NOT NULL,
    state MEDIUMBLOB NOT NULL,
    PRIMARY KEY (account_no, journey_no, session_key)
  ) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4`,

  // Sums over sessions by the hour (grain 1) or day (grain 2) in which they started. step_no 0 is the whole journey.
  `CREATE TABLE pulse_cell (
    account_no INT NOT NULL,
    journey_no INT NOT NULL,
    grain SMALLINT NOT NULL,
    start_hour INT NOT NULL,
    step_no INT NOT NULL,
    sessions BIGINT NOT NULL,
    completed BIGINT NOT NULL,
    abandoned BIGINT NOT NULL,
    ended BIGINT NOT NULL,
    errored BIGINT NOT NULL,
    offset_ms BIGINT NOT NULL,
    dwell BLOB NOT NULL,
    PRIMARY KEY (account_no, journey_no, grain, start_hour, step_no)
  ) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4`,

  `CREATE TABLE pulse_error_cell (
    account_no INT NOT NULL,
    journey_no INT NOT NULL,
    grain SMALLINT NOT NULL,
    start_hour INT NOT NULL,
    step_no INT NOT NULL,
    code_no INT NOT NULL,
    occurrences BIGINT NOT NULL,
    first_ms BIGINT NULL,
    last_ms BIGINT NULL,
    sessions BIGINT NOT NULL,
    recovered BIGINT NOT NULL,
    PRIMARY KEY (account_no, journey_no, grain, start_hour, step_no, code_no)
  ) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4`,

  // Written in the same transaction as the events it charges for; deleted after the ledger's settlement.
  `CREATE TABLE pulse_unsettled (
    charge_id VARBINARY(40) NOT NULL,
    hold BLOB NOT NULL,
    cost BIGINT NOT NULL,
    events INT NOT NULL,
    reply MEDIUMBLOB NOT NULL,
    created_at DATETIME(6) NOT NULL,
    PRIMARY KEY (charge_id),
    KEY pulse_unsettled_created (created_at)
  ) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4`,

  // End users to erase; a row stays until all of the account's events have been scanned after it was added.
  `CREATE TABLE pulse_erasure (
    account_no INT NOT NULL,
    user_key BINARY(16) NOT NULL,
    requested_at DATETIME(6) NOT NULL,
    PRIMARY KEY (account_no, user_key)
  ) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4`,
];
