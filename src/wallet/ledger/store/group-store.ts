import { escape as quote } from 'mysql2';
import type { GroupState } from '../decide/group-state.ts';
import type { Operation } from '../operation.ts';
import { isSameServer, type LedgerConnection, openLedgerConnection, type ServerSession } from './connection-store.ts';
import { classify } from './database-errors.ts';
import { type LockTerms, lockRows } from './lock-rows-store.ts';
import { planWrites, writeRows } from './write-rows-store.ts';

/** The transaction of one group. */
export interface OpenGroup {
  /** All rows that the operations look at, locked. */
  state: GroupState;
  /** Wallets locked elsewhere; their operations wait for a later group. */
  lockedElsewhere: ReadonlySet<string>;
  /** Writes what was decided; false if there is nothing to write, and so nothing to commit. */
  write(): Promise<boolean>;
  commit(): Promise<void>;
}

/** Where groups are committed. */
export interface GroupStore {
  /** Connects if there is no connection; never in the middle of a group. */
  begin(operations: readonly Operation[], terms: LockTerms): Promise<OpenGroup>;
  /** Rolls back the open transaction, if any; drops the connection if that fails. */
  rollback(): Promise<void>;
  /** Drops the connection at once. The next use opens another and, where possible, kills the old one's session. */
  disconnect(): void;
  /** Stores an operation that the database refuses, for a person to look at. */
  keepDeadLetter(operation: Operation, error: unknown): Promise<void>;
  /** Rejects while the database does not answer or does not accept writes. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Below the session's `wait_timeout` of 10 s, so that an idle connection stays open. */
const keepAliveMs = 4_000;

export function createGroupStore(options: { url: string; answerTimeoutMs?: number }): GroupStore {
  const { url, answerTimeoutMs = 10_000 } = options;
  let current: LedgerConnection | undefined;
  let lost: ServerSession | undefined;
  let busy = false;
  let closed = false;
  const keepAlive = setInterval(() => {
    const connection = current;
    if (connection && !busy) connection.write('DO 1').catch(() => giveUp(connection));
  }, keepAliveMs);
  keepAlive.unref();

  const connect = async () => {
    if (current) return current;
    if (closed) throw new Error('The store is closed.');
    const connection = await openLedgerConnection(url, { answerTimeoutMs });
    current = connection;
    if (lost && isSameServer(lost, connection.session))
      try {
        // A lost session's locks would block its wallets until the server notices.
        await connection.write(`KILL ${lost.id}`);
      } catch (error) {
        if (classify(error) === 'connection') {
          connection.destroy();
          current = undefined;
          throw error;
        }
        // It had already ended.
      }
    lost = undefined;
    return connection;
  };
  const giveUp = (connection: LedgerConnection) => {
    connection.destroy();
    if (current !== connection) return;
    current = undefined;
    lost = connection.session;
  };

  return {
    async begin(operations, terms) {
      busy = true;
      const connection = await connect();
      const locked = await lockRows(connection, operations, terms);
      return {
        ...locked,
        async write() {
          const writes = planWrites(locked.state);
          if (writes.length > 0) await writeRows(connection, writes);
          return writes.length > 0;
        },
        commit: async () => {
          await connection.write('COMMIT');
          busy = false;
        },
      };
    },
    async rollback() {
      const connection = current;
      busy = false;
      if (!connection) return;
      try {
        await connection.write('ROLLBACK');
      } catch {
        giveUp(connection);
      }
    },
    disconnect() {
      busy = false;
      if (current) giveUp(current);
    },
    async keepDeadLetter(operation, error) {
      const connection = await connect();
      const chargeId = 'chargeId' in operation ? operation.chargeId : undefined;
      await connection.write(
        `INSERT INTO settlement_dead_letter (charge_id, wallet_id, operation, error, created_at_us)
         VALUES (${quote(chargeId ?? operation.walletId)}, ${quote(operation.walletId)}, ${quote(describe(operation))},
           ${quote(String(error).slice(0, 2_000))}, ${nowUs})
         ON DUPLICATE KEY UPDATE operation = VALUES(operation), error = VALUES(error), created_at_us = VALUES(created_at_us)`,
      );
      await connection.write('COMMIT');
    },
    async ping() {
      const connection = await connect();
      // Fails on a server that answers but does not accept writes; the row does not exist.
      await connection.write("DELETE FROM settlement_dead_letter WHERE charge_id = ''");
      await connection.write('ROLLBACK');
    },
    async close() {
      closed = true;
      clearInterval(keepAlive);
      const connection = current;
      current = undefined;
      await connection?.close().catch(() => connection.destroy());
    },
  };
}

const nowUs = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))";

// Amounts and counts; never the reply.
function describe(operation: Operation): string {
  return JSON.stringify(operation, (key, value: unknown) => {
    if (key === 'sealedReply') return undefined;
    return typeof value === 'bigint' ? value.toString() : value;
  });
}
