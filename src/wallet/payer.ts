import type { Caller } from '../base/caller.ts';
import { fail, type Result, succeed } from '../base/failure.ts';
import type { HoldRequest, SpendingCap } from './ledger/ledger.ts';

/** The part of a hold's request that says who pays. */
export type Payer = Pick<
  HoldRequest,
  'accountId' | 'keyId' | 'keyVersion' | 'tokenId' | 'subject' | 'deviceId' | 'caps'
>;

/**
 * Who pays for a caller's request, and the caps it counts against: the key's, and the end user's or device's. Only a caller with
 * an API key can pay; `scope` is the scope reported as missing otherwise.
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

/** The owner name of a key's spending cap. */
export function capOwnerOf(keyId: string): string {
  return `key:${keyId}`;
}

/** Whether a cap belongs to one end user or device rather than to their parent key. */
export function isOwnCap(owner: string): boolean {
  return !owner.startsWith('key:');
}

/**
 * Who may receive a stored reply, now or on a retry: the account, or its one end user, because an end user must never read
 * another's reply.
 */
export function replyScope({ accountId, keyId, subject }: Pick<Payer, 'accountId' | 'keyId' | 'subject'>): string {
  return subject === undefined ? accountId : `${accountId}/${keyId}/${subject}`;
}
