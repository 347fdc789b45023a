import type { Caller } from '../base/caller.ts';
import { type Failure, fail, invalid, type Result, succeed } from '../base/failure.ts';
import { maxOf, minOf, type NanoUsd } from '../base/money.ts';
import { present } from '../base/present.ts';
import { chooseWithOwn, type PricedRerankModel, priceOf } from '../catalog/index.ts';
import { type AnsweredInTurn, type CallOutcome, tryInTurn } from '../providers/index.ts';
import { watchOutcome } from '../telemetry/index.ts';
import { endingCharge, type OpenCharge, openCharge, payerOf, replyScope, settleInFull } from '../wallet/index.ts';
import { type Sizes, searchUnitsAtLeast, searchUnitsAtMost, sizesOf, tokensAbout, tokensAtMost } from './bounds.ts';
import { callModel, type Ranking } from './call-model.ts';
import { chooseModel } from './choose.ts';
import { countUsage, tokensIn } from './count-usage.ts';
import type { RerankingDeps } from './deps.ts';
import { offeredModels } from './offered-models.ts';
import { restoreReply, storeReply } from './stored-reply.ts';
import type { RerankCall, RerankReply, RerankRequest, RerankUsage } from './types.ts';

interface Prepared {
  routes: PricedRerankModel[];
  sizes: Sizes;
  /** The most that the request can cost, on any of its routes, and the most tokens that it is billed for. */
  ceiling: NanoUsd;
  tokensMost: number;
  minimum: NanoUsd;
  priceVersion: number;
}

/** After its deadline a request still has this long to be settled before its hold expires. */
const settleGraceMs = 60_000;

/**
 * One request, one charge: chooses the model, holds the most that the documents can cost, ranks them, and settles what that costs
 * before the reply is given. A caller who goes away changes only who hears the reply.
 */
export async function runRerank(
  deps: RerankingDeps,
  caller: Caller,
  request: RerankRequest,
  call: RerankCall,
): Promise<Result<RerankReply>> {
  const payer = payerOf(caller, 'chat');
  if (!payer.ok) return payer;
  const prepared = await prepare(deps, caller, request);
  if (!prepared.ok) return prepared;
  const { routes, ceiling, minimum, tokensMost, priceVersion } = prepared.value;
  const tokens = (await deps.reserveTokens?.(caller, tokensMost)) ?? succeed(undefined);
  if (!tokens.ok) return tokens;
  const opened = await openCharge(
    deps.ledger,
    present({
      ...payer.value,
      operation: 'rerank',
      provider: routes[0]?.model.provider,
      model: routes[0]?.model.id,
      providerKeyId: routes[0]?.ownKey?.id,
      priceVersion,
      requestId: call.requestId,
      ceiling,
      minimum,
      ttlMs: deps.deadlineMs + settleGraceMs,
      metadata: request.metadata,
      idempotency: call.idempotency && { scope: replyScope(payer.value), ...call.idempotency },
    }),
    tokens.value,
  );
  if (!opened.ok) return opened;
  if (opened.value.kind === 'replayed') {
    const { reply, receipt } = opened.value;
    return succeed(restoreReply(reply, { balance: receipt.balance, capLeft: receipt.capLeft }));
  }
  const { charge } = opened.value;
  return endingCharge(charge, () => answer(deps, charge, request, prepared.value, caller.accountId ?? ''));
}

async function prepare(deps: RerankingDeps, caller: Caller, request: RerankRequest): Promise<Result<Prepared>> {
  const owner = caller.accountId ?? '';
  const chosen = chooseWithOwn(request.ownKey, await offeredModels(deps, owner, request.ownKey), (offered) =>
    chooseModel(request, offered, caller.token?.models),
  );
  if (!chosen.ok) return chosen;
  // Of the book that its prices are from: it may be another one when the tokens are counted.
  const priceVersion = deps.catalog.version;
  const { routes } = chosen.value;
  const sizes = sizesOf(request.query, request.documents);
  const tooLong = await findTooLong(deps, owner, request, sizes, longestOf(routes));
  if (tooLong) return fail(tooLong);
  const ceiling = maxOf(
    routes.map((route) => priceOf(mostOf(route, sizes), route.price)).reduce((a, b) => maxOf(a, b)),
    1n,
  );
  const tokensMost = Math.max(
    ...routes.map(({ model, rerank }) => (rerank.bills === 'tokens' ? tokensAtMost(sizes, model.contextTokens) : 0)),
  );
  const least = routes[0] ? priceOf(leastOf(routes[0], sizes), routes[0].price) : 1n;
  return succeed({
    routes,
    sizes,
    priceVersion,
    ceiling,
    tokensMost,
    minimum: maxOf(least < ceiling ? least : ceiling, 1n),
  });
}

function longestOf(routes: readonly PricedRerankModel[]): number {
  return Math.max(...routes.map(({ model }) => model.contextTokens));
}

function mostOf({ model, rerank }: PricedRerankModel, sizes: Sizes) {
  return rerank.bills === 'tokens'
    ? { inputTokens: tokensAtMost(sizes, model.contextTokens), requests: 1 }
    : { searchUnits: searchUnitsAtMost(sizes, model.contextTokens), requests: 1 };
}

