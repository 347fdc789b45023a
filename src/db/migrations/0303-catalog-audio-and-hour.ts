// What audio costs, and what a provider writes into its cache for an hour. Nodes from before this step know neither, so such
// prices are imported when the last of them is gone.
export const statements: readonly string[] = ['price', 'price_tier'].flatMap((table) => [
  `ALTER TABLE ${table} ADD COLUMN cache_write_1h_input_per_million BIGINT NULL, ADD COLUMN audio_input_per_million BIGINT NULL`,
  `ALTER TABLE ${table} ADD CONSTRAINT ${table}_cache_write_1h_at_least_0 CHECK (cache_write_1h_input_per_million >= 0)`,
  `ALTER TABLE ${table} ADD CONSTRAINT ${table}_audio_at_least_0 CHECK (audio_input_per_million >= 0)`,
]);
