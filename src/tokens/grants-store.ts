import { sql } from 'kysely';
import {
  type Database,
  isDuplicateKey,
  lockQuota,
  pruneInBatches,
  type Queryable,
  type Transaction,
  type Transactional,
} from '../db/index.ts';
import { giveCredentials, insertDevice, lockDevice, type NewDeviceCredentials, words } from './devices-store.ts';
import type { Device } from './types.ts';

interface GrantTables {
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

/** All SQL about the activation of devices. */
export function createGrantsStore({ db: database, now }: { db: Database; now: () => number }) {
  const db = database.for<GrantTables>();

  async function countWaiting(on: Queryable, { accountId, network }: Grant, time: number): Promise<Waiting> {
    const waiting = on
      .for<GrantTables>()
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
      .for<GrantTables>()
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
      .for<GrantTables>()
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
      const trx = tx.for<GrantTables>();
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
      const trx = tx.for<GrantTables>();
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

  /** Deletes grants that expired before `time`, and undecided ones that expired before `undecidedTime`. */
  async function prune(time: number, undecidedTime: number): Promise<void> {
    await pruneInBatches((limit) =>
      sql`DELETE FROM device_grant WHERE expires_at_ms < ${time} LIMIT ${sql.lit(limit)}`.execute(db),
    );
    await pruneInBatches((limit) =>
      sql`DELETE FROM device_grant WHERE state = 'pending' AND expires_at_ms < ${undecidedTime}
        LIMIT ${sql.lit(limit)}`.execute(db),
    );
  }

  return { insertGrant, findGrant, decideGrant, pollGrant, prune };
}

export type GrantsStore = ReturnType<typeof createGrantsStore>;

/** The prefixes of a network's surrounding site and region. */
function around(network: string): { site: string; region: string } {
  const separator = network.includes(':') ? ':' : '.';
  const parts = network.split(separator);
  if (parts.length < 4) return { site: network, region: network };
  const first = (count: number) => `${parts.slice(0, count).join(separator)}${separator}`;
  return { site: first(3), region: first(2) };
}

function grantOf(row: GrantTables['device_grant']): Grant {
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
