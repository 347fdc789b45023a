import { create, type DescMethod, fromJson, type MessageShape, toBinary } from '@bufbuild/protobuf';
import { ValueSchema } from '@bufbuild/protobuf/wkt';
import type { Accounts } from '../accounts/index.ts';
import type { Caller } from '../base/caller.ts';
import type { Clock } from '../base/clock.ts';
import { type Failure, FailureError, fail, invalid, type Result, succeed, unwrap } from '../base/failure.ts';
import { formatUsd, type NanoUsd } from '../base/money.ts';
import {
  type EstimateWorkflowRequest,
  type WorkflowBatchItem,
  type WorkflowBatchResult,
  WorkflowBatchResultSchema,
} from '../gen/intelligence/workflow/v1/batch_pb.ts';
import { WorkflowService } from '../gen/intelligence/workflow/v1/workflow_service_pb.ts';
import type { Limits } from '../limits/index.ts';
import {
  type AnyRequest,
  createPace,
  jsonOf,
  type Paid,
  type WorkflowCall,
  type Workflows,
} from '../workflows/index.ts';
import { setChargeHeaders, shownBalance } from './balance.ts';
import type { Call } from './call.ts';
import type { Handlers } from './handlers.ts';
import { idempotencyKeyOf, identityOf, itemKeyOf } from './idempotency.ts';
import type { Items } from './items.ts';

type AnyMessage = Exclude<WorkflowBatchItem['request'], { case: undefined }>;

/** The parts of WorkflowService that accept requests of any family: batches and estimates. */
export function batchHandlers(rooms: {
  workflows: Workflows;
  fingerprintKey: Uint8Array;
  items: Items;
  clock: Pick<Clock, 'now'>;
  limits: Pick<Limits, 'admitItem'>;
  accounts: Pick<Accounts, 'standing'>;
}): Pick<Handlers<typeof WorkflowService>, 'batchRunWorkflows' | 'estimateWorkflow'> {
  const { workflows, fingerprintKey, items: rules, limits, accounts, clock } = rooms;

  /** Runs one item as a call of its own. */
  async function run(
    item: WorkflowBatchItem,
    key: string | undefined,
    call: Call,
    admit: () => Promise<Result<void>>,
  ): Promise<Result<PaidMessage>> {
    const { request } = item;
    if (request.case === undefined) return fail(invalid('request', `names no family: give one of ${familyList}`));
    const method = methods[request.case];
    const checked = rules.check(method.input, request.value, request.case);
    if (!checked.ok) return checked;
    const arrived: WorkflowCall = {
      requestId: call.requestId,
      signal: call.signal,
      admit,
      metadata: request.value.metadata,
      idempotency: key === undefined ? undefined : identityOf(fingerprintKey, method, request.value, key),
    };
    const ran = await runAny(workflows, call.caller, anyRequestOf(request), arrived);
    return ran.ok ? succeed({ ...ran.value, message: resultMessage(item, ran.value, call.caller) }) : ran;
  }

  return {
    batchRunWorkflows: async ({ items }, call) => {
      const batchKey = idempotencyKeyOf(call);
      const twice = secondUse(items);
      if (twice !== undefined) throw new FailureError(invalid(`items[${twice}].key`, 'is the key of an earlier item'));
      const { signal, deadline } = call;
      const { caller } = call;
      const admitItem = async () => {
        // A batch takes minutes, and its account may be suspended in the meantime.
        const served = await accounts.standing(caller.accountId ?? '');
        return served.ok ? limits.admitItem(caller) : served;
      };
      const admit = createPace(clock, { signal, deadline, admitItem });
      let last: PaidMessage | undefined;
      const batch = items.map((item, index) => {
        const key = item.key || (batchKey === undefined ? undefined : itemKeyOf(batchKey, index));
        return {
          repeatable: key !== undefined,
          run: async () => {
            const ran = await run(item, key, call, admit);
            if (ran.ok) last = ran.value;
            return ran;
          },
        };
      });
      const results = await workflows.batch(batch, {
        ...{ signal, deadline },
        bytesOf: ({ message }) => toBinary(WorkflowBatchResultSchema, message).length,
      });
      const paid = results.flatMap((result) => (result.ok ? [result.value] : []));
      const cost = paid.reduce((sum, one) => sum + one.cost, 0n);
      if (last) setChargeHeaders(call, { ...last, cost });
      const errorOf = (index: number, failure: Failure) =>
        create(WorkflowBatchResultSchema, {
          key: items[index]?.key ?? '',
          result: { case: 'error', value: rules.errorOf(call.caller, failure) },
        });
      return {
        results: results.map((result, index) => (result.ok ? result.value.message : errorOf(index, result.failure))),
        succeeded: paid.length,
        failed: results.length - paid.length,
        costUsd: formatUsd(cost),
      };
    },

    estimateWorkflow: async ({ request }, { caller, signal }) => {
      // The contract's rules allow no request without a family here.
      if (request.case === undefined) throw new Error('an estimate of nothing');
      const estimate = unwrap(await workflows.estimate(caller, anyRequestOf(request), signal));
      const { family, rules: byRules, ceiling, assisted } = estimate;
      return { family, rulesUsd: formatUsd(byRules), ceilingUsd: formatUsd(ceiling), assisted };
    },
  };
}

