import { sql } from 'kysely';
import type { CredentialChanges } from '../db/credential-changes.ts';
import {
  type Database,
  isDuplicateKey,
  lockQuota,
  type Queryable,
  type Transaction,
  type Transactional,
} from '../db/index.ts';
import { insertToken, type StoredToken } from './tokens-store.ts';
import type { Device, Manager } from './types.ts';

interface DeviceTables {
  device: {
    id: string;
    account_id: string;
    client_id: string;
    key_id: string;
    subject: string;
    display_name: string;
    scopes: string;
    models: string | null;
    spending_cap: bigint | null;
    approved_by: string;
    created_at_ms: number;
    used_at_ms: number | null;
    expires_at_ms: number;
    revoked_at_ms: number | null;
    revoke_reason: string | null;
  };
  device_grant: {
    device_code_hash: Buffer;
    user_code: string;
    client_id: string;
    account_id: string;
    scopes: string;
    state: string;
    device_id: string | null;
    interval_ms: number;
    polled_at_ms: number | null;
    created_at_ms: number;
    expires_at_ms: number;
    network: string;
  };
  refresh_credential: {
    secret_hash: Buffer;
    device_id: string;
    created_at_ms: number;
    expires_at_ms: number;
    used_at_ms: number | null;
  };
}

/** A device's request for activation. */
export interface Grant {
  deviceCodeHash: Buffer;
  userCode: string;
  clientId: string;
  accountId: string;
  scopes: readonly string[];
  state: 'pending' | 'approved' | 'denied' | 'redeemed';
  deviceId?: string;
  intervalMs: number;
  polledTime?: number;
  createTime: number;
  expireTime: number;
  /** The address or network that asked; empty if not recorded. */
  network: string;
}

/** How many devices are waiting for approval. */
export interface Waiting {
  all: number;
  ofAccount: number;
  ofNetwork: number;
  /** In the surrounding site: an IPv4 address's /24, or an IPv6 network's /48, which anybody can get. */
  ofSite: number;
  /** In the surrounding region: an IPv4 /16, or an IPv6 /32, which a provider has. */
  ofRegion: number;
  /** The account's own, in the site and in the region. */
  inAccount: { ofSite: number; ofRegion: number };
}

/** A device with what one refresh needs. */
export interface Refresh {
  device: Device;
  /** When the presented credential was used, if it was used before. */
  usedTime?: number;
  expireTime: number;
}

/** What a device receives in one transaction. */
export interface NewDeviceCredentials {
  refreshHash: Buffer;
  refreshExpireTime: number;
  token: StoredToken;
  time: number;
}

const prunedPerCall = 5_000;

