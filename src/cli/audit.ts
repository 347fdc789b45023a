import type { Command } from 'commander';
import type { Database } from '../db/index.ts';
import { auditLedger, type Invariant, type Violation } from '../wallet/index.ts';

export interface AuditCommand {
  /** Opens the configured database; the returned function closes it. */
  openDatabase: () => Promise<{ db: Database; close: () => Promise<void> }>;
  /** Rules of other rooms to check in the same snapshot. */
  more?: readonly Invariant[];
  write?: (line: string) => void;
  progress?: (line: string) => void;
}

/** `audit`: checks every invariant of the ledger, one line per violation; exit code 1 if there is one. */
export function registerAudit(program: Command, options: AuditCommand): void {
  const { write = (line) => console.log(line), progress = (line) => console.error(line) } = options;
  program
    .command('audit')
    .description('Check every invariant of the ledger in one consistent snapshot. Safe while the service runs.')
    .option('--json', 'print violations as JSON Lines')
    .option('--quiet', 'show no progress')
    .action(async ({ json, quiet }: { json?: boolean; quiet?: boolean }) => {
      const { db, close } = await options.openDatabase();
      try {
        const violations = await auditLedger(db, {
          ...(options.more && { more: options.more }),
          ...(!quiet && {
            onProgress: ({ invariant, done, of, violations: found, ms }) =>
              progress(
                `[${done}/${of}] ${found === 0 ? 'ok' : `${found} BROKEN`}  ${invariant.promise} (${ms.toFixed(0)} ms)`,
              ),
          }),
        });
        for (const violation of violations) write(json ? JSON.stringify(violation) : line(violation));
        if (!quiet) progress(violations.length === 0 ? 'The ledger is sound.' : `${violations.length} violations.`);
        if (violations.length > 0) process.exitCode = 1;
      } finally {
        await close();
      }
    });
}

function line({ invariant, subject, detail }: Violation): string {
  return `${invariant}\t${subject}\t${detail}`;
}