function leastOf({ rerank }: PricedRerankModel, sizes: Sizes) {
  return rerank.bills === 'tokens'
    ? { inputTokens: tokensAbout(sizes), requests: 1 }
    : { searchUnits: searchUnitsAtLeast(sizes), requests: 1 };
}

/** The first document that is longer than the model takes, with the query. Nothing is cut off without a word. */
async function findTooLong(
  { countTokens }: RerankingDeps,
  owner: string,
  { query, documents }: RerankRequest,
  sizes: Sizes,
  longest: number,
): Promise<Failure | undefined> {
  if (sizes.documents.every((bytes) => sizes.query + bytes <= longest)) return undefined;
  const queryTokens = await countTokens(owner, [query]);
  for (const [index, bytes] of sizes.documents.entries()) {
    if (queryTokens + bytes <= longest) continue;
    const tokens = queryTokens + (await countTokens(owner, [documents[index] ?? '']));
    // Tokenizers differ by a few percent, and in doubt the provider knows best.
    if (tokens > longest * 1.1)
      return invalid(
        `documents[${index}]`,
        `has with the query about ${tokens} tokens; this model takes at most ${longest}`,
      );
  }
  return undefined;
}

async function answer(
  deps: RerankingDeps,
  charge: OpenCharge,
  request: RerankRequest,
  prepared: Prepared,
  owner: string,
): Promise<Result<RerankReply>> {
  const routes = await payableRoutes(deps, charge, request, prepared, owner);
  if (!routes.ok) return routes;
  const ranked = await rank(deps, request, { ...prepared, routes: routes.value }, owner);
  if (!ranked.ok) {
    await charge.release(ranked.failure.kind);
    return ranked;
  }
  const { route, answer: ranking } = ranked.value;
  const { usage } = ranking;
  const { provider, id: model } = route.model;
  const cost = priceOf({ ...usage, requests: 1 }, route.price);
  const charged = cost < charge.amount ? cost : charge.amount;
  const reply = {
    ...{ id: charge.id, provider, model, results: ranking.results.slice(0, request.topN) },
    usage: { ...usage, cost: charged },
  };
  const paid = await settleInFull(charge, {
    ...{ cost, provider, model, usage: { ...usage, requests: 1 } },
    outcome: { attempts: ranked.value.attempts, modelLatencyMs: ranked.value.latencyMs },
    ...(route.ownKey ? { providerKeyId: route.ownKey.id } : {}),
    ...(charge.replayable ? { reply: storeReply(reply) } : {}),
  });
  if (!paid.ok) return paid;
  const { charged: taken, balance, capLeft } = paid.value;
  return succeed({ ...reply, usage: { ...usage, cost: taken }, balance, capLeft });
}

/** The routes that what is held pays for. Where that may be too little, the texts are counted for real before anything is called. */
async function payableRoutes(
  deps: RerankingDeps,
  { amount, balance }: OpenCharge,
  request: RerankRequest,
  { routes, ceiling, sizes }: Prepared,
  owner: string,
): Promise<Result<PricedRerankModel[]>> {
  if (amount >= ceiling) return succeed(routes);
  const payable: PricedRerankModel[] = [];
  const costs: NanoUsd[] = [];
  for (const route of routes) {
    const usage = await tokensIn(deps, { route, request, sizes, owner });
    const cost = priceOf({ ...usage, requests: 1 }, route.price);
    costs.push(cost);
    if (cost <= amount) payable.push(route);
  }
  if (payable.length > 0) return succeed(payable);
  return fail({ kind: 'insufficient_credit', balance, held: balance - amount, needed: costs.reduce(minOf) });
}

type Counted = Ranking & { usage: RerankUsage };

function rank(
  deps: RerankingDeps,
  request: RerankRequest,
  { routes, sizes }: Prepared,
  owner: string,
): Promise<Result<AnsweredInTurn<PricedRerankModel, Counted>>> {
  const { query, documents } = request;
  return tryInTurn({
    ...{ routes, breaker: deps.breaker, deadlineMs: deps.deadlineMs, field: 'documents' },
    ownKeys: deps.ownKeys,
    call: (route, signal) => {
      const { model, rerank, price, ownKey } = route;
      const { provider, id, upstreamModel } = model;
      const upstream = deps.providers.rerank(provider, upstreamModel, rerank.api, ownKey);
      if (!upstream) return undefined;
      const counted = async (): Promise<CallOutcome<Counted>> => {
        const ranked = await callModel(deps, {
          ...{ upstream, query, documents, signal, route: model.name, inputTokensMax: model.contextTokens },
          ownKey: ownKey !== undefined,
        });
        if (!ranked.ok) return ranked;
        const usage = await countUsage(deps, { route, request, sizes, owner, stated: ranked.answer });
        return { ok: true, answer: { ...ranked.answer, usage } };
      };
      return watchOutcome(
        deps.watchCall?.({ operation: 'rerank', provider, model: id, upstreamModel }),
        counted,
        (made) => {
          if (!made.ok) return { outcome: made.failure.outcome };
          const { usage } = made.answer;
          return { outcome: 'ok', usage, cost: priceOf({ ...usage, requests: 1 }, price) };
        },
      );
    },
  });
}
