import { sql } from 'kysely';
import type { Clock } from '../base/clock.ts';
import type { Database, Transaction } from './database.ts';

interface CredentialChangeTables {
  credential_change_counter: { id: number; number: number };
  credential_change: { number: number; credential_id: string; kind: string; changed_at_ms: number };
}

/** `revoked` is for ever; `changed` is anything else that makes what was read before worthless. */
export type CredentialChangeKind = 'created' | 'changed' | 'revoked';

export interface CredentialChange {
  credentialId: string;
  kind: CredentialChangeKind;
}

/** A change as the transaction that makes it knows it. */
export interface RecordedChange extends CredentialChange {
  accountId: string;
  version: number;
}

/**
 * Carries changes of keys, tokens and devices to every node, by polling a table. Rooms that cache credentials serve
 * from their cache only while `fresh()`, and drop what `onChange` names.
 */
export interface CredentialChanges {
  /**
   * Records a change as the last statement of the transaction that makes it, for the counter stays locked from here on.
   * This node's listeners hear of it right after the commit.
   */
  append(tx: Transaction, change: RecordedChange): Promise<void>;
  /** `undefined` instead of a change: anything may have changed. Returns what stops the listening. */
  onChange(listener: (change: CredentialChange | undefined) => void): () => void;
  /** Whether every change that was committed up to a second ago is known here. */
  fresh(): boolean;
  /** Polls once, then again and again until `close`. */
  start(): Promise<void>;
  close(): Promise<void>;
}

export interface CredentialChangesOptions {
  db: Database;
  clock: Clock;
  onError(error: unknown): void;
  pollEveryMs?: number;
  /** How old the last good poll may be. A change is obeyed everywhere within this time. */
  freshForMs?: number;
  pollTimeoutMs?: number;
}

const changesPerPollMax = 1_000;
/** Nodes that were away longer than this forget everything instead of reading on. */
const keptMs = 3_600_000;
const pruneEveryMs = 600_000;
const prunedPerStatement = 1_000;

export function createCredentialChanges(options: CredentialChangesOptions): CredentialChanges {
  const { clock, onError, pollEveryMs = 250, freshForMs = 1_000, pollTimeoutMs = 2_000 } = options;
  const db = options.db.for<CredentialChangeTables>();
  const listeners = new Set<(change: CredentialChange | undefined) => void>();
  let known: number | undefined;
  let knownAt = Number.NEGATIVE_INFINITY;
  let prunedAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let polling: Promise<void> | undefined;
  let closed = false;

  async function append(tx: Transaction, change: RecordedChange): Promise<void> {
    const trx = tx.for<CredentialChangeTables>();
    // Nobody can have read, or cached, a credential that did not exist.
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
    if (known === undefined) {
      // Nothing that was read before this moment may be served.
      announce(undefined);
    } else if (last > known) {
      await within(pollTimeoutMs, readChanges(known));
    }
    known = Math.max(last, known ?? 0);
    knownAt = startedAt;
    if (startedAt - prunedAt > pruneEveryMs) {
      prunedAt = startedAt;
      await within(pollTimeoutMs, prune());
    }
  }

  async function readCounter(): Promise<number> {
    const row = await db
      .selectFrom('credential_change_counter')
      .select('number')
      .where('id', '=', 1)
      .executeTakeFirstOrThrow();
    return Number(row.number);
  }

  async function readChanges(after: number): Promise<void> {
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
      // Away for so long that changes were pruned, or too many to go through one by one.
      announce(undefined);
      return;
    }
    for (const row of rows)
      announce({
        credentialId: String(row.credential_id),
        kind: String(row.kind) === 'revoked' ? 'revoked' : 'changed',
      });
    known = Math.max(known ?? 0, Number(rows.at(-1)?.number ?? after));
  }

  async function prune(): Promise<void> {
    await sql`
      DELETE FROM credential_change WHERE changed_at_ms < ${clock.now() - keptMs} ORDER BY number LIMIT ${sql.lit(prunedPerStatement)}
    `.execute(db);
  }

  function schedule(): void {
    if (closed) return;
    timer = setTimeout(() => {
      polling = poll()
        .catch(onError)
        .finally(() => {
          polling = undefined;
          schedule();
        });
    }, pollEveryMs);
    timer.unref();
  }

  return {
    append,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    fresh: () => clock.monotonic() - knownAt < freshForMs,
    async start() {
      await poll();
      schedule();
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      await polling;
    },
  };
}

/** The promise's outcome, or a rejection when it takes too long: a hung poll must not stop polling for ever. */
async function within<T>(timeoutMs: number, promise: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('the poll for credential changes took too long')), timeoutMs);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
