/** What one account may have. */
export interface PackQuotas {
  packs: number;
  /** Of all packs together, as JSON. */
  bytes: number;
  /** Of all phrases together: what searching them takes of the memory grows with it, up to about 150 bytes each. */
  phraseCharacters: number;
}

export const packQuotasDefault: PackQuotas = { packs: 20, bytes: 256 * 1_024, phraseCharacters: 65_536 };

/** Why what an account would have after a change is more than it may have. */
export function overQuota(quotas: PackQuotas, after: PackQuotas): string | undefined {
  const room = 'Delete a pack that is no longer used, or shorten one, and try again.';
  if (after.packs > quotas.packs) return `The account has ${quotas.packs} risk packs, the maximum. ${room}`;
  if (after.bytes > quotas.bytes)
    return `The account's risk packs would take ${after.bytes} bytes, and may take ${quotas.bytes}. ${room}`;
  if (after.phraseCharacters > quotas.phraseCharacters)
    return `The phrases of the account's risk packs would have ${after.phraseCharacters} characters, and may have ${quotas.phraseCharacters}. ${room}`;
  return undefined;
}
