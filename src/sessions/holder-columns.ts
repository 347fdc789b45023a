import type { SessionHolder } from './types.ts';

/** How a table records whose a row is. `holder`: the id of a management key, or the name of an operator. */
export interface HolderColumns {
  role: 'owner' | 'operator';
  holder: string;
  account_id: string | null;
}

export function holderColumns(holder: SessionHolder): HolderColumns {
  return holder.role === 'owner'
    ? { role: 'owner', holder: holder.keyId, account_id: holder.accountId }
    : { role: 'operator', holder: holder.operator, account_id: null };
}

export function holderOf({ holder, account_id }: HolderColumns): SessionHolder {
  const name = String(holder);
  return account_id === null
    ? { role: 'operator', operator: name }
    : { role: 'owner', accountId: String(account_id), keyId: name };
}

/** Whether both are the same key or the same operator. */
export function isSameHolder(one: SessionHolder, other: SessionHolder): boolean {
  const [first, second] = [holderColumns(one), holderColumns(other)];
  return first.role === second.role && first.holder === second.holder;
}
