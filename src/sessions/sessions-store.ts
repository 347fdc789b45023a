import { type Selectable, sql } from 'kysely';
import { type Database, lockQuota, pruneInBatches, type Queryable } from '../db/index.ts';
import { type HolderColumns, holderColumns, holderOf } from './holder-columns.ts';
import type { CodeOwner, Session, SessionHolder } from './types.ts';

interface SessionTables {
  console_session: SessionTable;
  console_passkey: { id: string };
  console_code: { digest: Buffer; account_id: string | null; operator: string | null; expires_at_ms: number };
}

interface SessionTable extends HolderColumns {
  digest: Buffer;
  id: string;
  credential: string;
  agent: string;
  created_at_ms: number;
  seen_at_ms: number;
  confirmed_at_ms: number;
  expires_at_ms: number;
  passkey_id: string | null;
  credential_ends_at_ms: number | null;
}

/** A session, and the state of its holder's credential when it started. */
export interface StoredSession {
  session: Session;
  credential: string;
}

/** All SQL about sessions and sign-in codes. Digests are SHA-256 in hexadecimal. */
export interface SessionsStore {
  /**
   * Adds a session. If its holder then has more than `most`, the least recently used ones end. False: the passkey that opened it
   * is gone, and no session is added.
   */
  insert(digest: string, stored: StoredSession, most: number): Promise<boolean>;
  load(digests: readonly string[]): Promise<Map<string, StoredSession>>;
  /** Loads sessions by id. */
  loadByIds(ids: readonly string[]): Promise<Map<string, StoredSession>>;
  /** Sessions of the account or operator, newest first, at most `limit`. */
  list(holder: SessionHolder, limit: number): Promise<StoredSession[]>;
  seen(digest: string, time: number): Promise<void>;
  confirmed(digest: string, time: number): Promise<void>;
  end(digest: string): Promise<void>;
  /** Ends a session of the account or operator by its id; returns its digest. */
  endById(holder: SessionHolder, id: string): Promise<string | undefined>;
  insertCode(digest: string, owner: CodeOwner, expireTime: number): Promise<void>;
  /** Uses up a code. Undefined if there is no working one. */
  takeCode(digest: string, now: number): Promise<CodeOwner | undefined>;
  /** Deletes expired sessions, codes and challenges. */
  sweep(now: number): Promise<void>;
}

