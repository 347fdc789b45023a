/**
 * Why a draft was approved despite objections, and what lists show of a version without reading its text. Columns derived from
 * the content are generated. The key finds the drafts of a state, newest first.
 */
export const statements = [
  `ALTER TABLE workflow_draft_version
    ADD COLUMN override_reason TEXT NULL,
    ADD COLUMN title VARCHAR(300) AS (LEFT(JSON_UNQUOTE(JSON_EXTRACT(content, '$.title')), 300)) STORED,
    ADD COLUMN kind VARCHAR(64) AS (JSON_UNQUOTE(JSON_EXTRACT(content, '$.kind'))) STORED,
    ADD COLUMN locale VARCHAR(35) AS (JSON_UNQUOTE(JSON_EXTRACT(content, '$.locale'))) STORED,
    ADD COLUMN risk_level VARCHAR(10) AS (JSON_UNQUOTE(JSON_EXTRACT(content, '$.riskLevel'))) STORED,
    ADD COLUMN open_placeholders INT AS (JSON_EXTRACT(content, '$.openPlaceholders')) STORED,
    ADD KEY workflow_draft_version_state (account_id, state, draft_id, version)`,
];
