import type { Caller, CallerKey } from '../base/caller.ts';
import { FailureError } from '../base/failure.ts';

/** The caller's account. Only operators have none, and they can't call what asks for one. */
export function accountOf(caller: Caller): string {
  if (caller.accountId === undefined) throw notFor(caller);
  return caller.accountId;
}

/** The API key that pays for the call: the one presented, or the one behind an access token. */
export function keyOf(caller: Caller): CallerKey {
  if (caller.key === undefined) throw notFor(caller);
  return caller.key;
}

function notFor({ credential }: Caller): FailureError {
  return new FailureError({ kind: 'scope_missing', scope: '', credential });
}
