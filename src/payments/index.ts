/** Payments by Stripe: checkout sessions, and the events that report what became of them. */
import type { Logger } from 'pino';
import { createRounds } from '../base/rounds.ts';
import type { Database } from '../db/index.ts';
import type { TopUps } from '../wallet/index.ts';
import { createEventStore, type StoredEvent } from './events-store.ts';
import type { Fact } from './fact.ts';
import { type SettleDependencies, settleFact, type Verdict } from './settle-fact.ts';
import type { StripeApi } from './stripe-api.ts';
import { factOfEvent } from './stripe-facts.ts';

export { createStripeApi, type StripeApi, type StripeSettings } from './stripe-api.ts';

export interface StripeEventsDependencies {
  db: Database;
  stripe: StripeApi;
  topUps: TopUps;
  log: Logger;
}

/**
 * Receives Stripe's events. Whatever order they come in and however often, each payment is credited once and each refund and
 * dispute takes effect once. An accepted event is stored first, so none is lost; one that can't be settled yet (a refund before
 * its session) is parked and retried for about a week.
 */
export interface StripeEvents {
  /** `refused`: not signed by Stripe for us. Rejects if the event can't be stored; then Stripe resends it. */
  receive(body: Buffer, signature: string): Promise<'accepted' | 'refused'>;
  /** Retries parked events that are due; returns how many. Runs automatically every 15 seconds once started. */
  retry(): Promise<number>;
  /** Asks Stripe for everything since a time and settles what is still unsettled. */
  reconcile(sinceMs: number, onProblem: (problem: string) => void): Promise<Reconciled>;
  start(): void;
  close(): Promise<void>;
}

/** What a reconciliation looked at, and how many top-ups it credited that no event had credited. */
export interface Reconciled {
  sessions: number;
  refunds: number;
  disputes: number;
  credited: number;
}

const retryEveryMs = 15_000;
const firstRetryMs = 30_000;
const retryMaxMs = 6 * 3_600_000;
/** Including the pauses between them, a little more than a week. */
const attemptsMax = 40;
const batchMax = 100;

export function createStripeEvents({ db, stripe, topUps, log }: StripeEventsDependencies): StripeEvents {
  const store = createEventStore(db);
  const { name: provider, sandbox } = stripe.provider;
  const deps: SettleDependencies = { provider, live: !sandbox, topUps, store, askSession: undefined };
  const asking: SettleDependencies = { ...deps, askSession: stripe.sessionOf };

  /** Settles a stored event and records what became of it. An error leaves it parked. */
  async function settle(event: Omit<StoredEvent, 'fact'>, fact: Fact, by: SettleDependencies): Promise<void> {
    let verdict: Verdict;
    try {
      verdict = await settleFact(by, fact);
    } catch (error) {
      log.warn({ err: error, event: event.eventId }, 'a payment event could not be settled; it is tried again');
      verdict = { state: 'parked', problem: 'a fault of the service, which is in its log' };
    }
    if (verdict.state === 'parked' && event.attempts + 1 >= attemptsMax) verdict = { ...verdict, state: 'failed' };
    const problem = verdict.state === 'done' ? undefined : verdict.problem;
    if (verdict.state === 'failed')
      log.error({ event: event.eventId, problem }, 'a payment event needs a person: it was not settled');
    const retryMs = Math.min(firstRetryMs * 2 ** event.attempts, retryMaxMs);
    await store.note({ provider, eventId: event.eventId, state: verdict.state, problem, retryMs });
    // Events that waited for this payment, or for the end of its dispute, need not wait until they are due.
    if (verdict.state === 'done' && fact.kind !== 'refund' && fact.payment !== undefined)
      for (const waiting of await store.parked(provider, fact.payment, batchMax))
        if (waiting.eventId !== event.eventId) await settle(waiting, JSON.parse(waiting.fact), deps);
  }

  async function receive(body: Buffer, signature: string): Promise<'accepted' | 'refused'> {
    const event = stripe.verify(body, signature);
    if (!event) return 'refused';
    const fact = factOfEvent(event);
    if (!fact || event.livemode === sandbox) return 'accepted';
    const { payment } = fact;
    const { id: eventId, type } = event;
    const known = await store.add({
      ...{ provider, eventId, type, payment },
      fact: JSON.stringify(fact),
      retryMs: firstRetryMs,
    });
    const { state, attempts } = known ?? { state: 'parked', attempts: 0 };
    if (state === 'parked') await settle({ provider, eventId, attempts }, fact, deps);
    return 'accepted';
  }

  async function retry(): Promise<number> {
    const events = await store.due(provider, batchMax);
    for (const event of events) await settle(event, JSON.parse(event.fact), asking);
    return events.length;
  }

  async function reconcile(sinceMs: number, onProblem: (problem: string) => void): Promise<Reconciled> {
    const seen: Reconciled = { sessions: 0, refunds: 0, disputes: 0, credited: 0 };
    for await (const fact of stripe.factsSince(sinceMs)) {
      seen[`${fact.kind}s`] += 1;
      const topUpId = fact.kind === 'session' && fact.state === 'paid' ? fact.topUpId : undefined;
      const before = topUpId === undefined ? undefined : await topUps.find(topUpId);
      const verdict = await settleFact(asking, fact);
      const name = fact.kind === 'session' ? fact.session : fact.reference;
      if (verdict.state === 'parked' || verdict.state === 'failed') onProblem(`${name}: ${verdict.problem}`);
      // Ours and paid, but unknown here: the database may be an older copy.
      if (before?.ok === false) onProblem(`${name}: paid, but ${topUpId} is not in this database`);
      if (verdict.state === 'done' && before?.ok && before.value.state !== 'paid') seen.credited += 1;
    }
    return seen;
  }

  const rounds = createRounds({
    everyMs: retryEveryMs,
    run: retry,
    onError: (error) => log.warn({ err: error }, 'parked payment events could not be tried again'),
  });

  return { receive, retry, reconcile, start: rounds.start, close: rounds.close };
}
