// The rate for provider cache writes, and different rates for long requests. A tier belongs to one version of a price and is just
// as immutable: a request with more input than `above_input_tokens` is charged entirely at the rates of the highest such tier.
// Nodes from before this migration know neither, so import such prices only when the last such node is gone.
export const statements: readonly string[] = [
  'ALTER TABLE price ADD COLUMN cache_write_input_per_million BIGINT NULL',
  'ALTER TABLE price ADD CONSTRAINT price_cache_write_at_least_0 CHECK (cache_write_input_per_million >= 0)',
  `CREATE TABLE price_tier (
    item VARBINARY(200) NOT NULL,
    account_id VARBINARY(40) NOT NULL,
    version INT NOT NULL,
    above_input_tokens BIGINT NOT NULL,
    input_per_million BIGINT NOT NULL,
    cached_input_per_million BIGINT NULL,
    cache_write_input_per_million BIGINT NULL,
    output_per_million BIGINT NOT NULL,
    PRIMARY KEY (item, account_id, version, above_input_tokens),
    CONSTRAINT price_tier_above_0 CHECK (above_input_tokens > 0),
    CONSTRAINT price_tier_input_at_least_0 CHECK (input_per_million >= 0),
    CONSTRAINT price_tier_cached_input_at_least_0 CHECK (cached_input_per_million >= 0),
    CONSTRAINT price_tier_cache_write_at_least_0 CHECK (cache_write_input_per_million >= 0),
    CONSTRAINT price_tier_output_at_least_0 CHECK (output_per_million >= 0)
  ) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4`,
];
