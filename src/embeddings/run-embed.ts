import type { Caller } from '../base/caller.ts';
import { type Failure, fail, invalid, type Result, succeed } from '../base/failure.ts';
import { maxOf } from '../base/money.ts';
import { pick } from '../base/present.ts';
import { chooseWithOwn, type PricedEmbeddingModel, priceOf, worstPriceOf } from '../catalog/index.ts';
import { type AnsweredInTurn, tryInTurn } from '../providers/index.ts';
import { watchOutcome } from '../telemetry/index.ts';
import { chargeWhole, type OpenCharge, payableRoutes, type QuotedWork, settleReply } from '../wallet/index.ts';
import { callBatches, type Vectors } from './call-batches.ts';
import { type Choice, chooseModel } from './choose.ts';
import type { EmbeddingsDeps } from './deps.ts';
import { offeredModels } from './offered-models.ts';
import { restoreReply, storeReply } from './stored-reply.ts';
import { bytesOf, inputTokensAbout, inputTokensAtMost } from './tokens.ts';
import type { EmbedCall, EmbedReply, EmbedRequest } from './types.ts';

interface Prepared extends QuotedWork<PricedEmbeddingModel> {
  dimensions: number;
}

/**
 * One request, one charge: chooses the model, holds the most that the inputs can cost, makes all vectors, and settles the
 * actual cost before returning the reply. If the caller leaves, only the delivery is lost.
 */
export function runEmbed(
  deps: EmbeddingsDeps,
  caller: Caller,
  request: EmbedRequest,
  call: EmbedCall,
): Promise<Result<EmbedReply>> {
  return chargeWhole(deps, {
    ...{ operation: 'embedding', caller, metadata: request.metadata, restore: restoreReply },
    ...pick(call, 'requestId', 'idempotency'),
    prepare: () => prepare(deps, caller, request),
    answer: (charge, prepared) => answer(deps, charge, request, prepared, caller.accountId ?? ''),
  });
}

/** The model for a request, and the keys to call it with. */
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
  // Read it now: the book may have changed by the time the tokens are counted.
  const priceVersion = deps.catalog.version;
  const { routes, dimensions } = chosen.value;
  const longest = Math.max(...routes.map(({ model }) => model.contextTokens));
  const sizes = request.inputs.map(bytesOf);
  const tooLong = sizes.some((bytes) => bytes > longest)
    ? await deps.checkInTurn(owner, () => findTooLong(deps, owner, request.inputs, sizes, longest))
    : undefined;
  if (tooLong) return fail(tooLong);
  const most = (inputTokensMax: number) =>
    sizes.reduce((sum, bytes) => sum + inputTokensAtMost(bytes, inputTokensMax), 0);
  // With tiers, fewer tokens than the most may cost more.
  const worstOf = ({ model, price }: PricedEmbeddingModel) =>
    worstPriceOf({ inputTokens: most(model.contextTokens), outputTokens: 0 }, price);
  const about = sizes.reduce((sum, bytes) => sum + inputTokensAbout(bytes), 0);
  return succeed({
    ...{ routes, dimensions, priceVersion, tokensMost: most(longest) },
    ceiling: routes.map(worstOf).reduce(maxOf, 0n),
    least: routes.map(({ price }) => priceOf({ inputTokens: about, requests: 1 }, price)),
  });
}

/** The first input that is longer than the model takes. */
async function findTooLong(
  { countTokens }: Pick<EmbeddingsDeps, 'countTokens'>,
  owner: string,
  inputs: readonly string[],
  sizes: readonly number[],
  longest: number,
): Promise<Failure | undefined> {
  for (const [index, bytes] of sizes.entries()) {
    if (bytes <= longest) continue;
    const counted = await countTokens(owner, [inputs[index] ?? '']);
    // Tokenizers differ by a few percent; when in doubt, let the provider decide.
    if (counted > longest * 1.1)
      return invalid(`inputs[${index}]`, `has about ${counted} tokens; this model takes at most ${longest}`);
  }
  return undefined;
}

async function answer(
  deps: EmbeddingsDeps,
  charge: OpenCharge,
  request: EmbedRequest,
  prepared: Prepared,
  owner: string,
): Promise<Result<EmbedReply>> {
  let counting: Promise<number> | undefined;
  const routes = await payableRoutes(charge, prepared, async ({ price }) => {
    counting ??= deps.countTokens(owner, request.inputs);
    return priceOf({ inputTokens: await counting, requests: 1 }, price);
  });
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
  return settleReply(charge, {
    ...{ from: made.value, usage, store: storeReply },
    cost: priceOf({ inputTokens: usage.inputTokens, requests: 1 }, route.price),
    replyAt: (cost) => ({
      ...{ id: charge.id, provider, model, dimensions: prepared.dimensions, values },
      usage: { ...usage, cost },
    }),
  });
}

function embed(
  deps: EmbeddingsDeps,
  request: EmbedRequest,
  { routes, dimensions }: Pick<Prepared, 'routes' | 'dimensions'>,
  owner: string,
): Promise<Result<AnsweredInTurn<PricedEmbeddingModel, Vectors>>> {
  return tryInTurn({
    ...{ routes, account: owner, breaker: deps.breaker, deadlineMs: deps.deadlineMs, field: 'inputs' },
    ownKeys: deps.ownKeys,
    call: ({ model, embedding, price, ownKey }, signal) => {
      const { provider, id, upstreamModel } = model;
      const upstream = deps.providers.embed(provider, upstreamModel, ownKey);
      if (!upstream) return undefined;
      return watchOutcome(
        deps.watchCall?.({ operation: 'embeddings', provider, model: id, upstreamModel, dimensions }),
        async () => {
          const made = await callBatches(deps, {
            ...{ upstream, dimensions, owner, signal, route: model.name, inputs: request.inputs },
            shortened: dimensions !== embedding.dimensions,
            inputTokensMax: model.contextTokens,
            ownKey: ownKey !== undefined,
          });
          if (!made.ok && made.lostTokens > 0 && !ownKey)
            deps.unpaid.note(owner, priceOf({ inputTokens: made.lostTokens, requests: 0 }, price));
          return made;
        },
        (made) => {
          if (!made.ok) return { outcome: made.failure.outcome };
          const { usage } = made.answer;
          return { outcome: 'ok', usage, cost: priceOf({ inputTokens: usage.inputTokens, requests: 1 }, price) };
        },
      );
    },
  });
}
