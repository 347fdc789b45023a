import { sql } from 'kysely';
import type { CredentialChanges } from '../db/credential-changes.ts';
import { type Database, pruneInBatches, type Queryable, type Transactional } from '../db/index.ts';
import type { Manager } from './types.ts';

interface TokenTables {
  access_token: {
    id: string;
    account_id: string;
    key_id: string;
    device_id: string | null;
    subject: string;
    created_at_ms: number;
    expires_at_ms: number;
    revoked_at_ms: number | null;
  };
  device: { id: string; revoked_at_ms: number | null };
}

export interface StoredToken {
  id: string;
  accountId: string;
  keyId: string;
  deviceId?: string;
  subject: string;
  createTime: number;
  expireTime: number;
}

/** What verification needs to know about a token beyond its signed claims. */
export interface TokenState {
  revoked: boolean;
}

export interface TokensStoreOptions {
  db: Database;
  changes: CredentialChanges;
}

/** All SQL about access tokens. */
export function createTokensStore({ db: database, changes }: TokensStoreOptions) {
  const db = database.for<TokenTables>();

  async function load(ids: readonly string[]): Promise<Map<string, TokenState>> {
    const rows = await db
      .selectFrom('access_token')
      .leftJoin('device', 'device.id', 'access_token.device_id')
      .select(['access_token.id', 'access_token.revoked_at_ms', 'device.revoked_at_ms as device_revoked_at_ms'])
      .where('access_token.id', 'in', ids)
      .execute();
    return new Map(
      rows.map((row) => [row.id, { revoked: row.revoked_at_ms !== null || row.device_revoked_at_ms !== null }]),
    );
  }

  /** Ends one token; returns whether its manager has such a token. */
  async function revoke(
    { accountId, onlyKeyId }: Manager,
    tokenId: string,
    { time, within = database }: { time: number; within?: Transactional | undefined },
  ): Promise<boolean> {
    return within.transaction(async (tx) => {
      const trx = tx.for<TokenTables>();
      const row = await trx
        .selectFrom('access_token')
        .select(['id', 'key_id', 'revoked_at_ms'])
        .where('id', '=', tokenId)
        .where('account_id', '=', accountId)
        .forUpdate()
        .executeTakeFirst();
      if (!row || (onlyKeyId !== undefined && row.key_id !== onlyKeyId)) return false;
      if (row.revoked_at_ms !== null) return true;
      await trx.updateTable('access_token').set({ revoked_at_ms: time }).where('id', '=', tokenId).execute();
      await changes.append(tx, { credentialId: tokenId, accountId, kind: 'revoked' });
      return true;
    });
  }

  /** Deletes tokens that expired before `time`, so that the table stays as small as the set in use. */
  async function prune(time: number): Promise<void> {
    await pruneInBatches((limit) =>
      sql`DELETE FROM access_token WHERE expires_at_ms < ${time} LIMIT ${sql.lit(limit)}`.execute(db),
    );
  }

  return {
    insert: (token: StoredToken, within: Queryable = database) => insertToken(within, token),
    load,
    revoke,
    prune,
  };
}

/** Stores a token, in the caller's transaction or on its own. */
export async function insertToken(queryable: Queryable, token: StoredToken): Promise<void> {
  await queryable
    .for<TokenTables>()
    .insertInto('access_token')
    .values({
      id: token.id,
      account_id: token.accountId,
      key_id: token.keyId,
      device_id: token.deviceId ?? null,
      subject: token.subject,
      created_at_ms: token.createTime,
      expires_at_ms: token.expireTime,
      revoked_at_ms: null,
    })
    .execute();
}
