// The price book. Rows are added and never changed: a charge refers to one version of the book forever. An absent rate is NULL,
// which is not a rate of zero. `account_id` is empty for the price that everyone pays.
export const statements: readonly string[] = [
  `CREATE TABLE price (
    item VARBINARY(200) NOT NULL,
    account_id VARBINARY(40) NOT NULL,
    version INT NOT NULL,
    effective_at DATETIME(6) NOT NULL,
    input_per_million BIGINT NULL,
    cached_input_per_million BIGINT NULL,
    output_per_million BIGINT NULL,
    per_request BIGINT NULL,
    per_thousand_events BIGINT NULL,
    imported_at DATETIME(6) NOT NULL,
    PRIMARY KEY (item, account_id, version),
    KEY price_version (version),
    CONSTRAINT price_input_at_least_0 CHECK (input_per_million >= 0),
    CONSTRAINT price_cached_input_at_least_0 CHECK (cached_input_per_million >= 0),
    CONSTRAINT price_output_at_least_0 CHECK (output_per_million >= 0),
    CONSTRAINT price_request_at_least_0 CHECK (per_request >= 0),
    CONSTRAINT price_events_at_least_0 CHECK (per_thousand_events >= 0)
  ) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4`,
  // One row per version: two nodes that import at once collide here, and the second compares again.
  `CREATE TABLE price_book_version (
    version INT NOT NULL PRIMARY KEY,
    imported_at DATETIME(6) NOT NULL
  ) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4`,
];
