import type { Caller } from '../base/caller.ts';
import { type Failure, fail, invalid, type Result, succeed } from '../base/failure.ts';
import { maxOf, type NanoUsd } from '../base/money.ts';
import { pick } from '../base/present.ts';
import { chooseWithOwn, type PricedRerankModel, priceOf, worstPriceOf } from '../catalog/index.ts';
import { type AnsweredInTurn, type CallOutcome, tryInTurn } from '../providers/index.ts';
import { watchOutcome } from '../telemetry/index.ts';
import { chargeWhole, type OpenCharge, payableRoutes, type QuotedWork, settleReply } from '../wallet/index.ts';
import { type Sizes, searchUnitsAtLeast, searchUnitsAtMost, sizesOf, tokensAbout, tokensAtMost } from './bounds.ts';
import { callModel, type Ranking } from './call-model.ts';
import { chooseModel } from './choose.ts';
import { countUsage, tokensIn } from './count-usage.ts';
import type { RerankingDeps } from './deps.ts';
import { offeredModels } from './offered-models.ts';
import { restoreReply, storeReply } from './stored-reply.ts';
import type { RerankCall, RerankReply, RerankRequest, RerankUsage } from './types.ts';

interface Prepared extends QuotedWork<PricedRerankModel> {
  sizes: Sizes;
}

/**
 * One request, one charge: chooses the model, holds the most that the documents can cost, ranks them, and settles the actual
 * cost before returning the reply. If the caller leaves, only the delivery is lost.
 */
export function runRerank(
  deps: RerankingDeps,
  caller: Caller,
  request: RerankRequest,
  call: RerankCall,
): Promise<Result<RerankReply>> {
  return chargeWhole(deps, {
    ...{ operation: 'rerank', caller, metadata: request.metadata, restore: restoreReply },
    ...pick(call, 'requestId', 'idempotency'),
    prepare: () => prepare(deps, caller, request),
    answer: (charge, prepared) => answer(deps, charge, request, prepared, caller.accountId ?? ''),
  });
}

async function prepare(deps: RerankingDeps, caller: Caller, request: RerankRequest): Promise<Result<Prepared>> {
  const owner = caller.accountId ?? '';
  const chosen = chooseWithOwn(request.ownKey, await offeredModels(deps, owner, request.ownKey), (offered) =>
    chooseModel(request, offered, caller.token?.models),
  );
  if (!chosen.ok) return chosen;
  // Read it now: the book may have changed by the time the tokens are counted.
  const priceVersion = deps.catalog.version;
  const { routes } = chosen.value;
  const sizes = sizesOf(request.query, request.documents);
  const tooLong = await findTooLong(deps, owner, request, sizes, longestOf(routes));
  if (tooLong) return fail(tooLong);
  const tokensMost = Math.max(
    ...routes.map(({ model, rerank }) => (rerank.bills === 'tokens' ? tokensAtMost(sizes, model.contextTokens) : 0)),
  );
  return succeed({
    ...{ routes, sizes, priceVersion, tokensMost },
    ceiling: routes.map((route) => worstOf(route, sizes)).reduce(maxOf),
    least: routes.map((route) => priceOf(leastOf(route, sizes), route.price)),
  });
}

function longestOf(routes: readonly PricedRerankModel[]): number {
  return Math.max(...routes.map(({ model }) => model.contextTokens));
}

/** With tiers, fewer tokens than the most may cost more. */
function worstOf({ model, rerank, price }: PricedRerankModel, sizes: Sizes): NanoUsd {
  return rerank.bills === 'tokens'
    ? worstPriceOf({ inputTokens: tokensAtMost(sizes, model.contextTokens), outputTokens: 0 }, price)
    : priceOf({ searchUnits: searchUnitsAtMost(sizes, model.contextTokens), requests: 1 }, price);
}

function leastOf({ rerank }: PricedRerankModel, sizes: Sizes) {
  return rerank.bills === 'tokens'
    ? { inputTokens: tokensAbout(sizes), requests: 1 }
    : { searchUnits: searchUnitsAtLeast(sizes), requests: 1 };
}

/** The first document that together with the query is longer than the model takes. Nothing is truncated silently. */
async function findTooLong(
  deps: RerankingDeps,
  owner: string,
  request: RerankRequest,
  sizes: Sizes,
  longest: number,
): Promise<Failure | undefined> {
  if (sizes.documents.every((bytes) => sizes.query + bytes <= longest)) return undefined;
  return deps.checkInTurn(owner, () => countTooLong(deps, owner, request, sizes, longest));
}

async function countTooLong(
  { countTokens }: Pick<RerankingDeps, 'countTokens'>,
  owner: string,
  { query, documents }: RerankRequest,
  sizes: Sizes,
  longest: number,
): Promise<Failure | undefined> {
  const queryTokens = await countTokens(owner, [query]);
  for (const [index, bytes] of sizes.documents.entries()) {
    if (queryTokens + bytes <= longest) continue;
    const tokens = queryTokens + (await countTokens(owner, [documents[index] ?? '']));
    // Tokenizers differ by a few percent; when in doubt, let the provider decide.
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
  const { sizes } = prepared;
  const routes = await payableRoutes(charge, prepared, async (route) =>
    priceOf({ ...(await tokensIn(deps, { route, request, sizes, owner })), requests: 1 }, route.price),
  );
  if (!routes.ok) return routes;
  const ranked = await rank(deps, request, { sizes, routes: routes.value }, owner);
  if (!ranked.ok) {
    await charge.release(ranked.failure.kind);
    return ranked;
  }
  const { route, answer: ranking } = ranked.value;
  const { provider, id: model } = route.model;
  const { usage } = ranking;
  return settleReply(charge, {
    ...{ from: ranked.value, usage, store: storeReply },
    cost: priceOf({ ...usage, requests: 1 }, route.price),
    replyAt: (cost) => ({
      ...{ id: charge.id, provider, model, results: ranking.results.slice(0, request.topN) },
      usage: { ...usage, cost },
    }),
  });
}

type Counted = Ranking & { usage: RerankUsage };

function rank(
  deps: RerankingDeps,
  request: RerankRequest,
  { routes, sizes }: Pick<Prepared, 'routes' | 'sizes'>,
  owner: string,
): Promise<Result<AnsweredInTurn<PricedRerankModel, Counted>>> {
  const { query, documents } = request;
  return tryInTurn({
    ...{ routes, account: owner, breaker: deps.breaker, deadlineMs: deps.deadlineMs, field: 'documents' },
    ownKeys: deps.ownKeys,
    call: (route, signal) => {
      const { model, rerank, price, ownKey } = route;
      const { provider, id, upstreamModel } = model;
      const upstream = deps.providers.rerank(provider, upstreamModel, rerank.api, ownKey);
      if (!upstream) return undefined;
      const counted = async (): Promise<CallOutcome<Counted>> => {
        const ranked = await callModel(deps, {
          ...{ upstream, owner, query, documents, signal, route: model.name, inputTokensMax: model.contextTokens },
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
