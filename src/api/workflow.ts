import type { DescMessage, DescMethod, MessageShape } from '@bufbuild/protobuf';
import { fromJson } from '@bufbuild/protobuf';
import { ValueSchema } from '@bufbuild/protobuf/wkt';
import type { Clock } from '../base/clock.ts';
import { type Result, unwrap } from '../base/failure.ts';
import { formatUsd } from '../base/money.ts';
import { WorkflowService } from '../gen/intelligence/workflow/v1/workflow_service_pb.ts';
import type { Limits } from '../limits/index.ts';
import { jsonOf, type Paid, type WorkflowCall, type Workflows } from '../workflows/index.ts';
import { setChargeHeaders, shownBalance } from './balance.ts';
import type { Call } from './call.ts';
import { type ServedService, serve } from './handlers.ts';
import { requestIdentity } from './idempotency.ts';
import type { Items } from './items.ts';
import type { Once } from './once.ts';
import { batchHandlers } from './workflow-batch.ts';

/** WorkflowService: structured business outputs, charged per request; drafts and reviews; clients' own workflows. */
export function workflowService(rooms: {
  workflows: Workflows;
  fingerprintKey: Uint8Array;
  items: Items;
  once: Once;
  clock: Pick<Clock, 'now'>;
  /** Count the items of batches. */
  limits: Pick<Limits, 'admitItem'>;
}): ServedService {
  const { workflows, fingerprintKey, once } = rooms;
  const { drafts, definitions } = workflows;
  const { method } = WorkflowService;

  /** How a charged request arrived, with its identity for retries. */
  const arrived = <Input extends DescMessage>(
    of: DescMethod & { input: Input },
    request: MessageShape<Input> & { metadata: Record<string, string> },
    call: Call,
  ): WorkflowCall => ({
    signal: call.signal,
    idempotency: requestIdentity(fingerprintKey, of, request, call),
    metadata: request.metadata,
  });

  return serve(WorkflowService, {
    checkProfile: async (request, call) =>
      paid(call, await workflows.run('guidance', call.caller, request, arrived(method.checkProfile, request, call))),
    scoreListing: async (request, call) =>
      paid(call, await workflows.run('readiness', call.caller, request, arrived(method.scoreListing, request, call))),
    checkRisk: async (request, call) =>
      paid(call, await workflows.run('risk', call.caller, request, arrived(method.checkRisk, request, call))),
    writeDecisionMemo: async (request, call) =>
      paid(
        call,
        await workflows.run('decision', call.caller, request, arrived(method.writeDecisionMemo, request, call)),
      ),
    scoreBusinessReadiness: async (request, call) =>
      paid(
        call,
        await workflows.run('scoring', call.caller, request, arrived(method.scoreBusinessReadiness, request, call)),
      ),

    draftDocument: async (request, call) =>
      paid(call, await workflows.draft(call.caller, request, arrived(method.draftDocument, request, call))),
    getDraft: async ({ draftId, version }, { caller }) => ({
      draft: unwrap(await drafts.find(caller, draftId, version)),
    }),
    listDrafts: async (request, { caller }) => {
      const { items, nextPageToken } = unwrap(await drafts.list(caller, request));
      return { drafts: items, nextPageToken };
    },
    reviseDraft: (request, call) =>
      once(method.reviseDraft, request, call, {
        write: async (within) => ({ draft: unwrap(await drafts.revise(call.caller, request, within)) }),
      }),
    approveDraft: async (request, { caller }) => ({
      draft: unwrap(await drafts.review(caller, { ...request, decision: 'approved' })),
    }),
    rejectDraft: async (request, { caller }) => ({
      draft: unwrap(await drafts.review(caller, { ...request, decision: 'rejected' })),
    }),

    createWorkflowDefinition: (request, call) =>
      once(method.createWorkflowDefinition, request, call, {
        prepare: async () => {
          // The contract lets no request without a definition in here.
          if (!request.definition) throw new Error('a request without its definition');
          return unwrap(await definitions.prove(call.caller, request.definition));
        },
        write: async (within, proven) => ({ definition: unwrap(await definitions.create(proven, within)) }),
      }),
    getWorkflowDefinition: async (request, { caller }) => ({
      definition: unwrap(await definitions.find(caller, request)),
    }),
    listWorkflowDefinitions: async (request, { caller }) => {
      const { items, nextPageToken } = unwrap(await definitions.list(caller, request));
      return { definitions: items, nextPageToken };
    },
    retireWorkflowDefinition: async (request, { caller }) => ({
      definition: unwrap(await definitions.retire(caller, request)),
    }),
    deleteWorkflowDefinition: async (request, { caller }) => {
      unwrap(await definitions.remove(caller, request));
      return {};
    },
    runWorkflow: async (request, call) => {
      const { client, workflow, version } = request;
      const run = { client, workflow, version, input: jsonOf(request.input) };
      const reply = paid(call, await workflows.runCustom(call.caller, run, arrived(method.runWorkflow, request, call)));
      return { ...reply, output: fromJson(ValueSchema, reply.output) };
    },

    listPacks: async ({ family }) => workflows.packs(family),
    ...batchHandlers(rooms),

    // An operator has no account, and sees what everybody pays.
    listPrices: async (_, { caller }) => ({
      prices: workflows
        .prices(caller.accountId ?? '')
        .map(({ family, price, unit }) => ({ family, priceUsd: formatUsd(price), unit })),
    }),
  });
}

function paid<Reply>(call: Call, result: Result<Paid<Reply>>): Paid<Reply>['reply'] & { balanceUsd: string } {
  const { reply, ...charged } = unwrap(result);
  setChargeHeaders(call, charged);
  return { ...reply, balanceUsd: shownBalance(call.caller, charged) ?? '' };
}
