import { isIPv4 } from 'node:net';
import type { Clock } from '../base/clock.ts';
import { type Failure, fail, invalid, type Result, succeed } from '../base/failure.ts';
import { newId } from '../base/ids.ts';
import { makePage, type Page, type PageRequest, readPageRequest } from '../base/page.ts';
import type { Queryable, Transactional } from '../db/index.ts';
import type { Attempts } from './attempts.ts';
import { lesserCap, violationsOf } from './bounds.ts';
import type { ClientsStore } from './clients-store.ts';
import { printUserCode, readUserCode } from './codes.ts';
import { type DevicesStore, isOf } from './devices-store.ts';
import type { Grant, GrantsStore } from './grants-store.ts';
import type { ClientApplication, Device, DeviceApproval, DeviceWish, Manager, ParentKey } from './types.ts';

/** Devices as seen by their account. */
export interface Devices {
  /**
   * What the device that shows this user code asked for. Includes decided and expired codes while they are kept. Fails with
   * `not_found`, and with `rate_limited` after ten unknown codes within a minute.
   */
  read(by: ByCode): Promise<Result<DeviceWish>>;
  /** Approves the device that shows this user code, for one end user, within what its client's key allows. */
  approve(approval: DeviceApproval, within?: Transactional): Promise<Result<Device>>;
  /** Denies the device that shows this user code; returns which client it belongs to. */
  deny(
    denial: Pick<DeviceApproval, 'accountId' | 'approvedBy' | 'onlyKeyId' | 'userCode'>,
    within?: Transactional,
  ): Promise<Result<string>>;
  get(by: Manager, deviceId: string): Promise<Result<Device>>;
  list(by: Manager, page: PageRequest & { subject?: string }): Promise<Result<Page<Device>>>;
  /** Ends a device: its access tokens within a second, its refresh credential for good. */
  revoke(by: Manager, deviceId: string, within?: Transactional): Promise<Result<Device>>;
}

type ByCode = Manager & Pick<DeviceApproval, 'userCode'>;

interface FoundGrant {
  grant: Grant;
  client: ClientApplication;
}

export interface DevicesOptions {
  store: DevicesStore;
  grants: GrantsStore;
  clients: ClientsStore;
  clock: Clock;
  attempts: Attempts;
  parentOf(keyId: string): Result<ParentKey> | Promise<Result<ParentKey>>;
}

const deviceLifeMs = 365 * 24 * 3_600_000;
const noSuchCode: Failure = { kind: 'not_found', resource: 'user code' };
const notFound: Failure = { kind: 'not_found', resource: 'device' };

