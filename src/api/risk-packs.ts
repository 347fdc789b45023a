import { FailureError, invalid, unwrap } from '../base/failure.ts';
import type { OwnRiskPack } from '../gen/intelligence/workflow/v1/own_pack_pb.ts';
import { WorkflowService } from '../gen/intelligence/workflow/v1/workflow_service_pb.ts';
import type { OwnPacks } from '../workflows/index.ts';
import type { RecordChange } from './audit.ts';
import { accountOf } from './caller.ts';
import type { Handlers } from './handlers.ts';
import type { Once } from './once.ts';

/** The parts of WorkflowService that manage accounts' own risk packs. */
export function riskPackHandlers({
  ownPacks,
  recordChange,
  once,
}: {
  ownPacks: OwnPacks;
  recordChange: RecordChange;
  once: Once;
}): Pick<
  Handlers<typeof WorkflowService>,
  'createRiskPack' | 'getRiskPack' | 'listRiskPacks' | 'updateRiskPack' | 'deleteRiskPack'
> {
  return {
    createRiskPack: (request, call) =>
      once(WorkflowService.method.createRiskPack, request, call, {
        write: async (within) => ({
          pack: await recordChange(call, {
            within,
            write: async (tx) => unwrap(await ownPacks.create(accountOf(call.caller), packIn(request), tx)),
            deed: ({ packId }) => ({ action: 'risk_pack.create', target: packId }),
          }),
        }),
      }),
    getRiskPack: async ({ packId }, { caller }) => ({
      pack: unwrap(await ownPacks.find(accountOf(caller), packId)),
    }),
    listRiskPacks: async (request, { caller }) => {
      const { items, nextPageToken } = unwrap(await ownPacks.list(accountOf(caller), request));
      return { packs: items, nextPageToken };
    },
    updateRiskPack: async (request, call) => {
      const { packId, version } = request;
      const pack = packIn(request);
      if (pack.packId !== '' && pack.packId !== packId)
        throw new FailureError(invalid('pack.packId', `is not ${packId}: the id of a pack stays`));
      const changed = await recordChange(call, {
        write: async (tx) => unwrap(await ownPacks.update(accountOf(call.caller), { ...pack, packId }, version, tx)),
        deed: (made) => ({
          ...{ action: 'risk_pack.update', target: packId },
          details: { version: String(made.version), enabled: String(made.enabled) },
        }),
      });
      return { pack: changed };
    },
    deleteRiskPack: async ({ packId }, call) => {
      await recordChange(call, {
        deed: { action: 'risk_pack.delete', target: packId },
        write: async (tx) => unwrap(await ownPacks.remove(accountOf(call.caller), packId, tx)),
      });
      return {};
    },
  };
}

function packIn({ pack }: { pack?: OwnRiskPack | undefined }): OwnRiskPack {
  // The contract's rules allow no request without a pack here.
  if (!pack) throw new Error('a request without its pack');
  return pack;
}
