import { unwrap } from '../base/failure.ts';
import type { Transactional } from '../db/index.ts';
import type { Device, DeviceApproval, Tokens } from '../tokens/index.ts';
import type { Doer, RecordChange } from './audit.ts';

/** Who asks for a decision, and about which device. */
type Denial = Parameters<Tokens['devices']['deny']>[0];

/** Approves and denies devices, wherever an owner decides; each decision records an audit event. Both throw the room's failures. */
export interface DeviceDecisions {
  approve(by: Doer, approval: DeviceApproval, within?: Transactional): Promise<Device>;
  deny(by: Doer, denial: Denial, within?: Transactional): Promise<void>;
}

export function createDeviceDecisions({
  tokens: { devices },
  recordChange,
}: {
  tokens: Pick<Tokens, 'devices'>;
  recordChange: RecordChange;
}): DeviceDecisions {
  return {
    approve: (by, approval, within) =>
      recordChange(by, {
        within,
        write: async (tx) => unwrap(await devices.approve(approval, tx)),
        deed: ({ id, clientId, scopes }) => ({
          ...{ action: 'device.approve', target: id },
          details: { clientId, subject: approval.subject, scopes: scopes.join(' ') },
        }),
      }),
    async deny(by, denial, within) {
      await recordChange(by, {
        within,
        write: async (tx) => unwrap(await devices.deny(denial, tx)),
        deed: (clientId) => ({ action: 'device.deny', target: clientId }),
      });
    },
  };
}
