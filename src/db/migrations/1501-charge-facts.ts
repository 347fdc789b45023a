/**
 * How a charge's request went, for its owner to read; it does not affect charging. Unknown values are NULL: for older charges,
 * and for work to which they do not apply.
 */
export const statements: readonly string[] = [
  `ALTER TABLE charge
    ADD COLUMN request_id VARBINARY(128) NULL,
    ADD COLUMN latency_ms BIGINT NULL,
    ADD COLUMN model_latency_ms BIGINT NULL,
    ADD COLUMN finish_reason VARBINARY(32) NULL,
    ADD COLUMN attempts BIGINT NULL`,
];