export function createSessionsStore(database: Database): SessionsStore {
  const db = database.for<SessionTables>();

  async function insert(digest: string, { session, credential }: StoredSession, most: number): Promise<boolean> {
    const { passkeyId, credentialEndTime } = session;
    const columns = holderColumns(session.holder);
    return database.transaction(async (tx) => {
      const trx = tx.for<SessionTables>();
      // So that concurrent sign-ins also leave no more than `most`.
      await lockQuota(tx, columns.account_id ?? 'operators', 'console sessions');
      // Removing the passkey waits for this, and then ends this session too.
      if (passkeyId !== undefined) {
        const passkeys = trx.selectFrom('console_passkey').select('id').where('id', '=', passkeyId);
        if (!(await passkeys.forUpdate().executeTakeFirst())) return false;
      }
      await trx
        .insertInto('console_session')
        .values({
          digest: bytes(digest),
          id: session.id,
          ...columns,
          credential,
          agent: session.agent,
          created_at_ms: session.createTime,
          seen_at_ms: session.seenTime,
          confirmed_at_ms: session.confirmTime,
          expires_at_ms: session.expireTime,
          passkey_id: passkeyId ?? null,
          credential_ends_at_ms: credentialEndTime ?? null,
        })
        .execute();
      const others = await trx
        .selectFrom('console_session')
        .select('id')
        .where('role', '=', columns.role)
        .where('holder', '=', columns.holder)
        .where('id', '!=', session.id)
        .orderBy('seen_at_ms', 'desc')
        .orderBy('id', 'desc')
        .execute();
      const tooMany = others.slice(most - 1).map(({ id }) => id);
      if (tooMany.length > 0) await trx.deleteFrom('console_session').where('id', 'in', tooMany).execute();
      return true;
    });
  }

  async function load(digests: readonly string[]): Promise<Map<string, StoredSession>> {
    const rows = await db.selectFrom('console_session').selectAll().where('digest', 'in', digests.map(bytes)).execute();
    return new Map(rows.map((row) => [row.digest.toString('hex'), storedOf(row)]));
  }

  async function loadByIds(ids: readonly string[]): Promise<Map<string, StoredSession>> {
    const rows = await db.selectFrom('console_session').selectAll().where('id', 'in', ids).execute();
    return new Map(rows.map((row) => [String(row.id), storedOf(row)]));
  }

  async function list(holder: SessionHolder, limit: number): Promise<StoredSession[]> {
    const rows = await ownedBy(database, holder).selectAll().orderBy('id', 'desc').limit(limit).execute();
    return rows.map(storedOf);
  }

  async function endById(holder: SessionHolder, id: string): Promise<string | undefined> {
    const row = await ownedBy(database, holder).select('digest').where('id', '=', id).executeTakeFirst();
    if (!row) return undefined;
    const digest = row.digest.toString('hex');
    await end(digest);
    return digest;
  }

  async function end(digest: string): Promise<void> {
    await db.deleteFrom('console_session').where('digest', '=', bytes(digest)).execute();
  }

  async function takeCode(digest: string, now: number): Promise<CodeOwner | undefined> {
    return database.transaction(async (tx) => {
      const trx = tx.for<SessionTables>();
      const row = await trx
        .selectFrom('console_code')
        .selectAll()
        .where('digest', '=', bytes(digest))
        .forUpdate()
        .executeTakeFirst();
      if (!row) return undefined;
      await trx.deleteFrom('console_code').where('digest', '=', row.digest).execute();
      if (Number(row.expires_at_ms) <= now) return undefined;
      return row.account_id === null ? { operator: String(row.operator) } : { accountId: String(row.account_id) };
    });
  }

  async function sweep(now: number): Promise<void> {
    for (const table of ['console_session', 'console_code', 'console_challenge'])
      await pruneInBatches((limit) =>
        sql`DELETE FROM ${sql.table(table)} WHERE expires_at_ms <= ${now} ORDER BY expires_at_ms LIMIT ${sql.lit(limit)}`.execute(
          db,
        ),
      );
  }

  return {
    insert,
    load,
    loadByIds,
    list,
    async seen(digest, time) {
      await db
        .updateTable('console_session')
        .set({ seen_at_ms: sql<number>`GREATEST(seen_at_ms, ${time})` })
        .where('digest', '=', bytes(digest))
        .execute();
    },
    async confirmed(digest, time) {
      await db
        .updateTable('console_session')
        .set({ confirmed_at_ms: time })
        .where('digest', '=', bytes(digest))
        .execute();
    },
    end,
    endById,
    async insertCode(digest, owner, expireTime) {
      await db
        .insertInto('console_code')
        .values({
          digest: bytes(digest),
          account_id: 'accountId' in owner ? owner.accountId : null,
          operator: 'operator' in owner ? owner.operator : null,
          expires_at_ms: expireTime,
        })
        .execute();
    },
    takeCode,
    sweep,
  };
}

/** The sessions that a holder may see and end: those of all its account's management keys, or all the operator's. */
function ownedBy(database: Queryable, holder: SessionHolder) {
  const sessions = database.for<SessionTables>().selectFrom('console_session');
  return holder.role === 'owner'
    ? sessions.where('account_id', '=', holder.accountId)
    : sessions.where('role', '=', 'operator').where('holder', '=', holder.operator);
}

function storedOf(row: Selectable<SessionTable>): StoredSession {
  return {
    credential: String(row.credential),
    session: {
      id: String(row.id),
      holder: holderOf(row),
      agent: row.agent,
      createTime: Number(row.created_at_ms),
      seenTime: Number(row.seen_at_ms),
      confirmTime: Number(row.confirmed_at_ms),
      expireTime: Number(row.expires_at_ms),
      ...(row.passkey_id !== null && { passkeyId: String(row.passkey_id) }),
      ...(row.credential_ends_at_ms !== null && { credentialEndTime: Number(row.credential_ends_at_ms) }),
    },
  };
}

function bytes(digest: string): Buffer {
  return Buffer.from(digest, 'hex');
}
