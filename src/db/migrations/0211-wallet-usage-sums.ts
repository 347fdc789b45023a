const sums = `charges BIGINT NOT NULL DEFAULT 0,
    input_tokens BIGINT NOT NULL DEFAULT 0,
    cached_input_tokens BIGINT NOT NULL DEFAULT 0,
    cache_write_input_tokens BIGINT NOT NULL DEFAULT 0,
    cache_write_1h_input_tokens BIGINT NOT NULL DEFAULT 0,
    audio_input_tokens BIGINT NOT NULL DEFAULT 0,
    output_tokens BIGINT NOT NULL DEFAULT 0,
    reasoning_tokens BIGINT NOT NULL DEFAULT 0,
    events BIGINT NOT NULL DEFAULT 0,
    search_units BIGINT NOT NULL DEFAULT 0,
    cost BIGINT NOT NULL DEFAULT 0`;

/**
 * Hourly usage sums, maintained by the commits that post. `summed` is the wallet's last posting that they cover: what was posted
 * earlier, or by a node of an older version, is added by the nodes in small steps, and read from the postings until then.
 */
export const statements: readonly string[] = [
  `CREATE TABLE usage_hour (
    wallet_id VARBINARY(40) NOT NULL,
    hour BIGINT NOT NULL,
    key_id VARBINARY(40) NOT NULL,
    operation VARBINARY(200) NOT NULL,
    provider VARBINARY(100) NOT NULL,
    model VARBINARY(200) NOT NULL,
    by_user TINYINT NOT NULL DEFAULT 0,
    ${sums},
    PRIMARY KEY (wallet_id, hour, key_id, operation, provider, model, by_user)
  ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  `CREATE TABLE usage_user_hour (
    wallet_id VARBINARY(40) NOT NULL,
    hour BIGINT NOT NULL,
    key_id VARBINARY(40) NOT NULL,
    operation VARBINARY(200) NOT NULL,
    provider VARBINARY(100) NOT NULL,
    model VARBINARY(200) NOT NULL,
    device_id VARBINARY(40) NOT NULL,
    subject VARBINARY(255) NOT NULL,
    ${sums},
    PRIMARY KEY (wallet_id, hour, key_id, operation, provider, model, device_id, subject)
  ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  'ALTER TABLE wallet ADD COLUMN summed BIGINT NOT NULL DEFAULT 0',
  'ALTER TABLE wallet ADD CONSTRAINT wallet_summed CHECK (summed >= 0 AND summed <= seq)',
];
