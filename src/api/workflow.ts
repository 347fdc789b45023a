import type { DescMessage, DescMethod, MessageShape } from '@bufbuild/protobuf';
import { fromJson } from '@bufbuild/protobuf';
import { ValueSchema } from '@bufbuild/protobuf/wkt';
import type { Accounts } from '../accounts/index.ts';
import type { AuditAction } from '../base/audit-event.ts';
import type { Clock } from '../base/clock.ts';
import { type Result, unwrap } from '../base/failure.ts';
import { formatUsd } from '../base/money.ts';
import { WorkflowService } from '../gen/intelligence/workflow/v1/workflow_service_pb.ts';
import type { Limits } from '../limits/index.ts';
import { jsonOf, type OwnPacks, type Paid, type WorkflowCall, type Workflows } from '../workflows/index.ts';
import type { RecordChange } from './audit.ts';
import { setChargeHeaders, shownBalance } from './balance.ts';
import type { Call } from './call.ts';
import { type ServedService, serve } from './handlers.ts';
import { requestIdentity } from './idempotency.ts';
import type { Items } from './items.ts';
import type { Once } from './once.ts';
import { riskPackHandlers } from './risk-packs.ts';
import { batchHandlers } from './workflow-batch.ts';

/** WorkflowService: structured business outputs, charged per request; drafts and reviews; clients' own workflows. */
export function workflowService(rooms: {
  workflows: Workflows;
  ownPacks: OwnPacks;
  fingerprintKey: Uint8Array;
  items: Items;
  once: Once;
  recordChange: RecordChange;
  clock: Pick<Clock, 'now'>;
  /** These count a batch's items. */
  limits: Pick<Limits, 'admitItem'>;
  accounts: Pick<Accounts, 'standing'>;
}): ServedService {
  const { workflows, fingerprintKey, once, recordChange } = rooms;
  const { drafts, definitions } = workflows;
  const { method } = WorkflowService;

  /** How a charged request arrived, with its identity for retries. */
  const arrived = <Input extends DescMessage>(
    of: DescMethod & { input: Input },
    request: MessageShape<Input> & { metadata: Record<string, string> },
    call: Call,
  ): WorkflowCall => ({
    requestId: call.requestId,
    signal: call.signal,
    idempotency: requestIdentity(fingerprintKey, of, request, call),
    metadata: request.metadata,
  });

  const review = (call: Call, request: Parameters<typeof drafts.review>[1]) =>
    recordChange(call, {
      deed: {
        action: request.decision === 'approved' ? 'draft.approve' : 'draft.reject',
        target: request.draftId,
        details: {
          reviewer: request.reviewer,
          version: request.version?.toString(),
          override: request.override && 'true',
        },
      },
      write: async (tx) => unwrap(await drafts.review(call.caller, request, tx)),
    });

  return serve(WorkflowService, {
    checkProfile: async (request, call) =>
      paid(call, workflows.run('guidance', call.caller, request, arrived(method.checkProfile, request, call))),
    scoreListing: async (request, call) =>
      paid(call, workflows.run('readiness', call.caller, request, arrived(method.scoreListing, request, call))),
    checkRisk: async (request, call) =>
      paid(call, workflows.run('risk', call.caller, request, arrived(method.checkRisk, request, call))),
    writeDecisionMemo: async (request, call) =>
      paid(call, workflows.run('decision', call.caller, request, arrived(method.writeDecisionMemo, request, call))),
    scoreBusinessReadiness: async (request, call) =>
      paid(call, workflows.run('scoring', call.caller, request, arrived(method.scoreBusinessReadiness, request, call))),

    draftDocument: async (request, call) =>
      paid(call, workflows.draft(call.caller, request, arrived(method.draftDocument, request, call))),
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
    approveDraft: async (request, call) => ({ draft: await review(call, { ...request, decision: 'approved' }) }),
    rejectDraft: async (request, call) => ({ draft: await review(call, { ...request, decision: 'rejected' }) }),

    createWorkflowDefinition: (request, call) =>
      once(method.createWorkflowDefinition, request, call, {
        prepare: async () => {
          // The contract's rules allow no request without a definition here.
          if (!request.definition) throw new Error('a request without its definition');
          return unwrap(await definitions.prove(call.caller, request.definition));
        },
        write: async (within, proven) => ({
          definition: await recordChange(call, {
            within,
            write: async (tx) => unwrap(await definitions.create(proven, tx)),
            deed: (made) => workflowDeed('workflow.create', made),
          }),
        }),
      }),
    getWorkflowDefinition: async (request, { caller }) => ({
      definition: unwrap(await definitions.find(caller, request)),
    }),
    listWorkflowDefinitions: async (request, { caller }) => {
      const { items, nextPageToken } = unwrap(await definitions.list(caller, request));
      return { definitions: items, nextPageToken };
    },
    retireWorkflowDefinition: async (request, call) => ({
      definition: await recordChange(call, {
        deed: workflowDeed('workflow.retire', request),
        write: async (tx) => unwrap(await definitions.retire(call.caller, request, tx)),
      }),
    }),
    deleteWorkflowDefinition: async (request, call) => {
      await recordChange(call, {
        deed: workflowDeed('workflow.delete', request),
        write: async (tx) => unwrap(await definitions.remove(call.caller, request, tx)),
      });
      return {};
    },
    runWorkflow: async (request, call) => {
      const { client, workflow, version } = request;
      const run = { client, workflow, version, input: jsonOf(request.input) };
      const reply = await paid(call, workflows.runCustom(call.caller, run, arrived(method.runWorkflow, request, call)));
      return { ...reply, output: fromJson(ValueSchema, reply.output) };
    },

    listPacks: async ({ family }) => workflows.packs(family),
    ...batchHandlers(rooms),
    ...riskPackHandlers(rooms),

    // An operator has no account, and sees the general prices.
    listPrices: async (_, { caller }) => ({
      prices: workflows
        .prices(caller.accountId ?? '')
        .map(({ family, price, unit }) => ({ family, priceUsd: formatUsd(price), unit })),
    }),
  });
}

function workflowDeed(action: AuditAction, of: { client: string; workflow: string; version?: number | undefined }) {
  const { client, workflow, version } = of;
  return { action, target: workflow, details: { client, workflow, version: version?.toString() } };
}

async function paid<Reply>(
  call: Call,
  running: Promise<Result<Paid<Reply>>>,
): Promise<Paid<Reply>['reply'] & { balanceUsd: string }> {
  // A model that was asked answers and is paid, even if the caller has left by then.
  call.outlast(running);
  const { reply, ...charged } = unwrap(await running);
  setChargeHeaders(call, charged);
  return { ...reply, balanceUsd: shownBalance(call.caller, charged) ?? '' };
}
