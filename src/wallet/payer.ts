import type { Caller } from '../base/caller.ts';
import { fail, type Result, succeed } from '../base/failure.ts';
import type { HoldRequest, SpendingCap } from './ledger/ledger.ts';

/** The part of a hold's request that says who pays. */
export type Payer = Pick<
  HoldRequest,
  'accountId' | 'keyId' | 'keyVersion' | 'tokenId' | 'subject' | 'deviceId' | 'caps'
>;

/**
 * Who pays for a caller's request, and the caps that it counts against: the key's, and that of the end user or device.
 * Only a caller with an API key can pay; `scope` is what it would have needed.
 */
export function payerOf({ accountId, key, token, credential }: Caller, scope: string): Result<Payer> {
  if (!accountId || !key) return fail({ kind: 'scope_missing', scope, credential });
  const caps: SpendingCap[] = [];
  if (key.spendingCap !== undefined) caps.push({ owner: capOwnerOf(key.id), limit: key.spendingCap });
  if (token?.spendingCap !== undefined) {
    const owner = token.deviceId ? `device:${token.deviceId}` : `token:${key.id}:${token.subject}`;
    caps.push({ owner, limit: token.spendingCap });
  }
  return succeed({
    accountId,
    keyId: key.id,
    keyVersion: key.version,
    ...(token && { tokenId: token.id, subject: token.subject }),
    ...(token?.deviceId && { deviceId: token.deviceId }),
    ...(caps.length > 0 && { caps }),
  });
}

/** What the spending cap of a key is called. */
export function capOwnerOf(keyId: string): string {
  return `key:${keyId}`;
}

/** Whether a cap is of one end user or device, not of the key that they descend from. */
export function isOwnCap(owner: string): boolean {
  return !owner.startsWith('key:');
}

/**
 * Who may be answered with a stored reply, now or by a retry: the account, or of it the one end user, because one end user
 * must never read another's reply.
 */
export function replyScope({ accountId, keyId, subject }: Pick<Payer, 'accountId' | 'keyId' | 'subject'>): string {
  return subject === undefined ? accountId : `${accountId}/${keyId}/${subject}`;
}
