import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createRounds } from '../../base/rounds.ts';
import type { Database } from '../../db/index.ts';
import type { RunningLedger } from '../ledger/create-ledger.ts';
import type { ExpireOperation, RepayOperation } from '../ledger/operation.ts';
import { findExpired, findOwingWallets, sweepReplies } from './reaper-store.ts';

export interface ReaperOptions {
  db: Database;
  ledger: RunningLedger;
  log: Logger;
  /** The pause between two rounds; default 5,000. */
  intervalMs?: number;
  /**
   * How long after an outage to let waiting settlements go first before anything is expired; default 60,000. A node that has just
   * started also pauses, as it cannot know of an outage: other nodes may be waiting to settle.
   */
  restAfterOutageMs?: number;
}

/**
 * Ends expired holds, collects what wallets owe, and deletes expired replies. Any number of nodes may run it: everything goes
 * through the groups and is rechecked under the locks.
 */
export interface Reaper {
  /** Runs one round now; returns how many holds it looked at. */
  runOnce(): Promise<number>;
  /** Runs rounds until closed. */
  start(): void;
  /** Waits for the current round. */
  close(): Promise<void>;
}

const batchMax = 400;
/** The most batches per round, so that rounds end; the next one continues. */
const batchesMax = 25;
/** How long a round waits for what it submitted. A wallet that is locked elsewhere must not hold up the others. */
const waitMaxMs = 2_000;

export function createReaper(options: ReaperOptions): Reaper {
  const { db, ledger, log, intervalMs = 5_000, restAfterOutageMs = 60_000 } = options;
  /** Charges and wallets that are in the ledger's queue or that it could not process: neither is submitted again. */
  const handedIn = new Set<string>();

  function handIn(id: string, operation: ExpireOperation | RepayOperation): Promise<unknown> {
    handedIn.add(id);
    return ledger.committer.submit(operation).then(
      () => handedIn.delete(id),
      () => undefined,
    );
  }

  async function expireHolds(): Promise<number> {
    let seen = 0;
    for (let batch = 0; batch < batchesMax; batch++) {
      const found = await findExpired(db, batchMax + handedIn.size);
      const expired = found.filter(({ chargeId }) => !handedIn.has(chargeId)).slice(0, batchMax);
      await soon(expired.map((reference) => handIn(reference.chargeId, { type: 'expire', ...reference })));
      if (expired.length > 0) log.warn({ holds: expired.length }, 'holds have expired');
      seen += expired.length;
      if (expired.length < batchMax) break;
    }
    return seen;
  }

  async function runOnce(): Promise<number> {
    const { up, recoveredAt } = ledger.committer;
    if (!up || performance.now() - recoveredAt < restAfterOutageMs) return 0;
    const seen = await expireHolds();
    const owing = (await findOwingWallets(db, batchMax + handedIn.size)).filter((walletId) => !handedIn.has(walletId));
    await soon(owing.map((walletId) => handIn(walletId, { type: 'repay', walletId })));
    await sweepReplies(db, batchMax * batchesMax);
    return seen;
  }

  const rounds = createRounds({
    everyMs: intervalMs,
    run: runOnce,
    onError: (error) => log.warn({ err: error }, "the ledger's reaper could not finish its round"),
  });

  return { runOnce, ...rounds };
}

/** Resolves when all work is done or it takes too long. */
async function soon(work: readonly Promise<unknown>[]): Promise<void> {
  await Promise.race([Promise.all(work), sleep(waitMaxMs, undefined, { ref: false })]);
}
