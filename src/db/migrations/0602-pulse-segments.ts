/**
 * Pulse by segments: properties that accounts declare, sums over the sessions with one value of one of them, sessions that
 * may still go on, and journeys whose steps are declared. Nodes from before know none of it, so all nodes change at once.
 */
export const statements: readonly string[] = [
  // Goes up with every declaration, under the row's lock; a node whose copy is older reads the declarations again.
  'ALTER TABLE pulse_account ADD COLUMN settings_version INT NOT NULL DEFAULT 0',

  // Its values stand in pulse_name, kind 4, under the property's number. Numbers are never given twice.
  `CREATE TABLE pulse_property (
    account_no INT NOT NULL,
    property_no SMALLINT NOT NULL,
    name VARBINARY(256) NOT NULL,
    active SMALLINT NOT NULL,
    PRIMARY KEY (account_no, property_no),
    UNIQUE KEY pulse_property_name (account_no, name)
  ) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4`,

  // Steps and windows of a journey. Never changed: sessions remember the version that judged them.
  `CREATE TABLE pulse_plan (
    account_no INT NOT NULL,
    journey_no INT NOT NULL,
    version SMALLINT NOT NULL,
    plan BLOB NOT NULL,
    PRIMARY KEY (account_no, journey_no, version)
  ) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4`,

  // Sessions that reached the step in the declared order and in time; for the whole journey, that completed it so.
  'ALTER TABLE pulse_cell ADD COLUMN reached BIGINT NOT NULL DEFAULT 0',

  // The sessions with one value of one property: all steps, their errors and times in one row. The columns are sums over the
  // steps, which the audit looks at. value_no 0 holds the values beyond the first ones.
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

  // Of sessions by the minute (since the Unix epoch) of their latest event: where they stood and what they had done, so that
  // a report can tell those that may still go on from those that have stopped. Gone after the longest time-out.
  `CREATE TABLE pulse_latest (
    account_no INT NOT NULL,
    journey_no INT NOT NULL,
    minute INT NOT NULL,
    counts MEDIUMBLOB NOT NULL,
    PRIMARY KEY (account_no, journey_no, minute)
  ) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4`,
];
