/** Clients' own workflows. A version never changes; it can be retired. */
export const statements = [
  // version: the newest. The row is locked while a version is made.
  `CREATE TABLE workflow_definition (
    account_id VARBINARY(40) NOT NULL,
    client VARBINARY(63) NOT NULL,
    workflow VARBINARY(63) NOT NULL,
    version INT NOT NULL,
    updated_id VARBINARY(40) NOT NULL,
    PRIMARY KEY (account_id, client, workflow),
    KEY workflow_definition_updated (account_id, updated_id)
  ) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4`,

  // content: the definition as JSON, as its message prints it.
  `CREATE TABLE workflow_definition_version (
    account_id VARBINARY(40) NOT NULL,
    client VARBINARY(63) NOT NULL,
    workflow VARBINARY(63) NOT NULL,
    version INT NOT NULL,
    version_id VARBINARY(40) NOT NULL,
    content MEDIUMTEXT NOT NULL,
    created_at_ms BIGINT NOT NULL,
    retired_at_ms BIGINT NULL,
    PRIMARY KEY (account_id, client, workflow, version)
  ) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4`,
];
