/** The limits of one account. */
export interface PackQuotas {
  packs: number;
  /** Of all packs together, as JSON. */
  bytes: number;
  /** Of all phrases together: the memory for searching them grows with this, up to about 150 bytes per character. */
  phraseCharacters: number;
}

export const packQuotasDefault: PackQuotas = { packs: 20, bytes: 256 * 1_024, phraseCharacters: 65_536 };

/** Why an account would exceed its quotas after a change. */
export function overQuota(quotas: PackQuotas, after: PackQuotas): string | undefined {
  const room = 'Delete a pack that is no longer used, or shorten one, and try again.';
  if (after.packs > quotas.packs) return `The account has ${quotas.packs} risk packs, the maximum. ${room}`;
  if (after.bytes > quotas.bytes)
    return `The account's risk packs would take ${after.bytes} bytes, and may take ${quotas.bytes}. ${room}`;
  if (after.phraseCharacters > quotas.phraseCharacters)
    return `The phrases of the account's risk packs would have ${after.phraseCharacters} characters, and may have ${quotas.phraseCharacters}. ${room}`;
  return undefined;
}
