import { type Database, lockQuota, type Queryable } from '../../db/index.ts';
import { usageHourTable, usageUserHourTable } from '../tables.ts';
import {
  addMissing,
  findHours,
  findWalletsAfter,
  type HoursOfPostings,
  missingSums,
  nextHours,
  type RebuiltWallet,
  removeEmpty,
} from './rebuild-store.ts';

/** Progress or result: wallets scanned, entries read, and wrong sum rows corrected. */
export interface UsageRebuild {
  wallets: number;
  entries: number;
  corrected: number;
}

export interface UsageRebuildOptions {
  db: Database;
  /** Only this account's wallet. */
  accountId?: string | undefined;
  /** Roughly how many entries to read at once, in whole hours. Default 50,000, which takes a third of a second. */
  stepSize?: number;
  /** Called after each step. */
  onProgress?: (progress: Readonly<UsageRebuild>) => void;
}

const walletsAtOnce = 1_000;

/**
 * Recomputes the usage sums from the entries and corrects those that differ. It may run alongside the service: any concurrent
 * posting or summing changes a sum and its expected value equally, so a difference found at one moment is safe to add at any
 * later one. It locks no wallet. Concurrent runs take turns.
 */
export async function rebuildUsage(options: UsageRebuildOptions): Promise<UsageRebuild> {
  const { db, accountId, stepSize = 50_000, onProgress } = options;
  const done: UsageRebuild = { wallets: 0, entries: 0, corrected: 0 };

  async function rebuild(wallet: RebuiltWallet): Promise<void> {
    const span = await findHours(db, wallet.id);
    for (let first = span?.[0] ?? 0n, end = span?.[1] ?? 0n; first < end; ) {
      const step = await rebuildHours(db, wallet, { first, end, most: BigInt(stepSize) });
      done.entries += Number(step.seqs[1] - step.seqs[0]);
      done.corrected += step.corrected;
      onProgress?.(done);
      [, first] = step.hours;
    }
    done.wallets += 1;
  }

  for (let after = ''; ; ) {
    const wallets = await findWalletsAfter(db, { after, accountId, limit: walletsAtOnce });
    for (const wallet of wallets) await rebuild(wallet);
    const last = wallets.at(-1);
    if (!last || wallets.length < walletsAtOnce) return done;
    after = last.id;
  }
}

function rebuildHours(
  db: Database,
  { id, accountId }: RebuiltWallet,
  range: { first: bigint; end: bigint; most: bigint },
): Promise<HoursOfPostings & { corrected: number }> {
  return db.transaction(async (tx) => {
    await lockQuota(tx, accountId, 'usage-rebuild');
    // Read after taking the lock, so that nothing is added twice.
    const found = await db.snapshot(async (moment) => {
      const hours = await nextHours(moment, id, range);
      return { ...hours, missing: await missingIn(moment, id, hours) };
    });
    const { byHour, byUser } = found.missing;
    await addMissing(tx, usageHourTable, byHour);
    await addMissing(tx, usageUserHourTable, byUser);
    if (byHour.length + byUser.length > 0) await removeEmpty(tx, id, found);
    return { ...found, corrected: byHour.length + byUser.length };
  });
}

async function missingIn(moment: Queryable, walletId: string, hours: HoursOfPostings) {
  return {
    byHour: await missingSums(moment, usageHourTable, walletId, hours),
    byUser: await missingSums(moment, usageUserHourTable, walletId, hours),
  };
}
