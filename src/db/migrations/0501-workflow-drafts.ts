/** Drafts: every version is kept; a version never changes except that its review is added. */
export const statements = [
  // version: the newest. subject: the end user whose access token made it; empty if a key made it.
  `CREATE TABLE workflow_draft (
    account_id VARBINARY(40) NOT NULL,
    draft_id VARBINARY(40) NOT NULL,
    subject VARBINARY(256) NOT NULL,
    version INT NOT NULL,
    created_at_ms BIGINT NOT NULL,
    PRIMARY KEY (account_id, draft_id)
  ) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4`,

  // content: title, text, facts and what the draft must not say, as JSON. state: 1 awaiting review, 2 approved, 3 rejected.
  `CREATE TABLE workflow_draft_version (
    account_id VARBINARY(40) NOT NULL,
    draft_id VARBINARY(40) NOT NULL,
    version INT NOT NULL,
    state SMALLINT NOT NULL,
    content MEDIUMTEXT NOT NULL,
    reviewer VARCHAR(200) NULL,
    note TEXT NULL,
    reviewed_at_ms BIGINT NULL,
    created_at_ms BIGINT NOT NULL,
    PRIMARY KEY (account_id, draft_id, version)
  ) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4`,
];
