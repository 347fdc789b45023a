/** What lists and quotas need from a definition without reading its content. These are generated columns. */
export const statements = [
  `ALTER TABLE workflow_definition_version
    ADD COLUMN bytes INT AS (LENGTH(content)) STORED,
    ADD COLUMN display_name VARCHAR(200) AS (JSON_UNQUOTE(JSON_EXTRACT(content, '$.displayName'))) STORED,
    ADD COLUMN assist VARCHAR(20) AS (JSON_UNQUOTE(JSON_EXTRACT(content, '$.assist'))) STORED,
    ADD KEY workflow_definition_version_bytes (account_id, bytes)`,
];
