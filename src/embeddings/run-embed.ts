import type { Caller } from '../base/caller.ts';
import { fail, invalid, type Result, succeed } from '../base/failure.ts';
import { maxOf, minOf, type NanoUsd } from '../base/money.ts';
import { present } from '../base/present.ts';
import { chooseWithOwn, type PricedEmbeddingModel, priceOf } from '../catalog/index.ts';
import { type AnsweredInTurn, tryInTurn } from '../providers/index.ts';
import { watchOutcome } from '../telemetry/index.ts';
import { endingCharge, type OpenCharge, openCharge, payerOf, replyScope, settleInFull } from '../wallet/index.ts';
import { callBatches, type Vectors } from './call-batches.ts';
import { type Choice, chooseModel } from './choose.ts';
import type { EmbeddingsDeps } from './deps.ts';
import { offeredModels } from './offered-models.ts';
import { restoreReply, storeReply } from './stored-reply.ts';
import { bytesOf, inputTokensAbout, inputTokensAtMost } from './tokens.ts';
import type { EmbedCall, EmbedReply, EmbedRequest } from './types.ts';

interface Prepared {
  routes: PricedEmbeddingModel[];
  dimensions: number;
  /** The most that the request can cost, on any of its routes, and the most tokens. */
  ceiling: NanoUsd;
  tokensMost: number;
  minimum: NanoUsd;
  priceVersion: number;
}

/** After its deadline a request still has this long to be settled before its hold expires. */
const settleGraceMs = 60_000;

/**
 * One request, one charge: chooses the model, holds the most that the inputs can cost, makes all vectors, and settles what they cost
 * before the reply is given. A caller who goes away changes only who hears the reply.
 */
