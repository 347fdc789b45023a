/**
 * The charge that paid for a draft: until it is settled, the draft does not exist for readers. And what was found in a version
 * when it was made, as JSON, so that reading it needs no new judgement. Both are NULL in older rows.
 */
export const statements = [
  `ALTER TABLE workflow_draft ADD COLUMN charge_id VARBINARY(40) NULL`,
  `ALTER TABLE workflow_draft_version ADD COLUMN inspection MEDIUMTEXT NULL`,
];
