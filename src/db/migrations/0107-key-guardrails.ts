// JSON of what is looked for in a key's chats; NULL: nothing. Nodes from before this step do not look, so guardrails are
// set when the last of them is gone.
export const statements: readonly string[] = ['ALTER TABLE api_key ADD COLUMN guardrails VARCHAR(4000) NULL'];
