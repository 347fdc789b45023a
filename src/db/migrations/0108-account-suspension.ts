// When an operator suspended the account; NULL: it is active. Nodes from before this step serve a suspended account all the same,
// so nothing is suspended until the last of them is gone.
export const statements: readonly string[] = ['ALTER TABLE account ADD COLUMN suspended_at_ms BIGINT NULL'];
