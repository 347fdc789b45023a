import type { Logger } from 'pino';
import type { Caller } from '../base/caller.ts';
import { fail, isShortOfCredit, type Result, succeed } from '../base/failure.ts';
import { formatUsd, maxOf, type NanoUsd } from '../base/money.ts';
import { present } from '../base/present.ts';
import type { WorkflowUsage } from '../gen/intelligence/workflow/v1/basis_pb.ts';
import type { UnpaidWork } from '../limits/index.ts';
import {
  Budget,
  dueOf,
  endingCharge,
  type HoldRequest,
  type Ledger,
  type OpenCharge,
  openCharge,
  payerOf,
  type Receipt,
  replyScope,
  type Spending,
  settleInFull,
  type Usage,
} from '../wallet/index.ts';
import type { FamilyName, Plain } from './family.ts';
import { familyPrice, type PriceList } from './prices.ts';

/** How a request arrived. */
export interface WorkflowCall {
  /** The request's id, as returned in its reply. */
  requestId?: string | undefined;
  /** Aborted when the caller goes away or its own deadline passes. */
  signal: AbortSignal;
  /** The caller's key, and a digest (at most 32 bytes) of the method and the message. */
  idempotency?: { key: string; fingerprint: Uint8Array } | undefined;
  /** The caller's own labels, stored with the charge. */
  metadata?: Readonly<Record<string, string>> | undefined;
  /** Called before the work begins, but not before a stored reply is returned; its failure becomes that of the request. */
  admit?: () => Promise<Result<void>>;
}

/** A reply, its cost, and what the wallet and the end user's own cap have left afterwards. */
export interface Paid<Reply> {
  reply: Reply & { usage: Plain<WorkflowUsage> };
  cost: NanoUsd;
  balance: NanoUsd;
  capLeft: NanoUsd | undefined;
}

/** A paid request: its family, how it is planned, and how its reply is stored. */
export interface ChargedRequest<Reply> {
  family: FamilyName;
  /** All work that costs the caller nothing: reading, judging, quoting a model. A failure is not charged. */
  plan(): Promise<Result<ChargedWork<Reply>>>;
  /** What the reply judged, to be stored with the charge; undefined: nothing. */
  evidence(reply: Reply): string | undefined;
  /** Serializes the reply for retries; `restore` does the reverse. */
  store(reply: Reply & { usage: Plain<WorkflowUsage> }): Uint8Array;
  restore(bytes: Uint8Array): Reply & { usage: Plain<WorkflowUsage> };
}

/** What remains to be done for a planned request. */
export interface ChargedWork<Reply> {
  /** The most that a model may cost on top of the family's price; 0 if none is asked. */
  modelCeiling: NanoUsd;
  /** The least that a model needs; if it cannot be held, the request is refused. Absent: rules alone may answer it. */
  modelMinimum?: NanoUsd;
  /** Makes the reply; a model is paid from `budget`. If this fails nothing is charged, whatever a model has cost. */
  make(budget: Budget): Promise<{ result: Result<Reply>; model: string }>;
}

export interface ChargeDeps {
  ledger: Ledger;
  prices: PriceList;
  log: Logger;
  /** Whether judgements are stored with their charges, so that outcomes can be reported on them. */
  keepJudgements: boolean;
  /** Notified of what a model has cost for failed requests. */
  unpaid: UnpaidWork;
}

/** How long a hold whose node died keeps its credit. A model may be asked twice, for two minutes each. */
const holdMs = 300_000;

/**
 * One request, one charge: holds the family's price and what a model may cost, makes the reply, and settles both before
 * returning the reply, which happens only if it was paid in full. Fails like `openCharge` and `settleInFull`, with
 * `precondition_failed` if the family has no price, and like `plan` and `make`; a failure is not charged, whatever a model has
 * cost.
 *
 * Planning wastes processor time if the hold is then refused or answered with a stored reply. So if either is possible, the
 * price is held first, and the model's part once it is known.
 */
