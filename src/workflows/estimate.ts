import type { Caller } from '../base/caller.ts';
import { type Result, succeed } from '../base/failure.ts';
import type { NanoUsd } from '../base/money.ts';
import type { Assistable } from './assist/deps.ts';
import { type CustomDeps, type CustomRequest, planRun } from './custom/run-workflow.ts';
import { families, type RequestFor, type RunnableFamily } from './families.ts';
import type { FamilyName, FamilyReply } from './family.ts';
import { familyPrice } from './prices.ts';
import { quoteFamily, type RunDeps } from './run-family.ts';

/** A request of any family, by the family's name. */
export type AnyRequest =
  | { [Name in keyof typeof families]: { family: Name; request: RequestFor<Name> } }[keyof typeof families]
  | { family: 'custom'; request: CustomRequest };

/** What a request could cost. */
export interface WorkflowEstimate {
  family: FamilyName;
  /** By rules alone. */
  rules: NanoUsd;
  /** At most, as prices are now; `rules` where no model would be asked. */
  ceiling: NanoUsd;
  /** Whether a model would be asked. */
  assisted: boolean;
}

/**
 * What a request would cost, found as a run finds what it has to hold, without a judgement of long texts. Fails as a run does before it holds anything; holds,
 * keeps and charges nothing.
 */
export async function estimateWorkflow(
  deps: RunDeps & CustomDeps,
  caller: Caller,
  { family, request }: AnyRequest,
  signal: AbortSignal,
): Promise<Result<WorkflowEstimate>> {
  let model: NanoUsd | undefined;
  if (family === 'custom') {
    const planned = await planRun(deps, caller, request);
    if (!planned.ok) return planned;
    model = planned.value.plan?.ceiling;
  } else {
    // The table's entry of a name takes that name's request; the compiler does not follow a name that is not known yet.
    const entry = families[family] as unknown as RunnableFamily<Assistable, FamilyReply>;
    const quoted = await quoteFamily(deps, entry, caller, request as Assistable, signal);
    if (!quoted.ok) return quoted;
    model = quoted.value;
  }
  const price = familyPrice(deps.prices, family, caller.accountId ?? '');
  if (!price.ok) return price;
  const rules = price.value.perRequest;
  return succeed({ family, rules, ceiling: rules + (model ?? 0n), assisted: model !== undefined });
}
