import { type Kysely, sql } from 'kysely';
import type { Clock } from '../base/clock.ts';
import type { CredentialChanges } from '../db/credential-changes.ts';
import { type Database, lockQuota, type Queryable, type Transactional } from '../db/index.ts';
import {
  columnsOf,
  guardrailsColumn,
  type KeyTables,
  type KeyWrite,
  keyOf,
  limitColumns,
  recordOf,
} from './key-rows.ts';
import type { StoredHash } from './pepper.ts';
import type { ApiKey, NewKey } from './types.ts';
import type { KeyRecord } from './verifier.ts';

/** All SQL about keys. `within`: the transaction to join; absent: its own. */
export interface KeysStore {
  /** False if the account already has `most` keys that are not revoked; then nothing is stored. */
  insert(key: StoredKey, most: number, within?: Transactional): Promise<boolean>;
  /** One key of one account. */
  find(accountId: string, keyId: string, within?: Transactional): Promise<ApiKey | undefined>;
  /** Newest first; `after` is the id of the last key on the previous page. */
  list(query: Readonly<{ accountId: string; after?: string; limit: number }>): Promise<ApiKey[]>;
  /** What verification needs, for keys of any account. */
  load(keyIds: readonly string[]): Promise<Map<string, KeyRecord>>;
  /**
   * Locks a key, lets `change` decide what to write, writes it with a new version, and notifies every node. `change` gets the
   * current key and the account's other management keys, also locked; nothing is written if it throws.
   */
  change(
    accountId: string,
    keyId: string,
    change: (key: ApiKey, stored: StoredHash, otherManagementKeys: readonly ApiKey[]) => KeyWrite | undefined,
    within?: Transactional,
  ): Promise<ApiKey | undefined>;
  /** Replaces a hash, unless the secret was replaced in the meantime. */
  rehash(keyId: string, from: StoredHash, to: StoredHash): Promise<void>;
  noteUses(uses: readonly { keyId: string; time: number }[]): Promise<void>;
  /** When each of these accounts last used a key, in milliseconds since the epoch; accounts that never did are omitted. */
  lastUses(accountIds: readonly string[]): Promise<Map<string, number>>;
  /** How many working keys are stored under each pepper. */
  countByPepper(): Promise<Map<number, number>>;
}

export interface StoredKey extends NewKey {
  id: string;
  scopes: readonly string[];
  secret: StoredHash;
  lastFour: string;
  createTime: number;
}

export interface KeysStoreOptions {
  db: Database;
  clock: Clock;
  changes: CredentialChanges;
}