/** All SQL about devices, their activation and their refresh credentials. */
export function createDevicesStore({
  db: database,
  changes,
  now,
}: {
  db: Database;
  changes: CredentialChanges;
  now: () => number;
}) {
  const db = database.for<DeviceTables>();

  async function countWaiting(on: Queryable, { accountId, network }: Grant, time: number): Promise<Waiting> {
    const waiting = on
      .for<DeviceTables>()
      .selectFrom('device_grant')
      .select((eb) => eb.fn.countAll().as('count'))
      .where('state', '=', 'pending')
      .where('expires_at_ms', '>', time);
    const count = async (of: typeof waiting) => Number((await of.executeTakeFirstOrThrow()).count);
    const { site, region } = around(network);
    const atSite = waiting.where('network', 'like', `${site}%`);
    const inRegion = waiting.where('network', 'like', `${region}%`);
    return {
      all: await count(waiting),
      ofAccount: await count(waiting.where('account_id', '=', accountId)),
      ofNetwork: await count(waiting.where('network', '=', network)),
      ofSite: await count(atSite),
      ofRegion: await count(inRegion),
      inAccount: {
        ofSite: await count(atSite.where('account_id', '=', accountId)),
        ofRegion: await count(inRegion.where('account_id', '=', accountId)),
      },
    };
  }

  /**
   * `taken` if the user code is: make another one. `full` if `isFull` says so for those already waiting; then nothing is stored.
   * Inserts of one account take turns; those of several accounts may exceed a bound by the number of concurrent inserts.
   */
  async function insertGrant(
    grant: Grant,
    isFull: (waiting: Waiting) => boolean,
  ): Promise<'stored' | 'taken' | 'full'> {
    // Checked before waiting for its turn: a refused flood delays nobody.
    if (isFull(await countWaiting(database, grant, grant.createTime))) return 'full';
    try {
      return await database.transaction(async (tx) => {
        await lockQuota(tx, grant.accountId, 'device-grants');
        if (isFull(await countWaiting(tx, grant, grant.createTime))) return 'full';
        await storeGrant(tx, grant);
        return 'stored';
      });
    } catch (error) {
      if (isDuplicateKey(error)) return 'taken';
      throw error;
    }
  }

  async function storeGrant(tx: Transaction, grant: Grant): Promise<void> {
    await tx
      .for<DeviceTables>()
      .insertInto('device_grant')
      .values({
        device_code_hash: grant.deviceCodeHash,
        user_code: grant.userCode,
        client_id: grant.clientId,
        account_id: grant.accountId,
        scopes: grant.scopes.join(' '),
        state: grant.state,
        device_id: null,
        interval_ms: grant.intervalMs,
        polled_at_ms: null,
        created_at_ms: grant.createTime,
        expires_at_ms: grant.expireTime,
        network: grant.network,
      })
      .execute();
  }

  /** Finds an account's grant by its user code, to show before the decision. */
  async function findGrant(accountId: string, userCode: string, on: Queryable = database): Promise<Grant | undefined> {
    const row = await on
      .for<DeviceTables>()
      .selectFrom('device_grant')
      .selectAll()
      .where('user_code', '=', userCode)
      .where('account_id', '=', accountId)
      .executeTakeFirst();
    return row && grantOf(row);
  }

  /** Decides a pending grant, once: `device` approves, undefined denies. Returns whether it was pending. */
  async function decideGrant(
    grant: Grant,
    device: Device | undefined,
    within: Transactional = database,
  ): Promise<boolean> {
    return within.transaction(async (tx) => {
      const trx = tx.for<DeviceTables>();
      const row = await trx
        .selectFrom('device_grant')
        .selectAll()
        .where('device_code_hash', '=', grant.deviceCodeHash)
        .forUpdate()
        .executeTakeFirst();
      if (row?.state !== 'pending') return false;
      if (device) await insertDevice(tx, device);
      await trx
        .updateTable('device_grant')
        .set({ state: device ? 'approved' : 'denied', device_id: device?.id ?? null })
        .where('device_code_hash', '=', grant.deviceCodeHash)
        .execute();
      return true;
    });
  }

  /**
   * Locks a grant for one poll by its device and lets `poll` decide the interval from now on and what to issue, which redeems the
   * grant for good.
   */
  async function pollGrant<T>(
    deviceCodeHash: Buffer,
    poll: (
      grant: Grant,
      device: Device | undefined,
    ) => Promise<{ answer: T; intervalMs?: number; polledTime?: number; give?: NewDeviceCredentials }>,
  ): Promise<T | undefined> {
    return database.transaction(async (tx) => {
      const trx = tx.for<DeviceTables>();
      const row = await trx
        .selectFrom('device_grant')
        .selectAll()
        .where('device_code_hash', '=', deviceCodeHash)
        .forUpdate()
        .executeTakeFirst();
      if (!row) return undefined;
      const grant = grantOf(row);
      const device = grant.deviceId === undefined ? undefined : await lockDevice(tx, grant.deviceId, now());
      const { answer, intervalMs, polledTime, give } = await poll(grant, device);
      const set = {
        ...(intervalMs !== undefined && { interval_ms: intervalMs }),
        ...(polledTime !== undefined && { polled_at_ms: polledTime }),
        ...(give && { state: 'redeemed' }),
      };
      if (Object.keys(set).length > 0)
        await trx.updateTable('device_grant').set(set).where('device_code_hash', '=', deviceCodeHash).execute();
      if (give && device) await giveCredentials(tx, device, give);
      return answer;
    });
  }

  /**
   * Locks the device that a refresh credential belongs to and lets `refresh` decide what to issue, which uses up the credential,
   * or to end the device for a reason.
   */
  async function refreshDevice<T>(
    refreshHash: Buffer,
    refresh: (found: Refresh) => Promise<{ answer: T; give?: NewDeviceCredentials; endFor?: string }>,
  ): Promise<T | undefined> {
    return database.transaction(async (tx) => {
      const trx = tx.for<DeviceTables>();
      const known = await trx
        .selectFrom('refresh_credential')
        .select('device_id')
        .where('secret_hash', '=', refreshHash)
        .executeTakeFirst();
      // Always lock the device first: two concurrent refreshes take turns.
      const device = known && (await lockDevice(tx, known.device_id, now()));
      const row = await trx
        .selectFrom('refresh_credential')
        .selectAll()
        .where('secret_hash', '=', refreshHash)
        .forUpdate()
        .executeTakeFirst();
      if (!device || !row) return undefined;
      const { answer, give, endFor } = await refresh({
        device,
        expireTime: Number(row.expires_at_ms),
        ...(row.used_at_ms !== null && { usedTime: Number(row.used_at_ms) }),
      });
      if (give) {
        await trx
          .updateTable('refresh_credential')
          .set({ used_at_ms: give.time })
          .where('secret_hash', '=', refreshHash)
          .execute();
        await giveCredentials(tx, device, give);
      }
      if (endFor !== undefined && device.state !== 'revoked') await endDevice(tx, device, endFor);
      return answer;
    });
  }

  async function giveCredentials(tx: Transaction, device: Device, give: NewDeviceCredentials): Promise<void> {
    const trx = tx.for<DeviceTables>();
    await trx
      .insertInto('refresh_credential')
      .values({
        secret_hash: give.refreshHash,
        device_id: device.id,
        created_at_ms: give.time,
        expires_at_ms: give.refreshExpireTime,
        used_at_ms: null,
      })
      .execute();
    await insertToken(tx, give.token);
    await trx.updateTable('device').set({ used_at_ms: give.time }).where('id', '=', device.id).execute();
  }

  async function endDevice(tx: Transaction, device: Device, reason: string): Promise<void> {
    await tx
      .for<DeviceTables>()
      .updateTable('device')
      .set({ revoked_at_ms: now(), revoke_reason: reason })
      .where('id', '=', device.id)
      .execute();
    await changes.append(tx, { credentialId: device.id, accountId: device.accountId, kind: 'revoked' });
  }

  /** Ends a device; undefined if its manager has none with that id. Repeating it does nothing. */
  async function revoke(
    by: Manager,
    deviceId: string,
    reason: string,
    within: Transactional = database,
  ): Promise<Device | undefined> {
    return within.transaction(async (tx) => {
      const device = await lockDevice(tx, deviceId, now());
      if (!device || !isOf(by, device)) return undefined;
      if (device.state !== 'revoked') await endDevice(tx, device, reason);
      return readDevice(tx, deviceId, now());
    });
  }

  async function list(
    query: Readonly<Manager & { subject?: string; after?: string; limit: number }>,
  ): Promise<Device[]> {
    let select = db
      .selectFrom('device')
      .selectAll()
      .where('account_id', '=', query.accountId)
      .orderBy('id', 'desc')
      .limit(query.limit);
    if (query.onlyKeyId !== undefined) select = select.where('key_id', '=', query.onlyKeyId);
    if (query.after !== undefined) select = select.where('id', '<', query.after);
    if (query.subject !== undefined) select = select.where('subject', '=', query.subject);
    return (await select.execute()).map((row) => deviceOf(row, now()));
  }

  /** The device that a refresh credential belongs to. */
  async function deviceOfRefresh(refreshHash: Buffer): Promise<Device | undefined> {
    const row = await db
      .selectFrom('refresh_credential')
      .select('device_id')
      .where('secret_hash', '=', refreshHash)
      .executeTakeFirst();
    return row && readDevice(database, row.device_id, now());
  }

  /** Deletes grants that expired before `time`, and undecided ones that expired before `undecidedTime`. */
  async function prune(time: number, undecidedTime: number): Promise<void> {
    await sql`DELETE FROM device_grant WHERE expires_at_ms < ${time} LIMIT ${sql.lit(prunedPerCall)}`.execute(db);
    await sql`DELETE FROM device_grant WHERE state = 'pending' AND expires_at_ms < ${undecidedTime}
      LIMIT ${sql.lit(prunedPerCall)}`.execute(db);
    await sql`DELETE FROM refresh_credential WHERE expires_at_ms < ${time} LIMIT ${sql.lit(prunedPerCall)}`.execute(db);
  }

  return {
    insertGrant,
    findGrant,
    decideGrant,
    pollGrant,
    refreshDevice,
    deviceOfRefresh,
    revoke,
    list,
    find: (deviceId: string) => readDevice(database, deviceId, now()),
    prune,
  };
}

