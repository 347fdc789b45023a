import type { Failure, Result } from '../base/failure.ts';
import { divideRoundingUp, formatUsd, type NanoUsd } from '../base/money.ts';
import type { TopUp, TopUps } from '../wallet/index.ts';
import type { EventStore, PaidTopUp } from './events-store.ts';
import { type DisputeFact, type Fact, nanoOfCents, type RefundFact, type SessionFact } from './fact.ts';

/** What became of a fact. `parked`: it can't be settled yet. `failed`: a person must look at it. */
export type Verdict = { state: 'done' } | { state: 'parked' | 'ignored' | 'failed'; problem: string };

export interface SettleDependencies {
  /** The provider name stored with its top-ups. */
  provider: string;
  live: boolean;
  topUps: TopUps;
  store: EventStore;
  /** Asks the provider for the session that took a payment; undefined: do not ask. */
  askSession: ((payment: string) => Promise<SessionFact | undefined>) | undefined;
}

/** Applies a fact to the ledger. The outcome is the same in any order and for any number of repetitions. */
export function settleFact(deps: SettleDependencies, fact: Fact): Promise<Verdict> {
  return fact.kind === 'session' ? settleSession(deps, fact) : settleReversal(deps, fact);
}

async function settleSession(deps: SettleDependencies, fact: SessionFact): Promise<Verdict> {
  const { topUps, store, provider } = deps;
  if (fact.topUpId === undefined) return ignored('the session is not of this service');
  if (fact.live !== deps.live) return ignored('the session is of another mode');
  const found = await topUps.find(fact.topUpId);
  if (!found.ok) return ignored('the top-up is not of this service');
  if (found.value.provider !== provider) return ignored('the top-up is of another provider');
  // The response with our session's id may have been lost; the provider's signed event also has it.
  const noted = await topUps.note(fact.topUpId, fact.session);
  if (!noted.ok) return refused(noted.failure);
  const topUp = noted.value;
  if (topUp.providerReference !== fact.session) return failed(`${topUp.topUpId} is paid by another session`);
  if (fact.state !== 'paid') return closeUnpaid(deps, topUp, fact);
  const problem = unfit(fact, topUp);
  if (problem !== undefined) return failed(`${topUp.topUpId}: ${problem}`);
  if (fact.payment !== undefined)
    await store.link(provider, fact.payment, { topUpId: topUp.topUpId, paidCents: fact.totalCents });
  return verdictOf(await topUps.credit(topUp.topUpId));
}

/** Why a payment must not be credited. */
function unfit(fact: SessionFact, { amount }: TopUp): string | undefined {
  if (!fact.onePayment) return 'the session is not for one payment';
  if (fact.currency !== 'usd') return `paid in ${fact.currency}, not in usd`;
  if (fact.discountCents !== 0) return 'paid with a discount';
  const paid = nanoOfCents(fact.subtotalCents);
  if (paid !== amount) return `paid ${formatUsd(paid)} USD for ${formatUsd(amount)} USD`;
  return undefined;
}

async function closeUnpaid({ topUps }: SettleDependencies, topUp: TopUp, fact: SessionFact): Promise<Verdict> {
  if (fact.state === 'unpaid') return { state: 'done' };
  return verdictOf(await topUps.close(topUp.topUpId, fact.state === 'expired' ? 'expired' : 'failed'));
}

async function settleReversal(deps: SettleDependencies, fact: RefundFact | DisputeFact): Promise<Verdict> {
  const { topUps } = deps;
  const known = await topUpOf(deps, fact.payment);
  if ('state' in known) return known;
  const found = await topUps.find(known.topUpId);
  if (!found.ok) return refused(found.failure);
  if (found.value.state !== 'paid') return parked('the top-up is not paid yet');
  if (fact.currency !== 'usd') return failed(`${fact.reference} is in ${fact.currency}, not in usd`);
  // Take it first, whatever its final outcome: then an older event that arrives later finds it settled.
  const { reference, kind } = fact;
  const amount = creditIn(fact, found.value, known.paidCents);
  const reversed = await topUps.reverse({ topUpId: known.topUpId, kind, amount, reference });
  // What a dispute has taken may come back, and a concurrent refund must be taken then.
  if (!reversed.ok && kind === 'refund' && reversed.failure.kind === 'precondition_failed')
    return parked(reversed.failure.description);
  if (!reversed.ok) return refused(reversed.failure);
  if (fact.state === 'open' || fact.state === 'taken') return { state: 'done' };
  return verdictOf(await topUps.conclude(known.topUpId, reference, fact.state === 'lost' ? 'lost' : 'won'));
}

/**
 * The credit portion of a refund or dispute: the same share as the credit had in the payment; the rest is tax. Rounded up, so
 * that parts adding up to the whole payment take all of the credit.
 */
function creditIn(
  { amountCents }: RefundFact | DisputeFact,
  { amount }: TopUp,
  paidCents: number | undefined,
): NanoUsd {
  const stated = nanoOfCents(amountCents);
  const paid = paidCents === undefined ? amount : nanoOfCents(paidCents);
  return paid > amount ? divideRoundingUp(stated * amount, paid) : stated;
}

async function topUpOf(deps: SettleDependencies, payment: string): Promise<PaidTopUp | Verdict> {
  const { store, provider, askSession } = deps;
  const linked = await store.findLink(provider, payment);
  if (linked !== undefined) return linked;
  if (!askSession) return parked('nothing is known of the payment yet');
  const session = await askSession(payment);
  if (!session?.topUpId) return ignored('the payment is not of this service');
  const verdict = await settleSession(deps, session);
  if (verdict.state !== 'done') return verdict;
  const now = await store.findLink(provider, payment);
  return now ?? parked('the payment has not arrived yet');
}

function verdictOf(result: Result<unknown>): Verdict {
  return result.ok ? { state: 'done' } : refused(result.failure);
}

/** What the ledger refuses needs a person; what it can't do now is retried. */
function refused(failure: Failure): Verdict {
  if (failure.kind === 'precondition_failed') return failed(failure.description);
  if (failure.kind === 'not_found') return failed(`no such ${failure.resource}`);
  return parked(failure.kind);
}

function parked(problem: string): Verdict {
  return { state: 'parked', problem };
}

function ignored(problem: string): Verdict {
  return { state: 'ignored', problem };
}

function failed(problem: string): Verdict {
  return { state: 'failed', problem };
}
