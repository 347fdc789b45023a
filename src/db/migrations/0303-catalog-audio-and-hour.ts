// The rates for audio and for provider cache writes that last an hour. Nodes from before this migration know neither, so import
// such prices only when the last such node is gone.
export const statements: readonly string[] = ['price', 'price_tier'].flatMap((table) => [
  `ALTER TABLE ${table} ADD COLUMN cache_write_1h_input_per_million BIGINT NULL, ADD COLUMN audio_input_per_million BIGINT NULL`,
  `ALTER TABLE ${table} ADD CONSTRAINT ${table}_cache_write_1h_at_least_0 CHECK (cache_write_1h_input_per_million >= 0)`,
  `ALTER TABLE ${table} ADD CONSTRAINT ${table}_audio_at_least_0 CHECK (audio_input_per_million >= 0)`,
]);
