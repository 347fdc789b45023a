import type { Caller } from '../base/caller.ts';
import { fail, type Result, succeed } from '../base/failure.ts';
import { maxOf, minOf, type NanoUsd } from '../base/money.ts';
import { present } from '../base/present.ts';
import type { HoldRequest, IdempotencyKey, Ledger, Usage } from './ledger/ledger.ts';
import {
  dueOf,
  endingCharge,
  type Funds,
  type OpenCharge,
  openCharge,
  type ReserveTokens,
  settleInFull,
} from './open-charge.ts';
import { payerOf, replyScope } from './payer.ts';

/** A model that may answer, and the account's own key used to call it. */
export interface PaidRoute {
  model: { provider: string; id: string };
  ownKey?: { id: string };
}

/** A request that is parsed and quoted, and has not cost anything yet. */
export interface QuotedWork<Route extends PaidRoute> {
  /** In the order in which they are tried. */
  routes: readonly Route[];
  /** The most that the request can cost on any of its routes, and the most tokens it can be billed for. */
  ceiling: NanoUsd;
  tokensMost: number;
  /** The price book version that the quote is based on. */
  priceVersion: number;
  /** Roughly the least that each route costs. */
  least: readonly NanoUsd[];
}

export interface ChargingDeps {
  ledger: Ledger;
  /** Counts model tokens per minute; absent: no limit. */
  reserveTokens?: ReserveTokens;
  /** How long all calls of one request may take in total. */
  deadlineMs: number;
}

/** The parts of a reply that describe the moment rather than the reply: a retry gets the values at its own time. */
export interface Momentary {
  /** The wallet's balance after this charge. */
  balance: NanoUsd;
  /** What is left of the end user's own cap, if known. */
  capLeft?: NanoUsd | undefined;
}

export interface Work<Quoted, Reply> {
  operation: string;
  caller: Caller;
  requestId?: string | undefined;
  metadata?: HoldRequest['metadata'] | undefined;
  idempotency?: Omit<IdempotencyKey, 'scope'> | undefined;
  prepare(): Promise<Result<Quoted>>;
  restore(stored: Uint8Array, now: Momentary): Reply;
  /** Settles or releases the charge. */
  answer(charge: OpenCharge, quoted: Quoted): Promise<Result<Reply>>;
}

/** How long after its deadline a request can still be settled before its hold expires. */
const settleGraceMs = 60_000;

/**
 * One request, one charge: holds the most that it can cost, or as much of that as there is credit for if that may pay for one of
 * its routes, and has it answered; or returns the earlier reply to the same request.
 */
export async function chargeWhole<Quoted extends QuotedWork<PaidRoute>, Reply>(
  { ledger, reserveTokens, deadlineMs }: ChargingDeps,
  { operation, caller, requestId, metadata, idempotency, ...work }: Work<Quoted, Reply>,
): Promise<Result<Reply>> {
  const payer = payerOf(caller, 'chat');
  if (!payer.ok) return payer;
  const quoted = await work.prepare();
  if (!quoted.ok) return quoted;
  const { routes, ceiling, least, tokensMost, priceVersion } = quoted.value;
  const tokens = (await reserveTokens?.(caller, tokensMost)) ?? succeed(undefined);
  if (!tokens.ok) return tokens;
  const [first] = routes;
  const opened = await openCharge(
    ledger,
    present({
      ...payer.value,
      operation,
      provider: first?.model.provider,
      model: first?.model.id,
      providerKeyId: first?.ownKey?.id,
      priceVersion,
      requestId,
      // A hold is at least 1 nano-USD, even for a model that costs nothing.
      ceiling: maxOf(ceiling, 1n),
      minimum: maxOf(least.reduce(minOf, ceiling), 1n),
      ttlMs: deadlineMs + settleGraceMs,
      metadata,
      idempotency: idempotency && { scope: replyScope(payer.value), ...idempotency },
    }),
    tokens.value,
  );
  if (!opened.ok) return opened;
  if (opened.value.kind === 'replayed') {
    const { reply, receipt } = opened.value;
    return succeed(work.restore(reply, { balance: receipt.balance, capLeft: receipt.capLeft }));
  }
  const { charge } = opened.value;
  return endingCharge(charge, () => work.answer(charge, quoted.value));
}

/** The routes that the held credit pays for. If it may be too little, `costOf` computes the exact cost before anything is called. */
export async function payableRoutes<Route extends PaidRoute>(
  { amount, balance }: Funds,
  { routes, ceiling }: QuotedWork<Route>,
  costOf: (route: Route) => Promise<NanoUsd>,
): Promise<Result<readonly Route[]>> {
  if (amount >= ceiling) return succeed(routes);
  const payable: Route[] = [];
  const costs: NanoUsd[] = [];
  for (const route of routes) {
    const cost = await costOf(route);
    costs.push(cost);
    if (cost <= amount) payable.push(route);
  }
  if (payable.length > 0) return succeed(payable);
  return fail({ kind: 'insufficient_credit', balance, held: balance - amount, needed: costs.reduce(minOf) });
}

/** A reply that arrived: which route gave it, after how many attempts, and what it costs. */
interface Given<Reply> {
  from: { route: PaidRoute; attempts: number; latencyMs: number };
  cost: NanoUsd;
  usage: Usage;
  /** Builds the reply that states this charge, and what to store of it for a retry; undefined: it is not kept. */
  replyAt(due: NanoUsd): Reply;
  store(reply: Reply): Uint8Array | undefined;
}

/** Settles a reply, which is delivered only if it is paid in full. */
export async function settleReply<Reply extends object>(
  charge: Funds,
  { from: { route, attempts, latencyMs }, cost, usage, replyAt, store }: Given<Reply>,
): Promise<Result<Reply & Momentary>> {
  const paid = await settleInFull(
    charge,
    present({
      ...{ cost, provider: route.model.provider, model: route.model.id, providerKeyId: route.ownKey?.id },
      usage: { ...usage, requests: 1 },
      outcome: { attempts, modelLatencyMs: latencyMs },
      reply: charge.replayable ? store(replyAt(minOf(cost, charge.ceiling))) : undefined,
    }),
  );
  if (!paid.ok) return paid;
  const { balance, capLeft } = paid.value;
  return succeed({ ...replyAt(dueOf(paid.value)), balance, capLeft });
}
