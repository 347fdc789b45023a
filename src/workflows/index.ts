import type { Logger } from 'pino';
import type { Caller } from '../base/caller.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import type { Result } from '../base/failure.ts';
import type { NanoUsd } from '../base/money.ts';
import type { Database } from '../db/index.ts';
import { createUnpaidWork } from '../limits/index.ts';
import type { Sandbox } from '../sandbox/index.ts';
import type { Ledger } from '../wallet/index.ts';
import type { Assistable } from './assist/deps.ts';
import type { Assistant } from './assistant.ts';
import { type BatchItem, type BatchTerms, runBatch } from './batch.ts';
import type { Paid, WorkflowCall } from './charged-run.ts';
import { createDefinitions, type Definitions } from './custom/index.ts';
import type { DefinitionQuotas } from './custom/quotas.ts';
import { type CustomReply, type CustomRequest, runWorkflow } from './custom/run-workflow.ts';
import { createToldResults } from './custom/sample-results.ts';
import { createDrafts, type Drafts } from './drafts/index.ts';
import { type AnyRequest, estimateWorkflow, type WorkflowEstimate } from './estimate.ts';
import { families, type ReplyFor, type RequestFor, type RunnableFamily } from './families.ts';
import type { FamilyReply } from './family.ts';
import { listPacks, type PackList } from './list-packs.ts';
import type { OwnPacks } from './own-packs/index.ts';
import { listPrices, type PriceList } from './prices.ts';
import { runFamily } from './run-family.ts';

export type { Assistant, ModelRequest } from './assistant.ts';
export type { BatchItem, BatchTerms } from './batch.ts';
export { createPace } from './batch-pace.ts';
export type { Paid, WorkflowCall } from './charged-run.ts';
export type { Definitions, WorkflowName } from './custom/index.ts';
export type { CustomReply } from './custom/run-workflow.ts';
export type { Drafts } from './drafts/index.ts';
export type { AnyRequest, WorkflowEstimate } from './estimate.ts';
export { jsonOf } from './family.ts';
export { workflowInvariants } from './invariants.ts';
export type { PackList } from './list-packs.ts';
export { createOwnPacks, type OwnPacks } from './own-packs/index.ts';
export type { OwnRules } from './own-packs/rules.ts';
export type { PriceList } from './prices.ts';
export { type Sighting, sightingsIn } from './sightings.ts';

/** The families whose replies are not stored. */
export type ChargedFamily = 'guidance' | 'readiness' | 'risk' | 'decision' | 'scoring';

/** Structured business outputs: typed requests, typed replies, the same answer for the same input, paid per request. */
export interface Workflows {
  /**
   * Runs one request of a family. Fails like `Ledger.hold`, and with `invalid_argument`, `precondition_failed` (no price)
   * or `overloaded`; a failure costs nothing.
   */
  run<Name extends ChargedFamily>(
    name: Name,
    caller: Caller,
    request: RequestFor<Name>,
    call: WorkflowCall,
  ): Promise<Result<Paid<ReplyFor<Name>>>>;
  /** Creates a draft and stores it for review. */
  draft(caller: Caller, request: RequestFor<'draft'>, call: WorkflowCall): Promise<Result<Paid<ReplyFor<'draft'>>>>;
  /**
   * Runs a client's own workflow on an input. Also fails with `not_found`, and with `upstream_failed` if a model is required
   * and gave nothing that fits.
   */
  runCustom(caller: Caller, request: CustomRequest, call: WorkflowCall): Promise<Result<Paid<CustomReply>>>;
  /** What a request of any family would cost; fails as the request would before it is charged, and costs nothing. */
  estimate(caller: Caller, any: AnyRequest, signal: AbortSignal): Promise<Result<WorkflowEstimate>>;
  /** Runs many requests, each charged or refused on its own; returns one result for each, in order. See `runBatch`. */
  batch<Reply>(items: readonly BatchItem<Reply>[], terms: BatchTerms<Reply>): Promise<Result<Reply>[]>;
  readonly drafts: Drafts;
  readonly definitions: Definitions;
  /** What a family knows, or all families if `family` is empty; derived from the packs that run. */
  packs(family: string): PackList;
  prices(accountId: string): { family: string; price: NanoUsd; unit: string }[];
}

/** What models were asked for in vain. */
const misfits = "answers of models that did not fit a workflow's output schema";

export function createWorkflows(options: {
  db: Database;
  ledger: Ledger;
  prices: PriceList;
  log: Logger;
  clock?: Clock;
  /** Undefined: rules alone. */
  assistant?: Assistant;
  sandbox: Sandbox;
  /** Accounts' own risk packs; absent: there are none. */
  ownPacks?: Pick<OwnPacks, 'of'>;
  quotas?: Partial<DefinitionQuotas>;
  /** Whether judgements are stored with their charges, so that outcomes can be reported on them. Default: yes. */
  keepJudgements?: boolean;
}): Workflows {
  const { sandbox } = options;
  const drafts = createDrafts({ db: options.db, clock: options.clock ?? systemClock });
  const told = createToldResults(options.clock ?? systemClock);
  const definitions = createDefinitions({
    ...{ db: options.db, clock: options.clock ?? systemClock, sandbox, told },
    ...(options.quotas ? { quotas: options.quotas } : {}),
  });
  const unpaid = createUnpaidWork(options.clock ?? systemClock, misfits);
  const deps = { keepJudgements: true, ...options, definitions, unpaid, told };
  return {
    run<Name extends ChargedFamily>(name: Name, caller: Caller, request: RequestFor<Name>, call: WorkflowCall) {
      // The entry for a name has that name's types, but the compiler cannot follow this for a name known only at run time.
      const entry = families[name] as unknown as RunnableFamily<Assistable, FamilyReply>;
      const running = runFamily(deps, entry, caller, request as Assistable, call);
      return running as unknown as Promise<Result<Paid<ReplyFor<Name>>>>;
    },
    draft: (caller, request, call) =>
      runFamily(deps, families.draft, caller, request, call, async (reply, chargeId) => {
        if (!reply.draft) return reply;
        const { facts, mustAvoid, domain, purpose } = request;
        const { kind, locale } = reply.draft;
        const terms = { facts, mustAvoid, domain, kind, locale, purpose };
        return { ...reply, draft: await drafts.keep(caller, reply.draft, terms, chargeId) };
      }),
    runCustom: (caller, request, call) => runWorkflow(deps, caller, request, call),
    estimate: (caller, any, signal) => estimateWorkflow(deps, caller, any, signal),
    batch: (items, terms) => runBatch({ log: deps.log, clock: deps.clock ?? systemClock }, items, terms),
    drafts,
    definitions,
    packs: listPacks,
    prices: (accountId) => listPrices(options.prices, accountId),
  };
}