/** The prefixes of a network's surrounding site and region. */
function around(network: string): { site: string; region: string } {
  const separator = network.includes(':') ? ':' : '.';
  const parts = network.split(separator);
  if (parts.length < 4) return { site: network, region: network };
  const first = (count: number) => `${parts.slice(0, count).join(separator)}${separator}`;
  return { site: first(3), region: first(2) };
}

/** Whether a manager may know about a device. */
export function isOf({ accountId, onlyKeyId }: Manager, device: Device): boolean {
  return device.accountId === accountId && (onlyKeyId === undefined || device.keyId === onlyKeyId);
}

export type DevicesStore = ReturnType<typeof createDevicesStore>;

async function readDevice(queryable: Queryable, deviceId: string, now: number): Promise<Device | undefined> {
  const row = await queryable
    .for<DeviceTables>()
    .selectFrom('device')
    .selectAll()
    .where('id', '=', deviceId)
    .executeTakeFirst();
  return row && deviceOf(row, now);
}

async function lockDevice(tx: Transaction, deviceId: string, now: number): Promise<Device | undefined> {
  const row = await tx
    .for<DeviceTables>()
    .selectFrom('device')
    .selectAll()
    .where('id', '=', deviceId)
    .forUpdate()
    .executeTakeFirst();
  return row && deviceOf(row, now);
}