export async function chargedRun<Reply>(
  deps: ChargeDeps,
  caller: Caller,
  call: WorkflowCall,
  request: ChargedRequest<Reply>,
): Promise<Result<Paid<Reply>>> {
  const payer = payerOf(caller, 'workflows');
  if (!payer.ok) return payer;
  const price = familyPrice(deps.prices, request.family, payer.value.accountId);
  if (!price.ok) return price;
  const { perRequest, version } = price.value;
  if (call.signal.aborted) return fail({ kind: 'cancelled' });
  const minimum = maxOf(perRequest, 1n);
  const holding: HoldRequest = {
    ...payer.value,
    operation: `workflow.${request.family}`,
    priceVersion: version,
    ceiling: minimum,
    minimum,
    ttlMs: holdMs,
    ...present({ requestId: call.requestId }),
    ...(call.metadata ? { metadata: call.metadata } : {}),
    ...(call.idempotency ? { idempotency: { scope: replyScope(payer.value), ...call.idempotency } } : {}),
  };
  const plan = async () => {
    const admitted = (await call.admit?.()) ?? succeed(undefined);
    return admitted.ok ? request.plan() : admitted;
  };
  const isFirst = call.idempotency !== undefined || !deps.ledger.foresees(holding);
  const planned = isFirst ? undefined : await plan();
  if (planned?.ok === false) return planned;
  const opened = await openCharge(deps.ledger, {
    ...holding,
    ceiling: minimum + (planned?.value.modelCeiling ?? 0n),
    minimum: minimum + (planned?.value.modelMinimum ?? 0n),
  });
  if (!opened.ok) return opened;
  if (opened.value.kind === 'replayed') return succeed(paid(request.restore(opened.value.reply), opened.value.receipt));
  const { charge } = opened.value;
  return endingCharge(charge, async () => {
    const work = planned ?? (await planHeld(charge, plan));
    if (!work.ok) {
      await charge.release(work.failure.kind);
      return work;
    }
    return chargeFor(deps, charge, {
      ...{ request, work: work.value, perRequest, signal: call.signal },
      accountId: payer.value.accountId,
    });
  });
}

/** Plans a request whose price is already held, then holds what its model may cost, as far as credit allows and requires. */
async function planHeld<Reply>(
  charge: OpenCharge,
  plan: () => Promise<Result<ChargedWork<Reply>>>,
): Promise<Result<ChargedWork<Reply>>> {
  const planned = await plan();
  if (!planned.ok || planned.value.modelCeiling === 0n) return planned;
  const { modelCeiling, modelMinimum = 0n } = planned.value;
  const extended = await charge.extend(modelCeiling, { minimum: maxOf(modelMinimum, 1n), raisesCeiling: true });
  return extended.ok || (modelMinimum === 0n && isShortOfCredit(extended.failure)) ? planned : extended;
}

interface HeldRequest<Reply> {
  request: ChargedRequest<Reply>;
  work: ChargedWork<Reply>;
  perRequest: NanoUsd;
  signal: AbortSignal;
  accountId: string;
}

async function chargeFor<Reply>(
  { log, unpaid }: ChargeDeps,
  charge: OpenCharge,
  { request, work, perRequest, signal, accountId }: HeldRequest<Reply>,
): Promise<Result<Paid<Reply>>> {
  // Nobody is waiting any more, and nothing has cost anything yet.
  if (signal.aborted) {
    await charge.release('cancelled');
    return fail({ kind: 'cancelled' });
  }
  const budget = new Budget(charge, perRequest);
  const { result, model } = await work.make(budget);
  const { spent } = budget;
  if (!result.ok) {
    if (spent.cost > 0n) {
      unpaid.note(accountId, spent.cost);
      log.warn(
        { accountId, family: request.family, failure: result.failure.kind, cost: formatUsd(spent.cost) },
        'a workflow failed after a model answered: nothing is charged',
      );
    }
    await charge.release(result.failure.kind);
    return result;
  }
  const cost = perRequest + spent.cost;
  const usage: Plain<WorkflowUsage> = {
    family: request.family,
    costUsd: formatUsd(cost),
    inputTokens: spent.usage?.inputTokens,
    outputTokens: spent.usage?.outputTokens,
    estimated: spent.usage?.estimated ?? false,
    chargeId: charge.id,
  };
  const reply = { ...result.value, usage };
  const settled = await settleInFull(charge, {
    cost,
    usage: usageOf(spent),
    ...(model === '' ? {} : { model }),
    ...present({ providerKeyId: budget.providerKeyId }),
    ...present({ evidence: request.evidence(result.value) }),
    ...(charge.replayable ? { reply: request.store(reply) } : {}),
  });
  if (!settled.ok) return settled;
  usage.costUsd = formatUsd(dueOf(settled.value));
  return succeed(paid(reply, settled.value));
}

function usageOf({ usage }: Spending): Usage {
  return { ...usage, requests: 1 };
}

function paid<Reply>(reply: Reply & { usage: Plain<WorkflowUsage> }, receipt: Receipt): Paid<Reply> {
  const { balance, capLeft } = receipt;
  return { reply, cost: dueOf(receipt), balance, capLeft };
}
