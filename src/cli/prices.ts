import type { Command } from 'commander';
import type { PriceVersion } from '../catalog/index.ts';
import { type PricesCommand, printedPrice, withCatalog } from './prices-command.ts';
import { registerSync } from './sync-prices.ts';

interface ImportOptions {
  dryRun?: boolean;
  allowLargeChanges?: boolean;
  allowBelowCost?: boolean;
}

/** `prices import`, `sync`, `list` and `off`: the price book that every node charges by. */
export function registerPrices(program: Command, options: PricesCommand): void {
  const { write } = options;
  const prices = program.command('prices').description('Show and change the price book, which every node charges by.');

  prices
    .command('import')
    .description('Import the prices of the configuration file as a new version of the book, all or none.')
    .option('--dry-run', 'show the difference and change nothing')
    .option('--allow-large-changes', 'take prices that change more than two times')
    .option('--allow-below-cost', 'take prices below what the operator pays')
    .action(({ dryRun, ...rules }: ImportOptions) =>
      withCatalog(options, async (catalog) => {
        const { additions, difference, problems } = await (dryRun
          ? catalog.planPrices(rules)
          : catalog.importPrices(rules));
        for (const line of difference) write(line);
        for (const problem of problems) write(`refused: ${problem}`);
        if (problems.length > 0) {
          write('Nothing was imported.');
          process.exitCode = 1;
        } else if (additions.length === 0) write('The book already has these prices.');
        else
          write(
            `${additions.length} prices ${dryRun ? 'would be' : 'are'} imported as version ${additions[0]?.version}.`,
          );
      }),
    );

  prices
    .command('list')
    .description('List every version of every price, newest last.')
    .option('--json', 'print JSON Lines')
    .action(({ json }: { json?: boolean }) =>
      withCatalog(options, async (catalog) => {
        for (const price of await catalog.prices()) write(json ? JSON.stringify(printedPrice(price)) : line(price));
      }),
    );

  registerSync(prices, options);
}

function line(price: PriceVersion): string {
  const { item, accountId, version, effectiveAt, tiers = [], ...rates } = printedPrice(price);
  const longer = tiers.flatMap(({ aboveInputTokens, ...others }) => [`above ${aboveInputTokens}:`, ...amounts(others)]);
  return [version, effectiveAt, item, accountId || 'everyone', ...amounts(rates), ...longer].join('\t');
}

function amounts(rates: object): string[] {
  return Object.entries(rates).map(([name, amount]) => `${name}=${amount}`);
}
