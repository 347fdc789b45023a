import type { Logger } from 'pino';
import type { Database } from '../db/index.ts';
import { findExpired, findOwingWallets, sweepCommitGroups, sweepReplies } from './caretaker-store.ts';
import type { RunningLedger } from './create-ledger.ts';

export interface CaretakerOptions {
  db: Database;
  ledger: RunningLedger;
  log: Logger;
  /** Between two rounds; default 5,000. */
  intervalMs?: number;
  /** How long after an outage settlements that wait go first, before anything is expired; default 60,000. */
  restAfterOutageMs?: number;
}

/**
 * Ends holds whose time is over, collects what wallets owe, and deletes replies and group ids that have had their
 * time. Any number of nodes may run it: everything goes through the groups and is checked again under the locks.
 */
export interface Caretaker {
  /** One round now; how many holds it looked at. */
  runOnce(): Promise<number>;
  /** Rounds until closed. */
  start(): void;
  /** Waits for the round that runs. */
  close(): Promise<void>;
}

const batchMax = 400;
/** Batches a round, so that a round ends; the next one goes on. */
const batchesMax = 25;
/** Far longer than any node takes to ask about a commit without an answer. */
const groupsKeptMs = 7 * 24 * 3_600_000;

export function createCaretaker(options: CaretakerOptions): Caretaker {
  const { db, ledger, log, intervalMs = 5_000, restAfterOutageMs = 60_000 } = options;
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<unknown> = Promise.resolve();

  async function expireHolds(): Promise<number> {
    let seen = 0;
    for (let batch = 0; batch < batchesMax; batch++) {
      const expired = await findExpired(db, batchMax);
      await Promise.all(
        expired.map((reference) => ledger.committer.submit({ type: 'expire', ...reference }).catch(() => undefined)),
      );
      if (expired.length > 0) log.warn({ holds: expired.length }, 'holds have expired');
      seen += expired.length;
      if (expired.length < batchMax) break;
    }
    return seen;
  }

  async function runOnce(): Promise<number> {
    const { up, recoveredAt } = ledger.committer;
    if (!up || (recoveredAt !== undefined && performance.now() - recoveredAt < restAfterOutageMs)) return 0;
    const seen = await expireHolds();
    for (const walletId of await findOwingWallets(db, batchMax))
      await ledger.committer.submit({ type: 'repay', walletId });
    await sweepReplies(db, batchMax * batchesMax);
    await sweepCommitGroups(db, { keptMs: groupsKeptMs, limit: batchMax * batchesMax });
    return seen;
  }

  function startRound(): void {
    round = runOnce()
      .catch((error: unknown) => log.warn({ err: error }, "the ledger's caretaker could not finish its round"))
      .then(() => {
        if (timer) timer = setTimeout(startRound, intervalMs).unref();
      });
  }

  return {
    runOnce,
    start() {
      timer ??= setTimeout(startRound, intervalMs).unref();
    },
    async close() {
      clearTimeout(timer);
      timer = undefined;
      await round;
    },
  };
}
