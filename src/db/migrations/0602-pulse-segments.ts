/**
 * Pulse by segments: properties that accounts declare, sums over the sessions with one value of a property, sessions that may
 * still continue, and journeys with declared steps. Older nodes know none of this, so upgrade all nodes at once.
 */
export const statements: readonly string[] = [
  // Incremented with every declaration, under the row's lock; a node with an older copy re-reads the declarations.
  'ALTER TABLE pulse_account ADD COLUMN settings_version INT NOT NULL DEFAULT 0',

  // Its values are in pulse_name, kind 4, under the property's number. Numbers are never reused.
  `CREATE TABLE pulse_property (
    account_no INT NOT NULL,
    property_no SMALLINT NOT NULL,
    name VARBINARY(256) NOT NULL,
    active SMALLINT NOT NULL,
    PRIMARY KEY (account_no, property_no),
    UNIQUE KEY pulse_property_name (account_no, name)
  ) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4`,

  // Steps and windows of a journey. Immutable: sessions record the version that judged them.
  `CREATE TABLE pulse_plan (
    account_no INT NOT NULL,
    journey_no INT NOT NULL,
    version SMALLINT NOT NULL,
    plan BLOB NOT NULL,
    PRIMARY KEY (account_no, journey_no, version)
  ) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4`,

  // Sessions that reached the step in the declared order and in time; for the whole journey, sessions that completed it that way.
  'ALTER TABLE pulse_cell ADD COLUMN reached BIGINT NOT NULL DEFAULT 0',

  // The sessions with one value of one property: all steps, their errors and times in one row. The columns are sums over the
  // steps, for the audit to check. value_no 0 collects all values beyond the first ones.
  `CREATE TABLE pulse_segment (
    account_no INT NOT NULL,
    journey_no INT NOT NULL,
    property_no SMALLINT NOT NULL,
    grain SMALLINT NOT NULL,
    start_hour INT NOT NULL,
    value_no SMALLINT NOT NULL,
    sessions BIGINT NOT NULL,
    completed BIGINT NOT NULL,
    reached BIGINT NOT NULL,
    abandoned BIGINT NOT NULL,
    ended BIGINT NOT NULL,
    errored BIGINT NOT NULL,
    counts MEDIUMBLOB NOT NULL,
    times MEDIUMBLOB NOT NULL,
    PRIMARY KEY (account_no, journey_no, property_no, grain, start_hour, value_no)
  ) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4`,

  // Sessions by the minute (since the Unix epoch) of their latest event: where they stood and what they had done, so that a
  // report can tell sessions that may still continue from those that have stopped. Deleted after the longest timeout.
  `CREATE TABLE pulse_latest (
    account_no INT NOT NULL,
    journey_no INT NOT NULL,
    minute INT NOT NULL,
    counts MEDIUMBLOB NOT NULL,
    PRIMARY KEY (account_no, journey_no, minute)
  ) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4`,
];
