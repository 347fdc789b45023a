import type { Payer } from '../wallet/index.ts';

/** Who may read a stored reply: the account, or of it the one end user. One end user must never read another's reply. */
export function replyScope({ accountId, keyId, subject }: Pick<Payer, 'accountId' | 'keyId' | 'subject'>): string {
  return subject === undefined ? accountId : `${accountId}/${keyId}/${subject}`;
}
