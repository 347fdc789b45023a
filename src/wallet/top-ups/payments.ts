import type { Queryable } from '../../db/index.ts';
import type { PaymentProvider } from './top-ups.ts';
import { hasSandboxMoney } from './top-ups-store.ts';

/** Takes no payments: top-ups stay pending until the operator records or confirms the payment. */
export const manualPayments: PaymentProvider = {
  name: 'manual',
  sandbox: false,
  createPayment: async () => ({ paid: false }),
};

/** Play money: every payment succeeds at once. Available only if the configuration names it. */
export const sandboxPayments: PaymentProvider = {
  name: 'sandbox',
  sandbox: true,
  createPayment: async ({ topUpId }) => ({ reference: `sandbox_${topUpId}`, paid: true }),
};

/** Throws if wallets hold play money: a service that takes real payments must not serve them. */
export async function refuseSandboxMoney(db: Queryable): Promise<void> {
  if (await hasSandboxMoney(db))
    throw new Error(
      'This database has wallets with sandbox money, and the configured payment provider is real. Use another database, or payments.provider: sandbox.',
    );
}
