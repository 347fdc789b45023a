import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Stripe from 'stripe';

export const webhookSecret = 'whsec_of_the_tests';

/** A session in Stripe's API, as far as it is read here. */
export interface FakeSession {
  id: string;
  object: 'checkout.session';
  url: string;
  mode: string;
  livemode: boolean;
  status: string;
  payment_status: string;
  payment_intent: string | null;
  client_reference_id: string | null;
  currency: string;
  amount_subtotal: number;
  amount_total: number;
  total_details: { amount_discount: number; amount_tax: number; amount_shipping: number };
  metadata: Record<string, string>;
  created: number;
}

/** A server that speaks the part of Stripe's API that payments use, on its own port. */
export interface FakeStripe {
  url: string;
  sessions: FakeSession[];
  refunds: object[];
  disputes: object[];
  /** The number of requests received. */
  requests: number;
  /** The next requests fail with 500. */
  failing: boolean;
  /** The session of a top-up, paid by a new payment intent. */
  pay(topUpId: string, change?: Partial<FakeSession>): FakeSession;
  close(): Promise<void>;
}

export async function startStripe(): Promise<FakeStripe> {
  const byIdempotencyKey = new Map<string, FakeSession>();
  const fake: FakeStripe = {
    url: '',
    sessions: [],
    refunds: [],
    disputes: [],
    requests: 0,
    failing: false,
    pay(topUpId, change = {}) {
      const session = fake.sessions.find(({ metadata }) => metadata.top_up_id === topUpId);
      if (!session) throw new Error(`no session for ${topUpId}`);
      const payment = `pi_${session.id.slice(8)}`;
      return Object.assign(session, { payment_status: 'paid', status: 'complete', payment_intent: payment }, change);
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  const server = createServer((request, response) => {
    fake.requests += 1;
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const answer = (status: number, body: object) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      if (fake.failing) return answer(500, { error: { type: 'api_error', message: 'down' } });
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://stripe');
      const list = (data: object[]) => answer(200, { object: 'list', has_more: false, url: pathname, data });
      if (request.method === 'POST' && pathname === '/v1/checkout/sessions') {
        const key = String(request.headers['idempotency-key']);
        const session = byIdempotencyKey.get(key) ?? newSession(new URLSearchParams(Buffer.concat(chunks).toString()));
        if (!byIdempotencyKey.has(key)) fake.sessions.push(session);
        byIdempotencyKey.set(key, session);
        return answer(200, session);
      }
      const payment = searchParams.get('payment_intent');
      if (pathname === '/v1/checkout/sessions')
        return list(fake.sessions.filter((session) => payment === null || session.payment_intent === payment));
      if (pathname === '/v1/refunds') return list(fake.refunds);
      if (pathname === '/v1/disputes') return list(fake.disputes);
      return answer(404, { error: { type: 'invalid_request_error', message: 'no such thing' } });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  fake.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return fake;
}

let made = 0;

function newSession(form: URLSearchParams): FakeSession {
  made += 1;
  const cents = Number(form.get('line_items[0][price_data][unit_amount]'));
  return {
    id: `cs_test_${process.pid}_${made}`,
    object: 'checkout.session',
    url: `https://checkout.stripe.test/${made}`,
    mode: form.get('mode') ?? '',
    livemode: false,
    status: 'open',
    payment_status: 'unpaid',
    payment_intent: null,
    client_reference_id: form.get('client_reference_id'),
    currency: form.get('line_items[0][price_data][currency]') ?? '',
    amount_subtotal: cents,
    amount_total: cents,
    total_details: { amount_discount: 0, amount_tax: 0, amount_shipping: 0 },
    metadata: { top_up_id: form.get('metadata[top_up_id]') ?? '' },
    created: Math.floor(Date.now() / 1_000),
  };
}

const signer = new Stripe('sk_test_signs_nothing');

/** Sends an event to the service, signed by Stripe's own package. The same id means the same event. */
export async function sendEvent(
  app: { url: string },
  type: string,
  object: object,
  {
    id = `evt_${++made}_${process.pid}`,
    secret = webhookSecret,
    livemode = false,
    signature = undefined as string | undefined,
  } = {},
): Promise<number> {
  const payload = JSON.stringify({ id, object: 'event', type, livemode, data: { object } });
  const response = await fetch(`${app.url}/webhooks/stripe`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'stripe-signature': signature ?? signer.webhooks.generateTestHeaderString({ payload, secret }),
    },
    body: payload,
  });
  await response.text();
  return response.status;
}
