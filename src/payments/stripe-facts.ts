import type Stripe from 'stripe';
import type { DisputeFact, Fact, RefundFact, SessionFact } from './fact.ts';

/** What we write into each session to recognise it later. */
export const topUpIdKey = 'top_up_id';

/** What an event says about money; undefined if nothing. */
export function factOfEvent(event: Stripe.Event): Fact | undefined {
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
    case 'checkout.session.expired':
      return factOfSession(event.data.object);
    case 'checkout.session.async_payment_failed':
      return factOfSession(event.data.object, 'failed');
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed':
    case 'charge.refund.updated':
      return factOfRefund(event.data.object);
    case 'charge.dispute.created':
    case 'charge.dispute.updated':
    case 'charge.dispute.closed':
    case 'charge.dispute.funds_withdrawn':
    case 'charge.dispute.funds_reinstated':
      return factOfDispute(event.data.object);
    default:
      return undefined;
  }
}

export function factOfSession(session: Stripe.Checkout.Session, unpaid: 'unpaid' | 'failed' = 'unpaid'): SessionFact {
  const paid = session.payment_status === 'paid';
  return {
    kind: 'session',
    session: session.id,
    topUpId: session.metadata?.[topUpIdKey],
    // Paid is final, whatever the event type.
    state: paid ? 'paid' : session.status === 'expired' ? 'expired' : unpaid,
    payment: idOf(session.payment_intent),
    onePayment: session.mode === 'payment',
    live: session.livemode,
    currency: session.currency ?? '',
    subtotalCents: session.amount_subtotal ?? 0,
    discountCents: session.total_details?.amount_discount ?? 0,
    totalCents: session.amount_total ?? undefined,
  };
}

export function factOfRefund(refund: Stripe.Refund): RefundFact | undefined {
  const payment = idOf(refund.payment_intent);
  // No money moves while the customer must act; another event reports when it does.
  if (payment === undefined || refund.status === 'requires_action') return undefined;
  return {
    kind: 'refund',
    reference: refund.id,
    payment,
    amountCents: refund.amount,
    currency: refund.currency,
    state: refund.status === 'failed' || refund.status === 'canceled' ? 'failed' : 'taken',
  };
}

export function factOfDispute(dispute: Stripe.Dispute): DisputeFact | undefined {
  const payment = idOf(dispute.payment_intent);
  const { status } = dispute;
  // A question (`warning_...`) and a prevented dispute take no money; a refund that answers one arrives as its own event.
  if (payment === undefined || status.startsWith('warning_') || status === 'prevented') return undefined;
  return {
    kind: 'dispute',
    reference: dispute.id,
    payment,
    amountCents: dispute.amount,
    currency: dispute.currency,
    state: status === 'won' ? 'won' : status === 'lost' ? 'lost' : 'open',
  };
}

function idOf(reference: string | { id: string } | null): string | undefined {
  return (typeof reference === 'string' ? reference : reference?.id) ?? undefined;
}