/** A paid reply, in the form a batch's reply contains it. */
interface PaidMessage {
  message: MessageShape<typeof WorkflowBatchResultSchema>;
  cost: NanoUsd;
  balance: NanoUsd;
  capLeft: NanoUsd | undefined;
}

/** The method of each family's request, so that a batch item is the same request as a separate call. */
const methods: Record<AnyMessage['case'], DescMethod> = {
  guidance: WorkflowService.method.checkProfile,
  readiness: WorkflowService.method.scoreListing,
  risk: WorkflowService.method.checkRisk,
  draft: WorkflowService.method.draftDocument,
  decision: WorkflowService.method.writeDecisionMemo,
  scoring: WorkflowService.method.scoreBusinessReadiness,
  custom: WorkflowService.method.runWorkflow,
};

const familyList = Object.keys(methods).join(', ');

function anyRequestOf(request: Exclude<EstimateWorkflowRequest['request'], { case: undefined }>): AnyRequest {
  if (request.case !== 'custom') return { family: request.case, request: request.value } as AnyRequest;
  const { client, workflow, version, input } = request.value;
  return { family: 'custom', request: { client, workflow, version, input: jsonOf(input) } };
}

/** Runs a request of any family; the reply belongs to the same family. */
function runAny(
  workflows: Workflows,
  caller: Caller,
  any: AnyRequest,
  call: WorkflowCall,
): Promise<Result<Paid<object>>> {
  switch (any.family) {
    case 'custom':
      return workflows.runCustom(caller, any.request, call);
    case 'draft':
      return workflows.draft(caller, any.request, call);
    default:
      return workflows.run(any.family, caller, any.request, call);
  }
}

function resultMessage(item: WorkflowBatchItem, paid: Paid<object>, caller: Caller): WorkflowBatchResult {
  const reply = { ...paid.reply, balanceUsd: shownBalance(caller, paid) ?? '' };
  const shown = 'output' in reply ? { ...reply, output: fromJson(ValueSchema, reply.output as never) } : reply;
  // The reply belongs to the item's own family, which the compiler cannot follow.
  return create(WorkflowBatchResultSchema, {
    key: item.key,
    result: { case: item.request.case, value: shown } as never,
  });
}

/** The position of the first repeated key; undefined if each occurs once. */
function secondUse(items: readonly WorkflowBatchItem[]): number | undefined {
  const seen = new Set<string>();
  for (const [index, { key }] of items.entries()) {
    if (key !== '' && seen.has(key)) return index;
    seen.add(key);
  }
  return undefined;
}
