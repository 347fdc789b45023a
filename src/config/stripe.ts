import type { Environment } from './env.ts';
import type { Settings } from './schema.ts';

/** How to take payments with Stripe. */
export interface StripeConfig {
  secretKey: string;
  /** Whether the key is a test-mode key, whose payments are play money. */
  testMode: boolean;
  webhookSecrets: string[];
  successUrl: string;
  cancelUrl: string;
  apiUrl: string | undefined;
}

/** Decides Stripe's settings; adds what is wrong to `problems`. */
export function stripeConfig(
  { stripe, allowSandbox }: Settings['payments'],
  env: Environment,
  problems: string[],
): StripeConfig | undefined {
  if (!stripe) {
    problems.push('payments.stripe: the provider "stripe" needs it, with successUrl at least');
    return undefined;
  }
  const secretKey = env.read(stripe.secretKeyEnv) ?? '';
  const webhookSecrets = (env.read(stripe.webhookSecretEnv) ?? '')
    .split(',')
    .map((secret) => secret.trim())
    .filter((secret) => secret !== '');
  // The messages never quote a value: it is a secret, or might be one for something else.
  const mode = /^(?:sk|rk)_(live|test)_/.exec(secretKey)?.[1];
  if (mode === undefined)
    problems.push(`${stripe.secretKeyEnv}: must hold a Stripe secret key (sk_live_... or sk_test_...)`);
  if (mode === 'test' && !allowSandbox)
    problems.push(
      `${stripe.secretKeyEnv}: holds a test-mode key, which pays without money and needs payments.allowSandbox: true`,
    );
  if (webhookSecrets.length === 0 || webhookSecrets.some((secret) => !secret.startsWith('whsec_')))
    problems.push(`${stripe.webhookSecretEnv}: must hold the webhook's signing secret (whsec_...)`);
  return {
    secretKey,
    testMode: mode !== 'live',
    webhookSecrets,
    successUrl: stripe.successUrl,
    cancelUrl: stripe.cancelUrl ?? stripe.successUrl,
    apiUrl: stripe.apiUrl ?? undefined,
  };
}
