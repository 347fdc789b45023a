import { escape as quote } from 'mysql2';
import { isDuplicateKey } from '../db/index.ts';
import { lockRows } from './group-reads-store.ts';
import type { GroupState } from './group-state.ts';
import { writeGroup } from './group-writes-store.ts';
import { type LedgerConnection, openLedgerConnection } from './ledger-connection-store.ts';
import type { Operation } from './operation.ts';

/** The transaction of one group, on the ledger's own connection. */
export interface OpenGroup {
  /** Every row that the operations look at, locked. */
  state: GroupState;
  write(groupId: string): Promise<void>;
  commit(): Promise<void>;
}

export interface GroupStore {
  /** Connects when there is no connection; never in the middle of a group. */
  begin(operations: readonly Operation[], nodeId: string): Promise<OpenGroup>;
  /** Ends the transaction that is open, if any; gives the connection up when that fails. */
  rollback(): Promise<void>;
  /** Gives the connection up at once. The next use makes another. */
  disconnect(): void;
  /**
   * Whether a group was committed whose COMMIT got no answer. Inserting its id again waits for the old transaction:
   * a duplicate means that it was committed; otherwise it never will be. (A plain read could say no and be wrong later.)
   */
  wasCommitted(groupId: string): Promise<boolean>;
  /** Keeps an operation that the database refuses for a person to look at. */
  keepDeadLetter(operation: Operation, error: unknown): Promise<void>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Under the session's `wait_timeout` of 10 s, so that a quiet connection stays. */
const keepAliveMs = 4_000;

export function createGroupStore({
  url,
  answerTimeoutMs = 10_000,
}: {
  url: string;
  answerTimeoutMs?: number;
}): GroupStore {
  let current: LedgerConnection | undefined;
  let busy = false;
  const keepAlive = setInterval(() => {
    const connection = current;
    if (connection && !busy) connection.write('DO 1').catch(() => giveUp(connection));
  }, keepAliveMs);
  keepAlive.unref();

  const connect = async () => {
    current ??= await openLedgerConnection(url, { answerTimeoutMs });
    return current;
  };
  const giveUp = (connection: LedgerConnection) => {
    connection.destroy();
    if (current === connection) current = undefined;
  };

  return {
    async begin(operations, nodeId) {
      busy = true;
      const connection = await connect();
      const state = await lockRows(connection, operations, nodeId);
      return {
        state,
        write: (groupId) => writeGroup(connection, groupId, state),
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
    async wasCommitted(groupId) {
      const connection = await connect();
      try {
        await connection.write(
          `INSERT INTO commit_group (id, outcome, created_at_us) VALUES (${quote(groupId)}, 'aborted', ${nowUs})`,
        );
        return false;
      } catch (error) {
        if (isDuplicateKey(error)) return true;
        throw error;
      }
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
    },
    async ping() {
      await (await connect()).write('DO 1');
    },
    async close() {
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
