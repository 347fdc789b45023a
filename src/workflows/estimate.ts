import type { Caller } from '../base/caller.ts';
import { type Result, succeed } from '../base/failure.ts';
import type { NanoUsd } from '../base/money.ts';
import type { Assistable } from './assist/deps.ts';
import { type CustomDeps, type CustomRequest, planRun } from './custom/run-workflow.ts';
import { families, type RequestFor, type RunnableFamily } from './families.ts';
import type { FamilyName, FamilyReply } from './family.ts';
import { familyPrice } from './prices.ts';
import { quoteFamily, type RunDeps } from './run-family.ts';

/** A request of any family, tagged with the family's name. */
export type AnyRequest =
  | { [Name in keyof typeof families]: { family: Name; request: RequestFor<Name> } }[keyof typeof families]
  | { family: 'custom'; request: CustomRequest };

/** What a request could cost. */
export interface WorkflowEstimate {
  family: FamilyName;
  /** The price by rules alone. */
  rules: NanoUsd;
  /** The most, at current prices; equals `rules` if no model would be asked. */
  ceiling: NanoUsd;
  /** Whether a model would be asked. */
  assisted: boolean;
}

/**
 * What a request would cost, determined the way a run determines its hold, but without judging long texts. Fails as a run does
 * before it holds anything; holds, stores and charges nothing.
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
    // The entry for a name takes that name's request type, but the compiler cannot follow this for a name known only at run time.
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
