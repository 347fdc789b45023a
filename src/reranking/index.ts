import type { Caller } from '../base/caller.ts';
import type { Result } from '../base/failure.ts';
import { orAborted } from '../base/or-aborted.ts';
import { createUnderWay } from '../base/under-way.ts';
import { namesModel, type PricedRerankModel } from '../catalog/index.ts';
import type { RerankingDeps } from './deps.ts';
import { offeredModels } from './offered-models.ts';
import { runRerank } from './run-rerank.ts';
import type { RerankCall, RerankReply, RerankRequest } from './types.ts';

export type { Overrun } from './deps.ts';
export type { RerankCall, RerankReply, RerankRequest, RerankUsage } from './types.ts';

/** Ranks documents by their relevance to a query, paid per request. */
export interface Reranking {
  /**
   * Ranks the documents: holds their maximum cost, calls the model, and settles the actual cost. Fails like `Ledger.hold`, and
   * with `invalid_argument`, `rate_limited`, `upstream_failed`, `upstream_timeout` or `cancelled`; a failure is not charged. If
   * the caller leaves, the request is still completed and paid for.
   */
  run(caller: Caller, request: RerankRequest, call: RerankCall): Promise<Result<RerankReply>>;
  /** The models a caller can use now, by name, at its account's prices; needs no credit. */
  models(caller: Caller, provider?: string): Promise<PricedRerankModel[]>;
  /** Resolves once no requests are in flight. */
  drained(): Promise<void>;
}

const rerankDeadlineMs = 60_000;

type Options = Omit<RerankingDeps, 'deadlineMs'> & Partial<Pick<RerankingDeps, 'deadlineMs'>>;

/** Combines wallet, catalog and providers into reranking. */
export function createReranking(options: Options): Reranking {
  const deps: RerankingDeps = { deadlineMs: rerankDeadlineMs, ...options };
  const underWay = createUnderWay();
  return {
    models: async (caller, provider) =>
      (await offeredModels(deps, caller.accountId ?? '', undefined))
        .filter(({ model }) => !provider || model.provider === provider)
        .filter(({ model }) => !caller.token?.models || namesModel(model, caller.token.models))
        .toSorted((a, b) => (a.model.name < b.model.name ? -1 : 1)),
    run(caller, request, call) {
      const work = runRerank(deps, caller, request, call);
      underWay.track(work);
      call.outlast?.(work);
      return orAborted(work, call.signal);
    },
    drained: underWay.drained,
  };
}
