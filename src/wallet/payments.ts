import type { PaymentProvider } from './top-ups.ts';

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
