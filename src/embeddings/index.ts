import type { Caller } from '../base/caller.ts';
import { fail, type Result, resultOf } from '../base/failure.ts';
import { orAborted } from '../base/or-aborted.ts';
import { createUnderWay } from '../base/under-way.ts';
import { namesModel, type PricedEmbeddingModel } from '../catalog/index.ts';
import { createUnpaidWork } from '../limits/index.ts';
import type { EmbeddingsDeps } from './deps.ts';
import { offeredModels } from './offered-models.ts';
import { chooseFor, runEmbed } from './run-embed.ts';
import type { EmbedCall, EmbedReply, EmbedRequest } from './types.ts';

export type { Overrun } from './deps.ts';
export { bytesOf } from './stored-reply.ts';
export type { EmbedCall, EmbedReply, EmbedRequest, EmbedUsage } from './types.ts';

/** Embeddings of texts, paid per request. */
export interface Embeddings {
  /**
   * Embeds each input: holds their maximum cost, calls the model, and settles the actual cost. Fails like `Ledger.hold`, and
   * with `invalid_argument`, `rate_limited`, `overloaded`, `upstream_failed`, `upstream_timeout` or `cancelled`; a failure is
   * not charged. If the caller leaves, the request is still completed and paid for.
   */
  run(caller: Caller, request: EmbedRequest, call: EmbedCall): Promise<Result<EmbedReply>>;
  /** The models a caller can use now, by name, at its account's prices; needs no credit. */
  models(caller: Caller, provider?: string): Promise<PricedEmbeddingModel[]>;
  /** How many numbers a request's vectors would have in total; fails if no model can make them. */
  valuesOf(caller: Caller, request: EmbedRequest): Promise<Result<number>>;
  /** Resolves once no requests are in flight. */
  drained(): Promise<void>;
}

/** 128 MiB of vectors: ten requests of 2,048 inputs with 1,536 numbers each. */
const valuesInFlightMax = 33_554_432;
const embedDeadlineMs = 120_000;
const retryAfterMs = 1_000;

/** What was made in vain. */
const halves = 'embeddings whose request failed in another part';

type Defaulted = 'deadlineMs' | 'unpaid' | 'valuesInFlightMax';
type Options = Omit<EmbeddingsDeps, Defaulted> & Partial<Pick<EmbeddingsDeps, Defaulted>>;

/** Combines wallet, catalog and providers into embeddings. */
export function createEmbeddings(options: Options): Embeddings {
  const unpaid = createUnpaidWork(options.clock, halves);
  const deps: EmbeddingsDeps = { deadlineMs: embedDeadlineMs, valuesInFlightMax, unpaid, ...options };
  const underWay = createUnderWay();
  let valuesInFlight = 0;
  const valuesOfAccounts = new Map<string, number>();

  /** Reserves room for this many numbers; undefined if there is none. One account may use more than half of it only with a single request. */
  function takeRoom(accountId: string, values: number): (() => void) | undefined {
    const own = (valuesOfAccounts.get(accountId) ?? 0) + values;
    if (valuesInFlight + values > deps.valuesInFlightMax) return undefined;
    if (own > values && own > deps.valuesInFlightMax / 2) return undefined;
    valuesInFlight += values;
    valuesOfAccounts.set(accountId, own);
    return () => {
      valuesInFlight -= values;
      const left = (valuesOfAccounts.get(accountId) ?? 0) - values;
      if (left > 0) valuesOfAccounts.set(accountId, left);
      else valuesOfAccounts.delete(accountId);
    };
  }

  const models = async (caller: Caller, provider?: string) =>
    (await offeredModels(deps, caller.accountId ?? '', undefined))
      .filter(({ model }) => !provider || model.provider === provider)
      .filter(({ model }) => !caller.token?.models || namesModel(model, caller.token.models))
      .toSorted((a, b) => (a.model.name < b.model.name ? -1 : 1));

  async function valuesOf(caller: Caller, request: EmbedRequest): Promise<Result<number>> {
    const chosen = await chooseFor(deps, caller, request);
    return chosen.ok ? { ok: true, value: chosen.value.dimensions * request.inputs.length } : chosen;
  }

  async function runWithRoom(caller: Caller, request: EmbedRequest, call: EmbedCall): Promise<Result<EmbedReply>> {
    const wanted = await valuesOf(caller, request);
    if (!wanted.ok) return wanted;
    const giveBack = takeRoom(caller.accountId ?? '', wanted.value);
    if (!giveBack) return fail({ kind: 'overloaded', retryAfterMs });
    const work = resultOf(() => runEmbed(deps, caller, request, call));
    // A reply waiting to be read takes as much memory as one in progress.
    work.then(({ ok }) => (ok ? call.left?.() : undefined)).then(giveBack, giveBack);
    return work;
  }

  return {
    models,
    valuesOf,
    run(caller, request, call) {
      const work = runWithRoom(caller, request, call);
      underWay.track(work);
      call.outlast?.(work);
      return orAborted(work, call.signal);
    },
    drained: underWay.drained,
  };
}
