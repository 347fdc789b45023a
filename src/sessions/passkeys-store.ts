import { hash } from 'node:crypto';
import type { Selectable } from 'kysely';
import { type Database, isDuplicateKey, lockQuota, type Transaction } from '../db/index.ts';
import { type HolderColumns, holderColumns, holderOf } from './holder-columns.ts';
import type { Passkey, SessionHolder } from './types.ts';

interface PasskeyTables {
  console_passkey: PasskeyTable;
  console_session: { digest: Buffer; id: string; credential: string; passkey_id: string | null };
}

interface PasskeyTable extends HolderColumns {
  id: string;
  credential_digest: Buffer;
  credential_id: string;
  public_key: Buffer;
  user_handle: Buffer;
  credential: string;
  name: string;
  multi_device: boolean;
  sign_count: number;
  created_at_ms: number;
  used_at_ms: number | null;
  expires_at_ms: number | null;
}

/** A passkey with what is needed to verify its answers. Bytes are base64url. */
export interface StoredPasskey {
  passkey: Passkey;
  credentialId: string;
  /** COSE (RFC 9052). */
  publicKey: Uint8Array<ArrayBuffer>;
  userHandle: string;
  signCount: number;
  /** The state of its holder's credential when it was created. */
  credential: string;
  /** When it expires. */
  endTime?: number;
}

/** All SQL about passkeys. */
export interface PasskeysStore {
  /** The state of the holder's credential that a session was opened with; undefined if the session is over. */
  credentialOfSession(tx: Transaction, sessionId: string): Promise<string | undefined>;
  /**
   * Adds a passkey, and deletes its holder's passkeys of other credentials. `full`: its holder already has `most` of this
   * credential; `known`: its credential id already exists.
   */
  insert(tx: Transaction, stored: StoredPasskey, most: number): Promise<'added' | 'full' | 'known'>;
  find(credentialId: string): Promise<StoredPasskey | undefined>;
  /** The passkeys of one key or operator. */
  ofHolder(holder: SessionHolder): Promise<StoredPasskey[]>;
  /** The passkeys of all the account's keys, or of the operator, newest first, at most `limit`. */
  list(holder: SessionHolder, limit: number): Promise<StoredPasskey[]>;
  /**
   * Records a use. False: the signature counter did not increase although its authenticator counts (WebAuthn Level 3, section
   * 6.1.1), or the passkey is gone.
   */
  used(id: string, signCount: number, time: number): Promise<boolean>;
  /**
   * Removes a passkey that `list` shows and the sessions opened with it; returns their digests in hexadecimal. Undefined: there
   * is no such passkey.
   */
  remove(tx: Transaction, holder: SessionHolder, id: string): Promise<string[] | undefined>;
  /** The passkeys of keys created before a time, with ids above `after`, in id order. */
  ofKeys(range: { after: string; before: number; limit: number }): Promise<StoredPasskey[]>;
  removeAll(ids: readonly string[]): Promise<void>;
}

