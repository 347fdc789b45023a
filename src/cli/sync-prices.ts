import type { Command } from 'commander';
import type { Catalog, SyncPlan } from '../catalog/index.ts';
import { type PricesCommand, printedPrice, withCatalog } from './prices-command.ts';

interface SyncOptions {
  yes?: boolean;
  json?: boolean;
  allowLargeChanges?: boolean;
}

/** `prices sync` and `prices off`: today's list prices, and what is not offered. */
export function registerSync(prices: Command, options: PricesCommand): void {
  const { write } = options;

  prices
    .command('sync')
    .description("Show what differs between the book and the providers' list prices, and write it when confirmed.")
    .addHelpText(
      'after',
      `
The list prices are the data of the package @pydantic/genai-prices; a newer package has newer ones. Models with a
price of their own in the configuration keep it. Nothing is written without --yes or a typed "yes" at a terminal; what
is written is exactly what was shown, all or none, as a new version of the book.`,
    )
    .option('--yes', 'write the new version without asking')
    .option('--json', 'print one JSON object')
    .option('--allow-large-changes', 'take prices that change more than two times')
    .action(({ yes = false, json = false, ...rules }: SyncOptions) =>
      withCatalog(options, async (catalog) => {
        const plan = await catalog.planSync(rules);
        if (!json) show(plan, write);
        const confirmed = hasWork(plan) && (yes || (!json && (await isConfirmed(plan, options))));
        const written = confirmed && (await catalog.applySync(plan));
        if (plan.problems.length > 0 || (confirmed && !written)) process.exitCode = 1;
        if (json) write(JSON.stringify(asJson(catalog, plan, written)));
        else write(outcomeOf(plan, confirmed, written));
      }),
    );

  prices
    .command('off')
    .description('List the models of enabled providers that are not offered, and why.')
    .option('--json', 'print JSON Lines')
    .action(({ json }: { json?: boolean }) =>
      withCatalog(options, async (catalog) => {
        const off = catalog.unoffered();
        if (off.length === 0 && !json) write('Every model is offered.');
        for (const { name, reason } of off)
          write(json ? JSON.stringify({ model: name, reason }) : `${name}\t${reason}`);
      }),
    );
}

function show({ difference, problems, notes }: SyncPlan, write: (line: string) => void): void {
  for (const line of difference) write(line);
  for (const note of notes) write(`note: ${note}`);
  for (const problem of problems) write(`refused: ${problem}`);
}

function hasWork({ additions, problems }: SyncPlan): boolean {
  return additions.length > 0 && problems.length === 0;
}

async function isConfirmed({ additions }: SyncPlan, { ask }: PricesCommand): Promise<boolean> {
  const answer = await ask?.(
    `Write these ${additions.length} prices as version ${additions[0]?.version}? Type "yes": `,
  );
  return answer?.trim().toLowerCase() === 'yes';
}

function outcomeOf({ additions, problems }: SyncPlan, confirmed: boolean, written: boolean): string {
  if (problems.length > 0) return 'Nothing was written. Use --allow-large-changes to accept such prices.';
  if (additions.length === 0) return 'The book already has the list prices.';
  if (written) return `${additions.length} prices are written as version ${additions[0]?.version}.`;
  return confirmed
    ? 'Nothing was written: the book changed meanwhile. Run it again to see the difference.'
    : 'Nothing was written. Use --yes to write these prices.';
}

function asJson(catalog: Catalog, plan: SyncPlan, written: boolean) {
  const { additions, ...lines } = plan;
  return { written, ...lines, prices: additions.map(printedPrice), off: catalog.unoffered() };
}
