import type { Command } from 'commander';
import type { StripeEvents } from '../payments/index.ts';

export interface TopUpsCommand {
  /** Opens the configured payments over the database; the returned function closes both. Rejects if Stripe is not the provider. */
  openPayments: () => Promise<{ payments: StripeEvents; close: () => Promise<void> }>;
  write?: (line: string) => void;
}

const dayMs = 86_400_000;
const daysMax = 400;

/**
 * `top-ups reconcile`: asks the payment provider what was paid, and settles what no event has reported; exit code 1 if
 * something needs manual attention.
 */
export function registerTopUps(program: Command, options: TopUpsCommand): void {
  const { write = (line) => console.log(line) } = options;
  program
    .command('top-ups')
    .description('Credit that is bought.')
    .command('reconcile')
    .description(
      'Check the last days with the payment provider and settle what is not settled. Safe while the service runs.',
    )
    .option('--days <days>', 'how many days to look back', '7')
    .action(async ({ days }: { days: string }) => {
      const count = Number(days);
      if (!Number.isInteger(count) || count < 1 || count > daysMax)
        throw new Error(`--days must be a whole number from 1 to ${daysMax}.`);
      const { payments, close } = await options.openPayments();
      try {
        let problems = 0;
        const seen = await payments.reconcile(Date.now() - count * dayMs, (problem) => {
          problems += 1;
          write(`PROBLEM  ${problem}`);
        });
        write(
          `${seen.sessions} sessions, ${seen.refunds} refunds and ${seen.disputes} disputes looked at; ${seen.credited} top-ups credited; ${problems} problems.`,
        );
        if (problems > 0) process.exitCode = 1;
      } finally {
        await close();
      }
    });
}
