// JSON of what to look for in a key's chats; NULL: nothing. Nodes from before this migration ignore guardrails, so set them only
// when the last such node is gone.
export const statements: readonly string[] = ['ALTER TABLE api_key ADD COLUMN guardrails VARCHAR(4000) NULL'];
