import { formatUsd, type NanoUsd } from '../base/money.ts';
import { present } from '../base/present.ts';
import type { Catalog, PriceVersion, TokenRates } from '../catalog/index.ts';

export interface PricesCommand {
  /** Opens the configured catalog over the database; the returned function closes both. */
  openCatalog: () => Promise<{ catalog: Catalog; close: () => Promise<void> }>;
  write: (line: string) => void;
  /** Asks the user at the terminal; absent if there is none. */
  ask?: ((question: string) => Promise<string>) | undefined;
}

/** Runs with a catalog, and closes it afterwards. */
export async function withCatalog(options: PricesCommand, work: (catalog: Catalog) => Promise<void>): Promise<void> {
  const { catalog, close } = await options.openCatalog();
  try {
    await work(catalog);
  } finally {
    await close();
  }
}

/** A price as JSON: amounts in decimal USD. */
export function printedPrice(price: PriceVersion) {
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
    cacheWrite1hInputPerMillionUsd: usd(rates.cacheWrite1hInputPerMillion),
    audioInputPerMillionUsd: usd(rates.audioInputPerMillion),
    outputPerMillionUsd: usd(rates.outputPerMillion),
  });
}

function usd(amount: NanoUsd | undefined): string | undefined {
  return amount === undefined ? undefined : formatUsd(amount);
}
