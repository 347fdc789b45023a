/** The real outcomes of what was judged: one per charge, the latest. */
export const statements = [
  // judgement: a copy of the charge's evidence, so that it lasts as long as the outcome. value: nano-USD.
  `CREATE TABLE workflow_outcome (
    account_id VARBINARY(40) NOT NULL,
    charge_id VARBINARY(40) NOT NULL,
    outcome VARBINARY(40) NOT NULL,
    value BIGINT NULL,
    judgement VARBINARY(8192) NOT NULL,
    occurred_at_ms BIGINT NOT NULL,
    reported_at_ms BIGINT NOT NULL,
    PRIMARY KEY (account_id, charge_id),
    KEY workflow_outcome_occurred (account_id, occurred_at_ms),
    KEY workflow_outcome_reported (reported_at_ms)
  ) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4`,
];
