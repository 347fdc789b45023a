import type { Logger } from 'pino';
import { newId } from '../../base/ids.ts';
import { connectDatabase, type Database, lockQuota, type Transaction } from '../../db/index.ts';
import { auditLedger, type Violation } from './audit.ts';
import { type AuditRun, addRun, endSilentRuns, findRun, noteRun } from './audit-runs-store.ts';
import type { Invariant } from './invariant.ts';
import { invariants } from './invariants.ts';

export type { AuditRun } from './audit-runs-store.ts';

/** Ledger audits that run alongside the service, one at a time across all nodes. */
export interface AuditRuns {
  /**
   * Starts an audit, or returns the one already running. `within` runs in the transaction that starts it and receives its id. The
   * audit continues after the reply.
   */
  start(
    actor: string,
    within: (tx: Transaction, auditId: string) => Promise<void>,
  ): Promise<{ run: AuditRun; started: boolean }>;
  /** Finds an audit by its id, or the latest one. */
  find(auditId: string | undefined): Promise<AuditRun | undefined>;
  /** Stops this node's audit, if it is running one. */
  close(): Promise<void>;
}

export interface AuditRunsOptions {
  db: Database;
  log: Logger;
  /** Other rooms' rules, checked in the same snapshot. */
  more: readonly Invariant[];
}

const beatEveryMs = 5_000;
const silentMs = 60_000;
/** Per rule: if something is broken in a thousand places, a hundred of them show it. */
const violationsPerRule = 100;

export function createAuditRuns({ db, log, more }: AuditRunsOptions): AuditRuns {
  const rules = invariants.length + more.length;
  let stop: (() => Promise<void>) | undefined;

  /** Runs on its own connections: a rule may take half an hour, and the service needs its connections, even to shut down. */
  function run(id: string): () => Promise<void> {
    const own = connectDatabase({ url: db.url, log, poolMax: 1 });
    const stopped = new AbortController();
    let rulesDone = 0;
    let violations: Violation[] = [];
    const note = (state: AuditRun['state']) => noteRun(db, { id, rulesDone, violations, state });
    const beat = () =>
      note('running').catch((error: unknown) => log.warn({ err: error }, 'an audit could not tell how far it is'));
    const timer = setInterval(() => void beat(), beatEveryMs);
    timer.unref();
    const audit = async () => {
      violations = await auditLedger(own, {
        more,
        limit: violationsPerRule,
        signal: stopped.signal,
        onProgress: ({ done }) => {
          rulesDone = done;
        },
      });
    };
    const end = async (state: AuditRun['state']) => {
      clearInterval(timer);
      await note(state).catch((error: unknown) => log.warn({ err: error }, 'the end of an audit could not be noted'));
    };
    const ended = audit().then(
      async () => {
        if (violations.length > 0)
          log.error({ audit: id, violations: violations.length }, 'the ledger audit found violations');
        await end('done');
      },
      async (error: unknown) => {
        if (!stopped.signal.aborted) log.error({ err: error, audit: id }, 'the ledger audit failed');
        await end('failed');
      },
    );
    void ended.then(() => {
      stop = undefined;
      return own.close();
    });
    return async () => {
      stopped.abort();
      await end('failed');
    };
  }

  return {
    async start(actor, within) {
      const id = newId('lau');
      const { run: found, started } = await db.transaction(async (tx) => {
        await lockQuota(tx, '', 'ledger-audit');
        await endSilentRuns(tx, silentMs);
        const running = await findRun(tx, 'running');
        if (running) return { run: running, started: false };
        await addRun(tx, { id, actor, rules });
        await within(tx, id);
        const added = await findRun(tx, { id });
        if (!added) throw new Error('An audit that was just added is gone.');
        return { run: added, started: true };
      });
      if (started) stop = run(id);
      return { run: found, started };
    },
    find: (auditId) => findRun(db, auditId === undefined ? 'last' : { id: auditId }),
    close: async () => stop?.(),
  };
}
