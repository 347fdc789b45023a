import type { Command } from 'commander';
import { formatUsd, type NanoUsd } from '../base/money.ts';
import { present } from '../base/present.ts';
import type { Catalog, PriceVersion, TokenRates } from '../catalog/index.ts';

export interface PricesCommand {
  /** Opens the configured catalog over the database; the returned function closes both. */
  openCatalog: () => Promise<{ catalog: Catalog; close: () => Promise<void> }>;
  write?: (line: string) => void;
}

interface ImportOptions {
  dryRun?: boolean;
  allowLargeChanges?: boolean;
  allowBelowCost?: boolean;
}

/** `prices import` and `prices list`: the price book, by which every node charges. */
export function registerPrices(program: Command, options: PricesCommand): void {
  const { write = (line) => console.log(line) } = options;
  const prices = program.command('prices').description('Show and change the price book, by which every node charges.');

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
        } else if (additions.length === 0) write('The book has these prices already.');
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
        for (const price of await catalog.prices()) write(json ? JSON.stringify(printed(price)) : line(price));
      }),
    );
}

async function withCatalog(options: PricesCommand, work: (catalog: Catalog) => Promise<void>): Promise<void> {
  const { catalog, close } = await options.openCatalog();
  try {
    await work(catalog);
  } finally {
    await close();
  }
}

function line(price: PriceVersion): string {
  const { item, accountId, version, effectiveAt, tiers = [], ...rates } = printed(price);
  const longer = tiers.flatMap(({ aboveInputTokens, ...others }) => [`above ${aboveInputTokens}:`, ...amounts(others)]);
  return [version, effectiveAt, item, accountId || 'everyone', ...amounts(rates), ...longer].join('\t');
}

function amounts(rates: object): string[] {
  return Object.entries(rates).map(([name, amount]) => `${name}=${amount}`);
}

function printed(price: PriceVersion) {
  return {
    version: price.version,
    effectiveAt: new Date(price.effectiveAt).toISOString(),
    item: price.item,
    accountId: price.accountId,
    ...printedTokens(price),
    ...present({ perRequestUsd: usd(price.perRequest), perThousandEventsUsd: usd(price.perThousandEvents) }),
    ...(price.tiers && {
      tiers: price.tiers.map((tier) => ({ aboveInputTokens: tier.aboveInputTokens, ...printedTokens(tier) })),
    }),
  };
}

function printedTokens(rates: TokenRates) {
  return present({
    inputPerMillionUsd: usd(rates.inputPerMillion),
    cachedInputPerMillionUsd: usd(rates.cachedInputPerMillion),
    cacheWriteInputPerMillionUsd: usd(rates.cacheWriteInputPerMillion),
    outputPerMillionUsd: usd(rates.outputPerMillion),
  });
}

function usd(amount: NanoUsd | undefined): string | undefined {
  return amount === undefined ? undefined : formatUsd(amount);
}
