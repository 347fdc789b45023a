import type { Caller } from '../base/caller.ts';
import { fail, type Result, succeed } from '../base/failure.ts';
import type { HoldRequest, SpendingCap } from '../wallet/index.ts';

type Payer = Pick<HoldRequest, 'accountId' | 'keyId' | 'keyVersion' | 'tokenId' | 'subject' | 'deviceId' | 'caps'>;

/** Who pays for a caller's request, and the caps that it counts against. Only a caller with an API key can pay. */
export function payerOf(caller: Caller): Result<Payer> {
  const { accountId, key, token } = caller;
  if (!accountId || !key) return fail({ kind: 'scope_missing', scope: 'chat', credential: caller.credential });
  const payer: Payer = { accountId, keyId: key.id, keyVersion: key.version };
  const caps: SpendingCap[] = [];
  if (key.spendingCap !== undefined) caps.push({ owner: `key:${key.id}`, limit: key.spendingCap });
  if (token) {
    payer.tokenId = token.id;
    payer.subject = token.subject;
    if (token.deviceId) payer.deviceId = token.deviceId;
    if (token.spendingCap !== undefined)
      caps.push({
        owner: token.deviceId ? `device:${token.deviceId}` : `token:${key.id}:${token.subject}`,
        limit: token.spendingCap,
      });
  }
  if (caps.length > 0) payer.caps = caps;
  return succeed(payer);
}
