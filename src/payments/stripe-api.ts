import type { Logger } from 'pino';
import Stripe from 'stripe';
import { FailureError } from '../base/failure.ts';
import type { PaymentProvider } from '../wallet/index.ts';
import { type Fact, nanoPerCent, type SessionFact } from './fact.ts';
import { factOfDispute, factOfRefund, factOfSession, topUpIdKey } from './stripe-facts.ts';

export interface StripeSettings {
  secretKey: string;
  /** Whether the key is a test-mode key: nobody pays. */
  testMode: boolean;
  /** Any of them may have signed an event. */
  webhookSecrets: readonly string[];
  successUrl: string;
  cancelUrl: string;
  /** An alternative endpoint that implements Stripe's API. */
  apiUrl?: string | undefined;
}

/** Everything we ask of Stripe. */
export interface StripeApi {
  provider: PaymentProvider;
  /** The event, if one of our secrets signed it within the last 5 minutes. */
  verify(body: Buffer, signature: string): Stripe.Event | undefined;
  /** The session that took a payment. */
  sessionOf(payment: string): Promise<SessionFact | undefined>;
  /** Everything that happened since a time: sessions first, then refunds and disputes. */
  factsSince(ms: number): AsyncIterable<Fact>;
}

const requestTimeoutMs = 15_000;
const signatureAgeMaxSeconds = 300;
const pageSize = 100;

export function createStripeApi(settings: StripeSettings, log: Logger): StripeApi {
  const stripe = new Stripe(settings.secretKey, {
    maxNetworkRetries: 2,
    timeout: requestTimeoutMs,
    telemetry: false,
    ...(settings.apiUrl !== undefined && placeOf(settings.apiUrl)),
  });

  return {
    provider: {
      // Play money has its own name, so that it is never mistaken for real money.
      name: settings.testMode ? 'stripe_test' : 'stripe',
      sandbox: settings.testMode,
      amountStep: nanoPerCent,
      async createPayment({ topUpId, amount }) {
        try {
          const session = await stripe.checkout.sessions.create(sessionOf(topUpId, amount, settings), {
            idempotencyKey: topUpId,
          });
          return { reference: session.id, paid: false, ...(session.url !== null && { paymentUrl: session.url }) };
        } catch (error) {
          log.error({ topUpId, ...describe(error) }, 'Stripe did not start a payment; the top-up stays pending');
          throw new FailureError(
            { kind: 'upstream_failed', attempts: [], upstream: 'payment provider' },
            { cause: error },
          );
        }
      },
    },
    verify(body, signature) {
      for (const secret of settings.webhookSecrets)
        try {
          return stripe.webhooks.constructEvent(body, signature, secret, signatureAgeMaxSeconds);
        } catch {
          // Another secret may have signed it; if none has, it is refused.
        }
      return undefined;
    },
    async sessionOf(payment) {
      const { data } = await stripe.checkout.sessions.list({ payment_intent: payment, limit: 1 });
      return data[0] && factOfSession(data[0]);
    },
    async *factsSince(ms) {
      const created = { gte: Math.floor(ms / 1_000) };
      for await (const session of stripe.checkout.sessions.list({ created, limit: pageSize }))
        yield factOfSession(session);
      for await (const refund of stripe.refunds.list({ created, limit: pageSize })) {
        const fact = factOfRefund(refund);
        if (fact) yield fact;
      }
      for await (const dispute of stripe.disputes.list({ created, limit: pageSize })) {
        const fact = factOfDispute(dispute);
        if (fact) yield fact;
      }
    },
  };
}

function sessionOf(
  topUpId: string,
  amount: bigint,
  { successUrl, cancelUrl }: StripeSettings,
): Stripe.Checkout.SessionCreateParams {
  return {
    mode: 'payment',
    client_reference_id: topUpId,
    metadata: { [topUpIdKey]: topUpId },
    payment_intent_data: { metadata: { [topUpIdKey]: topUpId } },
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: 'usd',
          unit_amount: Number(amount / nanoPerCent),
          product_data: { name: 'API credit' },
        },
      },
    ],
    // The customer pays USD; the credited amount must be the requested one.
    adaptive_pricing: { enabled: false },
    success_url: successUrl,
    cancel_url: cancelUrl,
  };
}

/** What an operator needs to know, without the request, which names the key's owner. */
function describe(error: unknown) {
  if (!(error instanceof Stripe.errors.StripeError)) return { err: error };
  const { type, code, statusCode, requestId } = error;
  return { type, code, statusCode, stripeRequest: requestId };
}

function placeOf(url: string) {
  const { hostname, port, protocol } = new URL(url);
  const secure = protocol === 'https:';
  return {
    host: hostname,
    port: port === '' ? (secure ? 443 : 80) : Number(port),
    protocol: secure ? ('https' as const) : ('http' as const),
  };
}