export function createDevices({ store, grants, clients, clock, attempts, parentOf }: DevicesOptions): Devices {
  async function approve(approval: DeviceApproval, within?: Transactional): Promise<Result<Device>> {
    const found = await pendingGrant(approval, within);
    if (!found.ok) return found;
    const { grant, client } = found.value;
    if (client.disableTime !== undefined) return fail(noSuchCode);
    const parent = await parentOf(client.keyId);
    if (!parent.ok)
      return parent.failure.kind === 'overloaded'
        ? parent
        : fail({
            kind: 'precondition_failed',
            description: `The key of the client application "${client.displayName}" does not work any more.`,
          });
    const violations = violationsOf(approval, parent.value);
    const { displayName = '' } = approval;
    if ([...displayName].length > 200 || /\p{Cc}/u.test(displayName))
      violations.push({
        field: 'displayName',
        description: 'must have at most 200 characters, and no control characters, such as line breaks',
      });
    if (violations.length > 0) return fail({ kind: 'invalid_argument', violations });
    const now = clock.now();
    const spendingCap = lesserCap(approval.spendingCap, parent.value.spendingCap);
    const device: Device = {
      id: newId('dev'),
      accountId: grant.accountId,
      clientId: client.id,
      keyId: client.keyId,
      subject: approval.subject,
      displayName: approval.displayName || client.displayName,
      scopes: approval.scopes && approval.scopes.length > 0 ? approval.scopes : grant.scopes,
      approvedBy: approval.approvedBy,
      state: 'active',
      createTime: now,
      expireTime: Math.min(now + deviceLifeMs, parent.value.expireTime ?? Number.POSITIVE_INFINITY),
      ...(spendingCap !== undefined && { spendingCap }),
      ...(approval.models && approval.models.length > 0 && { models: approval.models }),
    };
    return (await grants.decideGrant(grant, device, within)) ? succeed(device) : fail(noSuchCode);
  }

  async function deny(denial: Parameters<Devices['deny']>[0], within?: Transactional): Promise<Result<string>> {
    const found = await pendingGrant(denial, within);
    if (!found.ok) return found;
    const { grant, client } = found.value;
    return (await grants.decideGrant(grant, undefined, within)) ? succeed(client.id) : fail(noSuchCode);
  }

  /** Finds the `wanted` grant with a user code among this account's own clients. Counts wrong codes. */
  async function findGrant(by: ByCode, wanted: (grant: Grant) => boolean, on?: Queryable): Promise<Result<FoundGrant>> {
    const attempt = attempts.begin(by.accountId);
    if (!attempt.ok) return attempt;
    try {
      const code = readUserCode(by.userCode);
      const grant = code === undefined ? undefined : await grants.findGrant(by.accountId, code, on);
      const client = grant && wanted(grant) ? await clients.find(grant.clientId, on) : undefined;
      if (!grant || !client || (by.onlyKeyId !== undefined && client.keyId !== by.onlyKeyId))
        return fail(
          code === undefined ? invalid('userCode', 'must be the 8 letters that the device shows') : noSuchCode,
        );
      attempt.value();
      return succeed({ grant, client });
    } catch (error) {
      // Nobody learns whether the code was right.
      attempt.value();
      throw error;
    }
  }

  function pendingGrant(by: ByCode, on: Queryable | undefined): Promise<Result<FoundGrant>> {
    return findGrant(by, ({ state, expireTime }) => state === 'pending' && clock.now() < expireTime, on);
  }

  async function read(by: ByCode): Promise<Result<DeviceWish>> {
    const found = await findGrant(by, () => true);
    if (!found.ok) return found;
    const { grant, client } = found.value;
    const { userCode, scopes, network, deviceId, createTime, expireTime } = grant;
    return succeed({
      ...{
        userCode: printUserCode(userCode),
        client,
        scopes,
        state: stateOf(grant, clock.now()),
        createTime,
        expireTime,
      },
      ...(network !== '' && { network: isIPv4(network) ? network : `${network}::/64` }),
      ...(deviceId !== undefined && { deviceId }),
    });
  }

  return {
    read,
    approve,
    deny,

    async get(by, deviceId) {
      const device = await store.find(deviceId);
      return device && isOf(by, device) ? succeed(device) : fail(notFound);
    },

    async list({ accountId, onlyKeyId }, { subject, ...page }) {
      const start = readPageRequest('devices', page);
      if (!start.ok) return start;
      const { size, after } = start.value;
      const rows = await store.list({
        accountId,
        onlyKeyId,
        limit: size + 1,
        ...(after !== undefined && { after }),
        ...(subject !== undefined && { subject }),
      });
      return succeed(makePage('devices', start.value, rows, ({ id }) => id));
    },

    async revoke(by, deviceId, within) {
      const device = await store.revoke(by, deviceId, 'revoked by the account', within);
      return device ? succeed(device) : fail(notFound);
    },
  };
}

/** A device that fetched its tokens was approved; a grant not decided in time can no longer be decided. */
function stateOf({ state, expireTime }: Grant, now: number): DeviceWish['state'] {
  if (state === 'pending') return now < expireTime ? 'pending' : 'expired';
  return state === 'redeemed' ? 'approved' : state;
}