async function insertDevice(tx: Transaction, device: Device): Promise<void> {
  await tx
    .for<DeviceTables>()
    .insertInto('device')
    .values({
      id: device.id,
      account_id: device.accountId,
      client_id: device.clientId,
      key_id: device.keyId,
      subject: device.subject,
      display_name: device.displayName,
      scopes: device.scopes.join(' '),
      models: device.models ? device.models.join(' ') : null,
      spending_cap: device.spendingCap ?? null,
      approved_by: device.approvedBy,
      created_at_ms: device.createTime,
      used_at_ms: null,
      expires_at_ms: device.expireTime,
      revoked_at_ms: null,
      revoke_reason: null,
    })
    .execute();
}

function grantOf(row: DeviceTables['device_grant']): Grant {
  return {
    deviceCodeHash: row.device_code_hash,
    userCode: row.user_code,
    clientId: row.client_id,
    accountId: row.account_id,
    scopes: words(row.scopes),
    state: row.state as Grant['state'],
    intervalMs: Number(row.interval_ms),
    createTime: Number(row.created_at_ms),
    expireTime: Number(row.expires_at_ms),
    network: row.network,
    ...(row.device_id !== null && { deviceId: row.device_id }),
    ...(row.polled_at_ms !== null && { polledTime: Number(row.polled_at_ms) }),
  };
}

function deviceOf(row: DeviceTables['device'], now: number): Device {
  const expireTime = Number(row.expires_at_ms);
  return {
    id: row.id,
    accountId: row.account_id,
    clientId: row.client_id,
    keyId: row.key_id,
    subject: row.subject,
    displayName: row.display_name,
    scopes: words(row.scopes),
    approvedBy: row.approved_by,
    state: row.revoked_at_ms !== null ? 'revoked' : expireTime <= now ? 'expired' : 'active',
    createTime: Number(row.created_at_ms),
    expireTime,
    ...(row.models !== null && { models: words(row.models) }),
    ...(row.spending_cap !== null && { spendingCap: BigInt(row.spending_cap) }),
    ...(row.used_at_ms !== null && { lastUsedTime: Number(row.used_at_ms) }),
    ...(row.revoked_at_ms !== null && { revokeTime: Number(row.revoked_at_ms) }),
    ...(row.revoke_reason !== null && { revokeReason: row.revoke_reason }),
  };
}

function words(text: string): string[] {
  return text.split(' ').filter(Boolean);
}
