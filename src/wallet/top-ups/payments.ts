import type { Queryable } from '../../db/index.ts';
import type { PaymentProvider } from './top-ups.ts';
import { hasSandboxMoney } from './top-ups-store.ts';

/** Nobody takes payments here: top-ups stay pending until the operator records or confirms the payment. */
export const manualPayments: PaymentProvider = {
  name: 'manual',
  sandbox: false,
  createPayment: async () => ({ paid: false }),
};

/** Play money: every payment succeeds at once. Only where the configuration allows it by name. */
export const sandboxPayments: PaymentProvider = {
  name: 'sandbox',
  sandbox: true,
  createPayment: async ({ topUpId }) => ({ reference: `sandbox_${topUpId}`, paid: true }),
};

/** Throws where wallets hold play money: a service that takes real payments must not serve over them. */
export async function refuseSandboxMoney(db: Queryable): Promise<void> {
  if (await hasSandboxMoney(db))
    throw new Error(
      'This database has wallets with sandbox money, and the configured payment provider is real. Use another database, or payments.provider: sandbox.',
    );
}
