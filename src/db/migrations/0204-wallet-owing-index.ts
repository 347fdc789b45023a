/** Finds the few wallets that owe something without reading all. */
export const statements: readonly string[] = ['CREATE INDEX wallet_owed ON wallet (owed)'];
