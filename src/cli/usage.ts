import type { Command } from 'commander';
import type { Database } from '../db/index.ts';
import { rebuildUsage, type UsageRebuild } from '../wallet/index.ts';

export interface UsageCommand {
  /** Opens the configured database; the returned function closes it. */
  openDatabase: () => Promise<{ db: Database; close: () => Promise<void> }>;
  write?: (line: string) => void;
  progress?: (line: string) => void;
}

const hourTimeoutMs = 15 * 60_000;

interface RebuildOptions {
  account?: string;
  json?: boolean;
  quiet?: boolean;
}

/** `usage rebuild`: recomputes the usage sums from the entries. */
export function registerUsage(program: Command, options: UsageCommand): void {
  const { write = (line) => console.log(line), progress = (line) => console.error(line) } = options;
  program
    .command('usage')
    .description('The usage sums that reports are read from.')
    .command('rebuild')
    .description('Recompute the sums from the entries and correct those that differ. Safe while the service runs.')
    .option('--account <id>', 'only this account, acc_...')
    .option('--json', 'print the result as JSON')
    .option('--quiet', 'show no progress')
    .action(async ({ account, json, quiet }: RebuildOptions) => {
      const { db, close } = await options.openDatabase();
      try {
        const done = await rebuildUsage({
          // Each hour is summed in one statement, however many entries it has.
          db: db.withQueryTimeout(hourTimeoutMs),
          accountId: account,
          ...(!quiet && { onProgress: (state) => progress(textOf(state)) }),
        });
        if (account !== undefined && done.wallets === 0)
          throw new Error(`There is no account ${account} with a wallet.`);
        write(json ? JSON.stringify(done) : textOf(done));
      } finally {
        await close();
      }
    });
}

function textOf({ wallets, entries, corrected }: Readonly<UsageRebuild>): string {
  return `${entries} entries of ${wallets} wallets read, ${corrected} sums corrected`;
}
