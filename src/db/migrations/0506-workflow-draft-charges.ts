/**
 * The charge that paid for a draft: until it is settled the draft is not there. What was found in a version when it was made,
 * as JSON, so that reading it judges nothing. NULL in both for what was made before.
 */
export const statements = [
  `ALTER TABLE workflow_draft ADD COLUMN charge_id VARBINARY(40) NULL`,
  `ALTER TABLE workflow_draft_version ADD COLUMN inspection MEDIUMTEXT NULL`,
];
