import type { PaymentOptionsJson } from '../../../gen/intelligence/wallet/v1/wallet_pb';
import { t } from '../../i18n/index.ts';
import { exactText, type NanoUsd, readUsd } from '../../money.ts';
import { typedUsd } from '../../typed-usd.ts';

/** Suggested amounts in USD; those outside the purchasable range are left out. */
export const suggested = ['5', '20', '50', '200'] as const;

/** The typed amount, or why it cannot be bought. */
export function amountOf(
  text: string,
  options: PaymentOptionsJson,
): { amount: NanoUsd; problem?: never } | { amount?: never; problem: string } {
  const amount = typedUsd(text.replace(/^\s*\$|\$\s*$/g, ''));
  const [least, most, step] = [options.minimumUsd, options.maximumUsd, options.stepUsd].map(readUsd);
  if (amount === undefined) return { problem: t('credit.amountNone') };
  if (least !== undefined && amount < least) return { problem: t('credit.amountLeast', { least: exactText(least) }) };
  if (most !== undefined && amount > most) return { problem: t('credit.amountMost', { most: exactText(most) }) };
  if (step !== undefined && step > 0n && amount % step !== 0n)
    return { problem: t('credit.amountStep', { step: exactText(step) }) };
  return { amount };
}
