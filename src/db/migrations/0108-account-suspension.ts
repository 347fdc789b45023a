// When an operator suspended the account; NULL: it is active. Nodes from before this migration still serve suspended accounts, so
// suspend none until the last such node is gone.
export const statements: readonly string[] = ['ALTER TABLE account ADD COLUMN suspended_at_ms BIGINT NULL'];
