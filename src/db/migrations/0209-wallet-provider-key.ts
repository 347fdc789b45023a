/** Which provider key of the account's own a charge was made with: it is priced as a request with such a key, not as its model. */
export const statements: readonly string[] = ['ALTER TABLE charge ADD COLUMN provider_key_id VARBINARY(40) NULL'];
