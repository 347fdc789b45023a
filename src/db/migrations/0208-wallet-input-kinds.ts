// A charge's counts of audio input and of input written to a provider's cache for an hour.
export const statements: readonly string[] = [
  `ALTER TABLE charge
    ADD COLUMN cache_write_1h_input_tokens BIGINT NULL,
    ADD COLUMN audio_input_tokens BIGINT NULL`,
];