export async function runEmbed(
  deps: EmbeddingsDeps,
  caller: Caller,
  request: EmbedRequest,
  call: EmbedCall,
): Promise<Result<EmbedReply>> {
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
      operation: 'embedding',
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

/** The model for a request, and the keys that it is called with. */
export async function chooseFor(
  deps: Pick<EmbeddingsDeps, 'catalog' | 'ownKeys'>,
  caller: Caller,
  request: EmbedRequest,
): Promise<Result<Choice>> {
  const offered = await offeredModels(deps, caller.accountId ?? '', request.ownKey);
  return chooseWithOwn(request.ownKey, offered, (models) => chooseModel(request, models, caller.token?.models));
}

async function prepare(deps: EmbeddingsDeps, caller: Caller, request: EmbedRequest): Promise<Result<Prepared>> {
  const owner = caller.accountId ?? '';
  const chosen = await chooseFor(deps, caller, request);
  if (!chosen.ok) return chosen;
  // Of the book that its prices are from: it may be another one when the tokens are counted.
  const priceVersion = deps.catalog.version;
  const { routes, dimensions } = chosen.value;
  const longest = Math.max(...routes.map(({ model }) => model.contextTokens));
  const sizes = request.inputs.map(bytesOf);
  for (const [index, bytes] of sizes.entries()) {
    if (bytes <= longest) continue;
    const counted = await deps.countTokens(owner, [request.inputs[index] ?? '']);
    // Tokenizers differ by a few percent, and in doubt the provider knows best.
    if (counted > longest * 1.1)
      return fail(invalid(`inputs[${index}]`, `has about ${counted} tokens; this model takes at most ${longest}`));
  }
  const most = (inputTokensMax: number) =>
    sizes.reduce((sum, bytes) => sum + inputTokensAtMost(bytes, inputTokensMax), 0);
  const costs = routes.map(({ model, price }) =>
    priceOf({ inputTokens: most(model.contextTokens), requests: 1 }, price),
  );
  const ceiling = maxOf(costs.reduce(maxOf, 0n), 1n);
  const about = sizes.reduce((sum, bytes) => sum + inputTokensAbout(bytes), 0);
  const least = priceOf({ inputTokens: about, requests: 1 }, routes[0]?.price ?? {});
  return succeed({
    ...{ routes, dimensions, priceVersion, ceiling, tokensMost: most(longest) },
    minimum: maxOf(least < ceiling ? least : ceiling, 1n),
  });
}

async function answer(
  deps: EmbeddingsDeps,
  charge: OpenCharge,
  request: EmbedRequest,
  prepared: Prepared,
  owner: string,
): Promise<Result<EmbedReply>> {
  const routes = await payableRoutes(deps, charge, request, prepared, owner);
  if (!routes.ok) return routes;
  const made = await embed(deps, request, { ...prepared, routes: routes.value }, owner);
  if (!made.ok) {
    await charge.release(made.failure.kind);
    return made;
  }
  const { route, answer: vectors } = made.value;
  const { provider, id: model } = route.model;
  for (const overrun of vectors.overruns) deps.overran?.({ provider, model, what: 'input', ...overrun });
  const { usage, values } = vectors;
  const cost = priceOf({ inputTokens: usage.inputTokens, requests: 1 }, route.price);
  const charged = cost < charge.amount ? cost : charge.amount;
  const reply = {
    ...{ id: charge.id, provider, model, dimensions: prepared.dimensions, values },
    usage: { ...usage, cost: charged },
  };
  const stored = charge.replayable ? storeReply(reply) : undefined;
  const paid = await settleInFull(charge, {
    ...{ cost, provider, model, usage: { ...usage, requests: 1 } },
    outcome: { attempts: made.value.attempts, modelLatencyMs: made.value.latencyMs },
    ...(route.ownKey ? { providerKeyId: route.ownKey.id } : {}),
    ...(stored ? { reply: stored } : {}),
  });
  if (!paid.ok) return paid;
  const { charged: taken, balance, capLeft } = paid.value;
  return succeed({ ...reply, usage: { ...usage, cost: taken }, balance, capLeft });
}

/** The routes that what is held pays for. Where that may be too little, the inputs are counted for real before anything is called. */
async function payableRoutes(
  deps: EmbeddingsDeps,
  { amount, balance }: OpenCharge,
  { inputs }: EmbedRequest,
  { routes, ceiling }: Prepared,
  owner: string,
): Promise<Result<PricedEmbeddingModel[]>> {
  if (amount >= ceiling) return succeed(routes);
  const inputTokens = await deps.countTokens(owner, inputs);
  const costOf = ({ price }: PricedEmbeddingModel) => priceOf({ inputTokens, requests: 1 }, price);
  const payable = routes.filter((route) => costOf(route) <= amount);
  if (payable.length > 0) return succeed(payable);
  const needed = routes.map(costOf).reduce(minOf);
  return fail({ kind: 'insufficient_credit', balance, held: balance - amount, needed });
}

function embed(
  deps: EmbeddingsDeps,
  request: EmbedRequest,
  { routes, dimensions }: Prepared,
  owner: string,
): Promise<Result<AnsweredInTurn<PricedEmbeddingModel, Vectors>>> {
  return tryInTurn({
    ...{ routes, breaker: deps.breaker, deadlineMs: deps.deadlineMs, field: 'inputs' },
    ownKeys: deps.ownKeys,
    call: ({ model, embedding, price, ownKey }, signal) => {
      const { provider, id, upstreamModel } = model;
      const upstream = deps.providers.embed(provider, upstreamModel, ownKey);
      if (!upstream) return undefined;
      return watchOutcome(
        deps.watchCall?.({ operation: 'embeddings', provider, model: id, upstreamModel, dimensions }),
        () =>
          callBatches(deps, {
            ...{ upstream, dimensions, owner, signal, route: model.name, inputs: request.inputs },
            shortened: dimensions !== embedding.dimensions,
            inputTokensMax: model.contextTokens,
            ownKey: ownKey !== undefined,
          }),
        (made) => {
          if (!made.ok) return { outcome: made.failure.outcome };
          const { usage } = made.answer;
          return { outcome: 'ok', usage, cost: priceOf({ inputTokens: usage.inputTokens, requests: 1 }, price) };
        },
      );
    },
  });
}
