import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createRounds } from '../../base/rounds.ts';
import type { Database } from '../../db/index.ts';
import { findUnsummed, sumNext } from './catch-up-store.ts';

export interface UsageCatchUpOptions {
  db: Database;
  log: Logger;
  /** Between two rounds; default 5,000. */
  intervalMs?: number;
  /** Postings that are summed in one transaction, which has the wallet's lock meanwhile; default 2,000. */
  stepSize?: number;
}

/**
 * Sums usage that its own commit did not sum: what was posted before there were sums, and by nodes of an older version. Any
 * number of nodes may run it; each step is a transaction of its own, so that it goes on where it stopped. Until then usage is
 * read from the postings.
 */
export interface UsageCatchUp {
  /** One round now; how many postings it summed. */
  runOnce(): Promise<number>;
  /** Rounds until closed. */
  start(): void;
  /** Waits for the round that runs. */
  close(): Promise<void>;
}

/** Wallets that a round looks at; the next one goes on with those after them. */
const walletsAtOnce = 10_000;

export function createUsageCatchUp(options: UsageCatchUpOptions): UsageCatchUp {
  const { db, log, intervalMs = 5_000, stepSize = 2_000 } = options;
  let after = '';
  let closing = false;

  async function catchUp(walletId: string): Promise<number> {
    let total = 0;
    while (!closing) {
      const started = performance.now();
      const summed = await db.transaction((tx) => sumNext(tx, walletId, stepSize));
      total += summed;
      if (summed < stepSize) break;
      // As long again for the wallet's own groups.
      await sleep(performance.now() - started);
    }
    return total;
  }

  async function runOnce(): Promise<number> {
    const { last, behind } = await findUnsummed(db, after, walletsAtOnce);
    after = last ?? '';
    let total = 0;
    for (const walletId of behind) total += await catchUp(walletId);
    if (total > 0) log.info({ postings: total, wallets: behind.length }, 'usage that was not summed has been');
    return total;
  }

  const rounds = createRounds({
    everyMs: intervalMs,
    run: runOnce,
    onError: (error) => log.warn({ err: error }, 'usage could not be summed; the next round goes on'),
  });

  return {
    runOnce,
    start: rounds.start,
    close: () => {
      closing = true;
      return rounds.close();
    },
  };
}
