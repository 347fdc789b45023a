import { type Kysely, sql } from 'kysely';
import type { Clock } from '../base/clock.ts';
import { createRounds } from '../base/rounds.ts';
import type { Database, Transaction } from './database.ts';

interface CredentialChangeTables {
  credential_change_counter: { id: number; number: number };
  credential_change: { number: number; credential_id: string; kind: string; changed_at_ms: number };
  /** Which credentials may pay: holds read it with locks in their own commit. See its migration. */
  credential_state: {
    id: string;
    account_id: string;
    state: 'active' | 'revoked';
    least_version: number;
    least_version_from_ms: number | null;
    expires_at_ms: number | null;
    revoked_at_ms: number | null;
  };
}

/** `revoked` is permanent; `changed` is anything else that invalidates earlier reads. */
export type CredentialChangeKind = 'created' | 'changed' | 'revoked';

export interface CredentialChange {
  credentialId: string;
  kind: CredentialChangeKind;
}

/** A change as stated by the transaction that makes it: for the other nodes, and for the ledger's check of who may pay. */
export interface RecordedChange extends CredentialChange {
  accountId: string;
  /** When it expires; `null`: never; absent: unchanged. */
  expireTime?: number | null;
  /** Set by a rotation: versions below stop paying at `from`; absent: at once. */
  leastVersion?: { version: number; from?: number };
}

/**
 * Propagates changes of keys, tokens and devices to every node by polling a table. Rooms that cache credentials serve from their
 * cache only while `fresh()`, and evict what `onChange` names.
 */
export interface CredentialChanges {
  /**
   * Records a change. Call it as the last statement of the transaction that makes the change, because the counter stays locked
   * from here on. This node's listeners are notified right after the commit.
   */
  append(tx: Transaction, change: RecordedChange): Promise<void>;
  /** Subscribes to changes; `undefined` instead of a change means that anything may have changed. Returns an unsubscribe function. */
  onChange(listener: (change: CredentialChange | undefined) => void): () => void;
  /** Which of these credentials are revoked. For use when anything may have changed and the holder's next request is too late to find out. */
  revokedAmong(ids: readonly string[]): Promise<string[]>;
  /** Whether every change committed up to a second ago is known here. */
  fresh(): boolean;
  /** Polls once, then repeatedly until `close`. */
  start(): Promise<void>;
  close(): Promise<void>;
}

export interface CredentialChangesOptions {
  db: Database;
  clock: Clock;
  onError(error: unknown): void;
  pollEveryMs?: number;
  /** How old the last successful poll may be. A change takes effect everywhere within this time. */
  freshForMs?: number;
  pollTimeoutMs?: number;
}

const changesPerPollMax = 1_000;
/** How long changes are kept. Nodes that were away for longer forget everything instead of catching up. */
const keptMs = 3_600_000;
const pruneEveryMs = 600_000;
const prunedPerStatement = 1_000;
const idsPerStatement = 500;

