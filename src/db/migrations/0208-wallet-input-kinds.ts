// What a charge counts of audio, and of what was written into a provider's cache for an hour.
export const statements: readonly string[] = [
  `ALTER TABLE charge
    ADD COLUMN cache_write_1h_input_tokens BIGINT NULL,
    ADD COLUMN audio_input_tokens BIGINT NULL`,
];
