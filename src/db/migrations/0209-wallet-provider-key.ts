/** The account's own provider key that a charge was made with: it is priced as a request with such a key, not by its model. */
export const statements: readonly string[] = ['ALTER TABLE charge ADD COLUMN provider_key_id VARBINARY(40) NULL'];
