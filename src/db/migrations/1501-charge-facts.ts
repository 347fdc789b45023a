/**
 * How the request of a charge went, for its owner to read; nothing is charged by it. What is not known is NULL: of charges from before,
 * and of work that has no such thing.
 */
export const statements: readonly string[] = [
  `ALTER TABLE charge
    ADD COLUMN request_id VARBINARY(128) NULL,
    ADD COLUMN latency_ms BIGINT NULL,
    ADD COLUMN model_latency_ms BIGINT NULL,
    ADD COLUMN finish_reason VARBINARY(32) NULL,
    ADD COLUMN attempts BIGINT NULL`,
];
