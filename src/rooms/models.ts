import type { Logger } from 'pino';
import { createSeal } from '../base/seal.ts';
import { type Catalog, createCatalog } from '../catalog/index.ts';
import { createPriceStore } from '../catalog/price-store.ts';
import { createCircuitBreaker, type Overrun } from '../chat/index.ts';
import { createProviderKeys } from '../provider-keys/index.ts';
import { createProviders } from '../providers/index.ts';
import type { Callers } from './callers.ts';
import type { Foundation } from './foundation.ts';
import type { Opening } from './opening.ts';
import { catalogSettings } from './settings.ts';
import type { Telemetry } from './telemetry.ts';

export type Models = Awaited<ReturnType<typeof openModels>>;

/** Which models there are, at what price, and what they are called with. */
export async function openModels(
  { config, secrets, log, clock, stack }: Opening,
  { db, changes, limits, metrics, watchCall }: Foundation & Callers & Telemetry,
) {
  const ownKeysOf = config.ownKeys.pricePerRequestUsd === null ? [] : config.ownKeys.providers;
  const providers = stack.use(createProviders({ providers: config.providers, ownKeys: ownKeysOf, log }));
  const catalog = stack.use(
    await createCatalog({
      store: createPriceStore(db),
      settings: catalogSettings(config),
      enabledProviders: providers.enabled,
      ownKeyProviders: providers.ownKeys,
      log,
    }),
  );
  const providerKeys = stack.use(
    createProviderKeys({
      ...{ db, clock, log, changes },
      seal: createSeal(secrets.encryptionKeys),
      providers: providers.ownKeys,
    }),
  );
  await importPrices(catalog, log);
  const breaker = metrics.circuitBreaker(createCircuitBreaker({ clock }));
  /** What each flow calls models with. */
  const calling = {
    ...{ catalog, providers, breaker, clock, watchCall },
    ownKeys: providerKeys,
    reserveTokens: limits.reserveTokens,
    overran: (overrun: Overrun) => {
      metrics.observeOverrun(overrun);
      log.warn(overrun, 'an upstream went beyond what it was asked for, which is not charged');
    },
  };
  return { providers, catalog, providerKeys, breaker, calling };
}

/**
 * Imports configured prices that are not yet in the price book, and logs what is not offered. Prices that it refuses are left
 * out; the service charges by the book.
 */
async function importPrices(catalog: Catalog, log: Logger): Promise<void> {
  const { additions, problems } = await catalog.importPrices();
  for (const problem of problems) log.error({ problem }, 'prices were not imported: run "npm run cli prices import"');
  if (problems.length === 0 && additions.length > 0) log.info({ prices: additions.length }, 'prices imported');
  for (const { name, reason } of catalog.unoffered()) log.info({ model: name, reason }, 'a model is not offered');
}
