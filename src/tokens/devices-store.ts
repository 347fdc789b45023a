import { sql } from 'kysely';
import type { CredentialChanges } from '../db/credential-changes.ts';
import { type Database, pruneInBatches, type Queryable, type Transaction, type Transactional } from '../db/index.ts';
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
  refresh_credential: {
    secret_hash: Buffer;
    device_id: string;
    created_at_ms: number;
    expires_at_ms: number;
    used_at_ms: number | null;
  };
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

/** All SQL about devices and their refresh credentials. */
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

  /** Deletes refresh credentials that expired before `time`. */
  async function prune(time: number): Promise<void> {
    await pruneInBatches((limit) =>
      sql`DELETE FROM refresh_credential WHERE expires_at_ms < ${time} LIMIT ${sql.lit(limit)}`.execute(db),
    );
  }

  return {
    refreshDevice,
    deviceOfRefresh,
    revoke,
    list,
    find: (deviceId: string) => readDevice(database, deviceId, now()),
    prune,
  };
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

export async function lockDevice(tx: Transaction, deviceId: string, now: number): Promise<Device | undefined> {
  const row = await tx
    .for<DeviceTables>()
    .selectFrom('device')
    .selectAll()
    .where('id', '=', deviceId)
    .forUpdate()
    .executeTakeFirst();
  return row && deviceOf(row, now);
}

/** Stores what a device receives. The caller has locked the device. */
export async function giveCredentials(tx: Transaction, device: Device, give: NewDeviceCredentials): Promise<void> {
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

export async function insertDevice(tx: Transaction, device: Device): Promise<void> {
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

/** A list that is stored as words. */
export function words(text: string): string[] {
  return text.split(' ').filter(Boolean);
}
