import { balanceInvariants } from './balances.ts';
import { capInvariants } from './caps.ts';
import { chargeInvariants } from './charges.ts';
import type { Invariant } from './invariant.ts';
import { keyInvariants } from './keys.ts';
import { paymentInvariants } from './payments.ts';
import { usageInvariants } from './usage.ts';

/** What must hold at all times. Each query lists the violations. */
export const invariants: readonly Invariant[] = [
  balanceInvariants,
  chargeInvariants,
  keyInvariants,
  capInvariants,
  paymentInvariants,
  usageInvariants,
].flatMap((rules) => Object.entries(rules).map(([name, rule]) => ({ name, ...rule })));
