/** Alerts for rates that leave their band. check_at: when some node should next check; the node that does moves it ahead. */
export const statements: readonly string[] = [
  `CREATE TABLE pulse_alert (
    account_no INT NOT NULL,
    journey_no INT NOT NULL,
    metric SMALLINT NOT NULL,
    rule BLOB NOT NULL,
    outside SMALLINT NOT NULL,
    changed_at DATETIME(6) NULL,
    check_at DATETIME(6) NOT NULL,
    PRIMARY KEY (account_no, journey_no, metric),
    KEY pulse_alert_check (check_at)
  ) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4`,
];
