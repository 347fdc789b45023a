import type { Result } from '../base/failure.ts';
import type { VerifiedKey } from './types.ts';

/** Whether an account is served; fails with `account_suspended` if not. Synchronous if already known. */
export type AccountStanding = (accountId: string) => Result<void> | Promise<Result<void>>;

type MaybeLater<T> = T | Promise<T>;

/** Wraps a read of keys to refuse those of accounts that are not served. */
export function ofServedAccounts<Arguments extends unknown[]>(
  read: (...given: Arguments) => MaybeLater<Result<VerifiedKey>>,
  standing: AccountStanding,
): (...given: Arguments) => MaybeLater<Result<VerifiedKey>> {
  return (...given) => {
    const found = read(...given);
    return found instanceof Promise ? found.then(checked) : checked(found);
  };

  function checked(found: Result<VerifiedKey>): MaybeLater<Result<VerifiedKey>> {
    if (!found.ok) return found;
    const state = standing(found.value.accountId);
    if (state instanceof Promise) return state.then((late) => (late.ok ? found : late));
    return state.ok ? found : state;
  }
}
