import type { Caller, CallerKey } from '../base/caller.ts';
import { FailureError, invalid } from '../base/failure.ts';

/** The caller's account. Only operators have none, and they can't call methods that need one. */
export function accountOf(caller: Caller): string {
  if (caller.accountId === undefined) throw notFor(caller);
  return caller.accountId;
}

/** The account to read from: the caller's own or, for an operator, the one that the request names. */
export function accountToRead(caller: Caller, { accountId }: { accountId: string }): string {
  if (caller.credential === 'operator') {
    if (accountId === '') throw new FailureError(invalid('accountId', 'is required of operators: it says whose'));
    return accountId;
  }
  if (accountId !== '')
    throw new FailureError(
      invalid('accountId', 'is for operators: leave it out, the account is that of the credential'),
    );
  return accountOf(caller);
}

/** The API key that pays for the call: the one presented, or the one behind an access token. */
export function keyOf(caller: Caller): CallerKey {
  if (caller.key === undefined) throw notFor(caller);
  return caller.key;
}

function notFor({ credential }: Caller): FailureError {
  return new FailureError({ kind: 'scope_missing', scope: '', credential });
}