export function createPasskeysStore(database: Database): PasskeysStore {
  const db = database.for<PasskeyTables>();

  async function credentialOfSession(tx: Transaction, sessionId: string): Promise<string | undefined> {
    const sessions = tx.for<PasskeyTables>().selectFrom('console_session').select('credential');
    const row = await sessions.where('id', '=', sessionId).executeTakeFirst();
    return row && String(row.credential);
  }

  async function insert(tx: Transaction, stored: StoredPasskey, most: number): Promise<'added' | 'full' | 'known'> {
    const { passkey, credential } = stored;
    const columns = holderColumns(passkey.holder);
    const trx = tx.for<PasskeyTables>();
    await lockQuota(tx, columns.account_id ?? 'operators', 'passkeys');
    const own = trx.selectFrom('console_passkey').select(['id', 'credential']).where('role', '=', columns.role);
    const rows = await own.where('holder', '=', columns.holder).execute();
    const over = rows.filter((row) => String(row.credential) !== credential).map(({ id }) => id);
    if (rows.length - over.length >= most) return 'full';
    if (over.length > 0) await trx.deleteFrom('console_passkey').where('id', 'in', over).execute();
    const known = trx.selectFrom('console_passkey').select('id');
    const digest = digestOf(stored.credentialId);
    if (await known.where('credential_digest', '=', digest).forUpdate().executeTakeFirst()) return 'known';
    const adding = trx.insertInto('console_passkey').values({
      id: passkey.id,
      credential_digest: digest,
      credential_id: stored.credentialId,
      public_key: Buffer.from(stored.publicKey),
      user_handle: fromBase64url(stored.userHandle),
      ...columns,
      credential,
      name: passkey.name,
      multi_device: passkey.multiDevice,
      sign_count: stored.signCount,
      created_at_ms: passkey.createTime,
      used_at_ms: null,
      expires_at_ms: stored.endTime ?? null,
    });
    try {
      await adding.execute();
      return 'added';
    } catch (error) {
      // Another account added it at the same moment.
      if (isDuplicateKey(error)) return 'known';
      throw error;
    }
  }

  async function find(credentialId: string): Promise<StoredPasskey | undefined> {
    const passkeys = db.selectFrom('console_passkey').selectAll();
    const row = await passkeys.where('credential_digest', '=', digestOf(credentialId)).executeTakeFirst();
    return row && storedOf(row);
  }

  async function ofHolder(holder: SessionHolder): Promise<StoredPasskey[]> {
    const { role, holder: name } = holderColumns(holder);
    const passkeys = db.selectFrom('console_passkey').selectAll().where('role', '=', role);
    return (await passkeys.where('holder', '=', name).execute()).map(storedOf);
  }

  async function list(holder: SessionHolder, limit: number): Promise<StoredPasskey[]> {
    const columns = holderColumns(holder);
    const all = db.selectFrom('console_passkey').selectAll();
    const theirs =
      columns.account_id === null
        ? all.where('role', '=', columns.role).where('holder', '=', columns.holder)
        : all.where('account_id', '=', columns.account_id);
    return (await theirs.orderBy('id', 'desc').limit(limit).execute()).map(storedOf);
  }

  async function used(id: string, signCount: number, time: number): Promise<boolean> {
    return database.transaction(async (tx) => {
      const trx = tx.for<PasskeyTables>();
      const passkeys = trx.selectFrom('console_passkey').select('sign_count').where('id', '=', id);
      const row = await passkeys.forUpdate().executeTakeFirst();
      if (!row) return false;
      const before = Number(row.sign_count);
      if (signCount <= before && (signCount > 0 || before > 0)) return false;
      const change = { sign_count: signCount, used_at_ms: time };
      await trx.updateTable('console_passkey').set(change).where('id', '=', id).execute();
      return true;
    });
  }

  async function remove(tx: Transaction, holder: SessionHolder, id: string): Promise<string[] | undefined> {
    const trx = tx.for<PasskeyTables>();
    const columns = holderColumns(holder);
    const named = trx.deleteFrom('console_passkey').where('id', '=', id);
    const { numDeletedRows } = await (columns.account_id === null
      ? named.where('role', '=', columns.role).where('holder', '=', columns.holder)
      : named.where('account_id', '=', columns.account_id)
    ).executeTakeFirst();
    if (numDeletedRows === 0n) return undefined;
    const sessions = await trx.selectFrom('console_session').select('digest').where('passkey_id', '=', id).execute();
    await trx.deleteFrom('console_session').where('passkey_id', '=', id).execute();
    return sessions.map(({ digest }) => digest.toString('hex'));
  }

  async function ofKeys({ after, before, limit }: { after: string; before: number; limit: number }) {
    const passkeys = db.selectFrom('console_passkey').selectAll().where('id', '>', after).where('role', '=', 'owner');
    return (await passkeys.where('created_at_ms', '<=', before).orderBy('id').limit(limit).execute()).map(storedOf);
  }

  async function removeAll(ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await db.deleteFrom('console_passkey').where('id', 'in', ids).execute();
  }

  return { credentialOfSession, insert, find, ofHolder, list, used, remove, ofKeys, removeAll };
}

function storedOf(row: Selectable<PasskeyTable>): StoredPasskey {
  return {
    passkey: {
      id: String(row.id),
      holder: holderOf(row),
      name: row.name,
      multiDevice: row.multi_device,
      createTime: Number(row.created_at_ms),
      ...(row.used_at_ms !== null && { useTime: Number(row.used_at_ms) }),
    },
    credentialId: String(row.credential_id),
    publicKey: new Uint8Array(row.public_key),
    userHandle: row.user_handle.toString('base64url'),
    signCount: Number(row.sign_count),
    credential: String(row.credential),
    ...(row.expires_at_ms !== null && { endTime: Number(row.expires_at_ms) }),
  };
}

function fromBase64url(text: string): Buffer {
  return Buffer.from(text, 'base64url');
}

function digestOf(credentialId: string): Buffer {
  return hash('sha256', fromBase64url(credentialId), 'buffer');
}