export function createCredentialChanges(options: CredentialChangesOptions): CredentialChanges {
  const { clock, onError, pollEveryMs = 250, freshForMs = 1_000, pollTimeoutMs = 2_000 } = options;
  const db = options.db.for<CredentialChangeTables>();
  const listeners = new Set<(change: CredentialChange | undefined) => void>();
  let known: number | undefined;
  let knownAt = Number.NEGATIVE_INFINITY;
  let prunedAt = Number.NEGATIVE_INFINITY;

  async function append(tx: Transaction, change: RecordedChange): Promise<void> {
    const trx = tx.for<CredentialChangeTables>();
    await writeState(trx, change);
    // Nothing can have read or cached a credential that did not exist.
    if (change.kind === 'created') return;
    await trx.updateTable('credential_change_counter').set({ number: sql`number + 1` }).where('id', '=', 1).execute();
    await sql`
      INSERT INTO credential_change (number, credential_id, kind, changed_at_ms)
      SELECT number, ${change.credentialId}, ${change.kind}, ${clock.now()} FROM credential_change_counter WHERE id = 1
    `.execute(trx);
    tx.afterCommit(() => announce(change));
  }

  function announce(change: CredentialChange | undefined): void {
    for (const listener of listeners) listener(change);
  }

  async function poll(): Promise<void> {
    const startedAt = clock.monotonic();
    const last = await within(pollTimeoutMs, readCounter());
    if (known === undefined || last < known) {
      // Nothing read before this moment may be served. The counter goes back when another server takes over or a backup is
      // restored: the changes it had counted are lost, and their numbers are reused.
      announce(undefined);
      known = last;
    } else if (last > known) {
      known = await within(pollTimeoutMs, readChanges(known, last));
    }
    knownAt = startedAt;
    // One statement a poll, so that the next poll is in time; if there is more to prune, the next poll continues.
    if (startedAt - prunedAt > pruneEveryMs && (await within(pollTimeoutMs, prune())) < prunedPerStatement)
      prunedAt = startedAt;
  }

  async function readCounter(): Promise<number> {
    const row = await db
      .selectFrom('credential_change_counter')
      .select('number')
      .where('id', '=', 1)
      .executeTakeFirstOrThrow();
    return Number(row.number);
  }

  /** Announces the changes after a number and returns the number of the last one. */
  async function readChanges(after: number, last: number): Promise<number> {
    const rows = await db
      .selectFrom('credential_change')
      .select(['number', 'credential_id', 'kind'])
      .where('number', '>', after)
      .orderBy('number')
      .limit(changesPerPollMax)
      .execute();
    const first = rows[0];
    const isWhole = first !== undefined && Number(first.number) === after + 1 && rows.length < changesPerPollMax;
    if (!isWhole) {
      // Away for so long that changes were pruned, or there are too many to process one by one.
      announce(undefined);
      return last;
    }
    for (const row of rows)
      announce({
        credentialId: String(row.credential_id),
        kind: String(row.kind) === 'revoked' ? 'revoked' : 'changed',
      });
    return Math.max(last, Number(rows.at(-1)?.number ?? after));
  }

  async function revokedAmong(ids: readonly string[]): Promise<string[]> {
    const revoked: string[] = [];
    for (let start = 0; start < ids.length; start += idsPerStatement) {
      const rows = await db
        .selectFrom('credential_state')
        .select('id')
        .where('id', 'in', ids.slice(start, start + idsPerStatement))
        .where('state', '=', 'revoked')
        .execute();
      for (const { id } of rows) revoked.push(String(id));
    }
    return revoked;
  }

  async function prune(): Promise<number> {
    const { numAffectedRows } = await sql`
      DELETE FROM credential_change WHERE changed_at_ms < ${clock.now() - keptMs} ORDER BY number LIMIT ${sql.lit(prunedPerStatement)}
    `.execute(db);
    return Number(numAffectedRows ?? 0n);
  }

  const polls = createRounds({ everyMs: pollEveryMs, run: poll, onError });

  return {
    append,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    revokedAmong,
    fresh: () => clock.monotonic() - knownAt < freshForMs,
    async start() {
      await poll();
      polls.start();
    },
    close: polls.close,
  };
}

/** Writes what holds check. Locks the row first, so that a revocation's time is later than every hold before it. */
async function writeState(trx: Kysely<CredentialChangeTables>, change: RecordedChange): Promise<void> {
  const { credentialId: id, accountId, kind, expireTime, leastVersion } = change;
  if (kind !== 'created')
    await trx.selectFrom('credential_state').select('id').where('id', '=', id).forUpdate().execute();
  if (kind !== 'changed') {
    const revokedAt = kind === 'revoked' ? databaseTimeMs : null;
    await trx
      .insertInto('credential_state')
      .values({
        id,
        account_id: accountId,
        state: kind === 'revoked' ? 'revoked' : 'active',
        least_version: 1,
        least_version_from_ms: null,
        expires_at_ms: expireTime ?? null,
        revoked_at_ms: revokedAt,
      })
      .onDuplicateKeyUpdate({ state: sql`VALUES(state)`, revoked_at_ms: sql`VALUES(revoked_at_ms)` })
      .execute();
    return;
  }
  const set = {
    ...(expireTime !== undefined && { expires_at_ms: expireTime }),
    ...(leastVersion && { least_version: leastVersion.version, least_version_from_ms: leastVersion.from ?? null }),
  };
  if (Object.keys(set).length > 0) await trx.updateTable('credential_state').set(set).where('id', '=', id).execute();
}

const databaseTimeMs = sql<number>`FLOOR(UNIX_TIMESTAMP(UTC_TIMESTAMP(6)) * 1000)`;

/** The promise's outcome, or a rejection if it takes too long: a hung poll must not stop polling forever. */
async function within<T>(timeoutMs: number, promise: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('the poll for credential changes took too long')), timeoutMs);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
