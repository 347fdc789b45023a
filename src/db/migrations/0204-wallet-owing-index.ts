/** Finds the few wallets that owe something without reading them all. */
export const statements: readonly string[] = ['CREATE INDEX wallet_owed ON wallet (owed)'];
