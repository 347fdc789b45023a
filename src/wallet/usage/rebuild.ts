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

/** How far it is, or came: wallets that were looked at, entries that were read, rows of sums that were wrong and are right. */
export interface UsageRebuild {
  wallets: number;
  entries: number;
  corrected: number;
}

export interface UsageRebuildOptions {
  db: Database;
  /** Only this account's wallet. */
  accountId?: string | undefined;
  /** Entries that are read at once, about: whole hours are. Default 50,000, which take a third of a second. */
  stepSize?: number;
  /** Told after each step. */
  onProgress?: (progress: Readonly<UsageRebuild>) => void;
}

const walletsAtOnce = 1_000;

/**
 * Computes the sums of usage anew from the entries and corrects those that differ. It may run beside the service: whatever posts or
 * sums meanwhile changes a sum and what it should be by the same, so the difference of one moment is right to add at any later one.
 * No wallet is locked for it. Two that run at once take turns.
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
    // Read after the lock, so that nothing is added twice.
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
