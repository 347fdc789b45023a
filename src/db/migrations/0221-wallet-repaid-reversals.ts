/**
 * What is given back for a charge may include what was repaid of its debt later, which is in another row: the ledger decides on
 * that under the wallet's lock, and the audit checks it. A wider constraint would have to copy the table.
 */
export const statements: readonly string[] = ['ALTER TABLE charge DROP CONSTRAINT charge_reversed'];
