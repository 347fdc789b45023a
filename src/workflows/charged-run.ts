import type { Logger } from 'pino';
import type { Caller } from '../base/caller.ts';
import { fail, type Result, succeed } from '../base/failure.ts';
import { formatUsd, maxOf, type NanoUsd } from '../base/money.ts';
import type { WorkflowUsage } from '../gen/intelligence/workflow/v1/basis_pb.ts';
import type { Hold, Ledger, Receipt, Usage } from '../wallet/index.ts';
import { payerOf } from '../wallet/index.ts';
import type { Spent } from './assistant.ts';
import type { FamilyName, Plain } from './family.ts';
import { familyPrice, type PriceList } from './prices.ts';

/** How a request arrived. */
export interface WorkflowCall {
  /** Aborted when the caller goes away or its own deadline passes. */
  signal: AbortSignal;
  /** The caller's key, and a digest (at most 32 bytes) of the method and the message. */
  idempotency?: { key: string; fingerprint: Uint8Array } | undefined;
  /** The caller's own labels, stored with the charge. */
  metadata?: Readonly<Record<string, string>> | undefined;
}

/** A reply, what it cost, and the wallet's balance after that. */
export interface Paid<Reply> {
  reply: Reply & { usage: Plain<WorkflowUsage>; balanceUsd: string };
  cost: NanoUsd;
  balance: NanoUsd;
}

/** One request that is paid for: its family, and how its reply is made and kept. */
export interface ChargedWork<Reply> {
  family: FamilyName;
  /** What a model may cost besides the family's price; 0 when none is asked. */
  modelCeiling: NanoUsd;
  /** Makes the reply; `budget` is what is left for a model. What a model cost is charged even when this fails. */
  make(budget: NanoUsd): Promise<{ result: Result<Reply>; spent: Spent; model: string }>;
  /** The reply as it is kept for a retry, and back. */
  store(reply: Reply & { usage: Plain<WorkflowUsage> }): Uint8Array;
  restore(bytes: Uint8Array): Reply & { usage: Plain<WorkflowUsage> };
}

export interface ChargeDeps {
  ledger: Pick<Ledger, 'hold' | 'settle' | 'release'>;
  prices: PriceList;
  log: Logger;
}

/** After this a hold whose node died gives its credit back. A model may be asked twice, two minutes each. */
const holdMs = 300_000;

/**
 * One request, one charge: holds the family's price and what a model may cost, makes the reply, and settles both before
 * the reply is given. Fails like `Ledger.hold`, with `precondition_failed` when the family has no price, and as `make`
 * does; a failure is not charged, but for what a model that was called has cost.
 */
export async function chargedRun<Reply>(
  deps: ChargeDeps,
  caller: Caller,
  call: WorkflowCall,
  work: ChargedWork<Reply>,
): Promise<Result<Paid<Reply>>> {
  const payer = payerOf(caller, 'workflows');
  if (!payer.ok) return payer;
  const price = familyPrice(deps.prices, work.family, payer.value.accountId);
  if (!price.ok) return price;
  const { perRequest, version } = price.value;
  const minimum = maxOf(perRequest, 1n);
  const scope =
    payer.value.subject === undefined
      ? payer.value.accountId
      : `${payer.value.accountId}/${payer.value.keyId}/${payer.value.subject}`;
  const held = await deps.ledger.hold({
    ...payer.value,
    operation: `workflow.${work.family}`,
    priceVersion: version,
    ceiling: minimum + work.modelCeiling,
    minimum,
    ttlMs: holdMs,
    ...(call.metadata ? { metadata: call.metadata } : {}),
    ...(call.idempotency ? { idempotency: { scope, ...call.idempotency } } : {}),
  });
  if (!held.ok) return held;
  if (held.value.kind === 'replayed') {
    const { reply, receipt } = held.value;
    if (!reply) return fail({ kind: 'reply_purged', chargeId: receipt.chargeId });
    return succeed(paid(work.restore(reply), receipt));
  }
  return settleWork(deps, held.value.hold, perRequest, work);
}

async function settleWork<Reply>(
  { ledger, log }: ChargeDeps,
  hold: Hold,
  perRequest: NanoUsd,
  work: ChargedWork<Reply>,
): Promise<Result<Paid<Reply>>> {
  let made: Awaited<ReturnType<typeof work.make>>;
  try {
    made = await work.make(hold.amount - perRequest);
  } catch (error) {
    await ledger.release(hold, 'failed');
    throw error;
  }
  const { result, spent, model } = made;
  if (!result.ok) {
    if (spent.cost > 0n) {
      log.warn({ family: work.family, failure: result.failure.kind }, 'a workflow failed after a model was paid');
      await ledger.settle(hold, { cost: spent.cost, usage: usageOf(spent) });
    } else await ledger.release(hold, result.failure.kind);
    return result;
  }
  const cost = perRequest + spent.cost;
  const usage: Plain<WorkflowUsage> = {
    family: work.family,
    costUsd: formatUsd(cost),
    inputTokens: spent.usage?.inputTokens,
    outputTokens: spent.usage?.outputTokens,
    estimated: spent.usage?.estimated ?? false,
    chargeId: hold.chargeId,
  };
  const reply = { ...result.value, usage };
  const receipt = await ledger.settle(hold, {
    cost,
    usage: usageOf(spent),
    ...(model === '' ? {} : { model }),
    ...(hold.idempotency ? { reply: work.store(reply) } : {}),
  });
  usage.costUsd = formatUsd(receipt.charged);
  return succeed(paid(reply, receipt));
}

function usageOf({ usage }: Spent): Usage {
  return { ...usage, requests: 1 };
}

function paid<Reply>(reply: Reply & { usage: Plain<WorkflowUsage> }, { charged, balance }: Receipt): Paid<Reply> {
  return { reply: { ...reply, balanceUsd: formatUsd(balance) }, cost: charged, balance };
}
