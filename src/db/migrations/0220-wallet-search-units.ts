/** Search units that a charge paid for, for models that rank documents and are billed by them. */
export const statements: readonly string[] = ['ALTER TABLE charge ADD COLUMN search_units BIGINT NULL'];
