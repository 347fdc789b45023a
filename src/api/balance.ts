import type { Caller } from '../base/caller.ts';
import { formatUsd, type NanoUsd } from '../base/money.ts';
import type { Call } from './call.ts';

/** The balances after a charge. */
interface Balances {
  /** The account's wallet. */
  balance: NanoUsd;
  /** The end user's own cap. */
  capLeft?: NanoUsd | undefined;
}

/**
 * What a caller may know of what is left: a key sees the account's balance, an end user's access token the rest of its own
 * spending cap, and nothing if it has none. The account's credit is its owner's business.
 */
export function shownBalance({ token }: Caller, { balance, capLeft }: Balances): string | undefined {
  const shown = token ? capLeft : balance;
  return shown === undefined ? undefined : formatUsd(shown);
}

/** States in reply headers what a call cost, the charge, and what is left. `chargeId` is this call's charge, not an earlier one's. */
export function setChargeHeaders(
  call: Call,
  { cost, chargeId, ...balances }: Balances & { cost: NanoUsd; chargeId?: string | undefined },
): void {
  if (chargeId !== undefined) call.setReplyHeader('x-charge-id', chargeId);
  call.setReplyHeader('x-charge-usd', formatUsd(cost));
  const shown = shownBalance(call.caller, balances);
  if (shown !== undefined) call.setReplyHeader('x-balance-usd', shown);
}
