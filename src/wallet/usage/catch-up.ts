import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createRounds } from '../../base/rounds.ts';
import type { Database } from '../../db/index.ts';
import { findUnsummed, sumNext } from './catch-up-store.ts';

export interface UsageCatchUpOptions {
  db: Database;
  log: Logger;
  /** The pause between two rounds; default 5,000. */
  intervalMs?: number;
  /** How many postings to sum in one transaction, which holds the wallet's lock; default 2,000. */
  stepSize?: number;
}

/**
 * Sums usage that was not summed in its own commit: postings from before sums existed, and from nodes of an older version. Any
 * number of nodes may run it; each step is its own transaction, so it resumes where it stopped. Until then, usage is read from
 * the postings.
 */
export interface UsageCatchUp {
  /** Runs one round now; returns how many postings it summed. */
  runOnce(): Promise<number>;
  /** Runs rounds until closed. */
  start(): void;
  /** Waits for the current round. */
  close(): Promise<void>;
}

/** How many wallets a round scans; the next one continues after them. */
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
      // Leave the wallet's own groups as much time as the step took.
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