export function createKeysStore(options: KeysStoreOptions): KeysStore {
  const { changes, clock } = options;
  const db = options.db.for<KeyTables>();

  async function insert(key: StoredKey, most: number, within: Transactional = options.db): Promise<boolean> {
    return within.transaction(async (tx) => {
      await lockQuota(tx, key.accountId, 'keys');
      const { count } = await tx
        .for<KeyTables>()
        .selectFrom('api_key')
        .select((eb) => eb.fn.countAll().as('count'))
        .where('account_id', '=', key.accountId)
        .where('revoked_at_ms', 'is', null)
        .executeTakeFirstOrThrow();
      if (Number(count) >= most) return false;
      await tx
        .for<KeyTables>()
        .insertInto('api_key')
        .values({
          id: key.id,
          account_id: key.accountId,
          kind: key.kind,
          display_name: key.displayName,
          purpose: key.purpose,
          scopes: key.scopes.join(' '),
          secret_hash: key.secret.hash,
          pepper_version: key.secret.pepperVersion,
          last_four: key.lastFour,
          version: 1,
          created_at_ms: key.createTime,
          expires_at_ms: key.expireTime ?? null,
          spending_cap: key.spendingCap ?? null,
          ...limitColumns(key.limits),
          allowed_origins: (key.allowedOrigins ?? []).join(' '),
          guardrails: guardrailsColumn(key.guardrails),
          previous_hash: null,
          previous_pepper_version: null,
          previous_expires_at_ms: null,
          rotated_at_ms: null,
          revoked_at_ms: null,
        })
        .execute();
      await changes.append(tx, {
        credentialId: key.id,
        accountId: key.accountId,
        kind: 'created',
        expireTime: key.expireTime ?? null,
      });
      return true;
    });
  }

  async function find(
    accountId: string,
    keyId: string,
    within: Transactional = options.db,
  ): Promise<ApiKey | undefined> {
    const row = await withUse(within.for<KeyTables>())
      .where('id', '=', keyId)
      .where('account_id', '=', accountId)
      .executeTakeFirst();
    return row && keyOf(row, Number(row.used_at_ms ?? 0), clock.now());
  }

  async function list(query: Readonly<{ accountId: string; after?: string; limit: number }>): Promise<ApiKey[]> {
    let select = withUse(db).where('account_id', '=', query.accountId).orderBy('id', 'desc').limit(query.limit);
    if (query.after !== undefined) select = select.where('id', '<', query.after);
    const rows = await select.execute();
    return rows.map((row) => keyOf(row, Number(row.used_at_ms ?? 0), clock.now()));
  }

  async function load(keyIds: readonly string[]): Promise<Map<string, KeyRecord>> {
    const rows = await db.selectFrom('api_key').selectAll().where('id', 'in', keyIds).execute();
    return new Map(rows.map((row) => [String(row.id), recordOf(row)]));
  }

  async function change(
    accountId: string,
    keyId: string,
    decide: (key: ApiKey, stored: StoredHash, otherManagementKeys: readonly ApiKey[]) => KeyWrite | undefined,
    within: Transactional = options.db,
  ): Promise<ApiKey | undefined> {
    return within.transaction(async (tx) => {
      const trx = tx.for<KeyTables>();
      // Lock all of the account's management keys, so that two cannot be revoked at once and leave it with none.
      const rows = await trx
        .selectFrom('api_key')
        .selectAll()
        .where('account_id', '=', accountId)
        .where((where) => where.or([where('id', '=', keyId), where('kind', '=', 'management')]))
        .orderBy('id')
        .forUpdate()
        .execute();
      const row = rows.find(({ id }) => String(id) === keyId);
      if (!row) return undefined;
      const key = keyOf(row, 0, clock.now());
      const others = rows.filter((other) => other !== row).map((other) => keyOf(other, 0, clock.now()));
      const write = decide(key, recordOf(row).secret, others);
      if (write) {
        const version = key.version + 1;
        await trx
          .updateTable('api_key')
          .set({ ...columnsOf(write), version })
          .where('id', '=', keyId)
          .execute();
        const { rotation, expireTime, revokeTime } = write;
        await changes.append(tx, {
          credentialId: keyId,
          accountId,
          kind: revokeTime === undefined ? 'changed' : 'revoked',
          ...(expireTime !== undefined && { expireTime }),
          ...(rotation && { leastVersion: { version, from: rotation.previousExpireTime } }),
        });
      }
      const after = await withUse(trx).where('id', '=', keyId).executeTakeFirstOrThrow();
      return keyOf(after, Number(after.used_at_ms ?? 0), clock.now());
    });
  }

  async function rehash(keyId: string, from: StoredHash, to: StoredHash): Promise<void> {
    await db
      .updateTable('api_key')
      .set({ secret_hash: to.hash, pepper_version: to.pepperVersion })
      .where('id', '=', keyId)
      .where('secret_hash', '=', from.hash)
      .where('pepper_version', '=', from.pepperVersion)
      .execute();
  }

  async function noteUses(uses: readonly { keyId: string; time: number }[]): Promise<void> {
    if (uses.length === 0) return;
    await db
      .insertInto('api_key_use')
      .values(uses.map(({ keyId, time }) => ({ key_id: keyId, used_at_ms: time })))
      .onDuplicateKeyUpdate({ used_at_ms: sql`GREATEST(used_at_ms, VALUES(used_at_ms))` })
      .execute();
  }

  async function lastUses(accountIds: readonly string[]): Promise<Map<string, number>> {
    if (accountIds.length === 0) return new Map();
    const rows = await db
      .selectFrom('api_key')
      .innerJoin('api_key_use', 'api_key_use.key_id', 'api_key.id')
      .where('account_id', 'in', accountIds)
      .select(['account_id', sql<number>`MAX(used_at_ms)`.as('used_at_ms')])
      .groupBy('account_id')
      .execute();
    return new Map(rows.map((row) => [String(row.account_id), Number(row.used_at_ms)]));
  }

  return {
    lastUses,
    insert,
    find,
    list,
    load,
    change,
    rehash,
    noteUses,
    countByPepper: () => countKeysByPepper(options.db, clock),
  };
}

function withUse(db: Kysely<KeyTables>) {
  return db
    .selectFrom('api_key')
    .leftJoin('api_key_use', 'api_key_use.key_id', 'api_key.id')
    .selectAll('api_key')
    .select('api_key_use.used_at_ms');
}

/** How many working keys are stored under each pepper. */
export async function countKeysByPepper(queryable: Queryable, clock: Clock): Promise<Map<number, number>> {
  const db = queryable.for<KeyTables>();
  const now = clock.now();
  const counts = new Map<number, number>();
  const working = db
    .selectFrom('api_key')
    .where('revoked_at_ms', 'is', null)
    .where((where) => where.or([where('expires_at_ms', 'is', null), where('expires_at_ms', '>', now)]));
  const current = await working
    .select(['pepper_version as version', sql<number>`COUNT(*)`.as('keys')])
    .groupBy('pepper_version')
    .execute();
  const previous = await working
    .where('previous_expires_at_ms', '>', now)
    .select(['previous_pepper_version as version', sql<number>`COUNT(*)`.as('keys')])
    .groupBy('previous_pepper_version')
    .execute();
  for (const { version, keys } of [...current, ...previous])
    counts.set(Number(version), (counts.get(Number(version)) ?? 0) + Number(keys));
  return counts;
}
