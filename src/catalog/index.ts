import type { Logger } from 'pino';
import { type Clock, systemClock } from '../base/clock.ts';
import { createRounds } from '../base/rounds.ts';
import type { Model, ModelSettings, PricedModel, PriceSettings } from './model.ts';
import type { Price } from './price.ts';
import {
  bookVersion,
  effectivePrice,
  type ImportPlan,
  type ImportRules,
  type PriceOrder,
  type PriceStore,
  type PriceVersion,
  planImport,
} from './price-book.ts';
import { markUp, ratesOf } from './rates.ts';
import { embeddedModel, wellKnownModels } from './well-known.ts';

export { memoryPriceStore } from './memory-price-store.ts';
export {
  type Capability,
  capabilities,
  type Model,
  type ModelSettings,
  type PricedModel,
  type PriceSettings,
} from './model.ts';
export {
  type ContextTier,
  outputTokensWithin,
  type Price,
  type PricedUsage,
  priceOf,
  type Rates,
  type TokenRates,
  worstPriceOf,
} from './price.ts';
export type { ImportPlan, ImportRules, PriceStore, PriceVersion } from './price-book.ts';
export { createPriceStore } from './price-store.ts';

/** A higher or lower price for one account, on everything. */
export interface MarkupSettings {
  accountId: string;
  percent: number;
}

export interface CatalogSettings {
  models: readonly ModelSettings[];
  /** Prices of what is not a model, by item: `workflow`, `workflow:risk.check`, `pulse`. */
  services?: Readonly<Record<string, PriceSettings>> | undefined;
  markups?: readonly MarkupSettings[] | undefined;
}

/** The models that can be chosen and what everything costs. */
export interface Catalog {
  /** Models of enabled providers whose every dimension has a price for this account now. */
  models(accountId: string): readonly PricedModel[];
  /** What an account pays now for a service such as `workflow:risk.check`. */
  price(item: string, accountId: string): Price | undefined;
  /** The price book's version at this moment; a charge keeps the version that it began with. */
  readonly version: number;
  /** Shows what importing the configured prices would do; changes nothing. */
  planPrices(rules?: ImportRules): Promise<ImportPlan>;
  /** Imports the configured prices, all or none; a plan with problems is refused. */
  importPrices(rules?: ImportRules): Promise<ImportPlan>;
  /** The whole price book. */
  prices(): Promise<readonly PriceVersion[]>;
  /** Reads the book again, as every node does each few seconds, so that all charge by the same one. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

const refreshMs = 5_000;

/**
 * Opens the catalog over a price store. `enabledProviders` decides which models can be chosen. A configured price only
 * counts once it has been imported into the book, because every node charges by the book.
 */
export async function createCatalog(deps: {
  store: PriceStore;
  settings: CatalogSettings;
  enabledProviders: readonly string[];
  log: Logger;
  clock?: Clock;
}): Promise<Catalog> {
  const { store, settings, log } = deps;
  const clock = deps.clock ?? systemClock;
  const models = enabledModels(settings.models, deps.enabledProviders);
  const orders = ordersOf(settings, models);
  let book: PriceVersion[] = [];
  let clockAheadMs = 0;
  let version = 0;
  let effectiveUntil = 0;
  const priced = new Map<string, readonly PricedModel[]>();
  const services = new Map<string, PriceVersion | null>();

  const now = () => clock.now() - clockAheadMs;

  async function refresh(): Promise<void> {
    const read = await store.read();
    clockAheadMs = clock.now() - read.now;
    book = read.versions;
    version = bookVersion(book);
    effectiveUntil = 0;
  }

  // Prices per account are kept until the next version begins.
  function current<T>(cache: Map<string, T>, key: string, make: () => T): T {
    if (now() >= effectiveUntil) {
      priced.clear();
      services.clear();
      effectiveUntil = nextBeginning(book, now());
    }
    let found = cache.get(key);
    if (found === undefined) {
      if (cache.size >= accountsKeptMax) cache.clear();
      found = make();
      cache.set(key, found);
    }
    return found;
  }

  const rounds = createRounds({
    everyMs: refreshMs,
    run: refresh,
    onError: (error) => log.warn({ err: error }, 'the price book could not be read; the last one stays'),
  });
  await refresh();
  rounds.start();

  return {
    get version() {
      return version;
    },
    models: (accountId) => current(priced, accountId, () => pricedModels(models, book, accountId, now())),
    price: (item, accountId) =>
      current(services, `${accountId} ${item}`, () => effectivePrice(book, item, accountId, now()) ?? null) ??
      undefined,
    planPrices: async (rules) => {
      await refresh();
      return planImport(book, orders, now(), rules);
    },
    importPrices: async (rules) => {
      for (let attempt = 0; attempt < importAttemptsMax; attempt++) {
        await refresh();
        const plan = planImport(book, orders, now(), rules);
        if (plan.problems.length > 0 || plan.additions.length === 0) return plan;
        if (await store.add(plan.additions)) {
          await refresh();
          return plan;
        }
      }
      throw new Error('The price book kept changing while prices were imported; try again.');
    },
    prices: async () => {
      await refresh();
      return book;
    },
    refresh,
    close: rounds.close,
  };
}

const importAttemptsMax = 5;
const accountsKeptMax = 10_000;

/** The models of enabled providers: those configured, else the well-known ones, and always the embedded one. */
function enabledModels(configured: readonly ModelSettings[], enabledProviders: readonly string[]): Enabled[] {
  const chosen = [...configured.filter((model) => enabledProviders.includes(model.provider))];
  for (const provider of enabledProviders)
    if (!configured.some((model) => model.provider === provider))
      chosen.push(...(wellKnownModels[provider] ?? []).map((model) => ({ ...model, provider })));
  if (enabledProviders.includes('builtin') && !chosen.some((model) => model.provider === 'builtin'))
    chosen.push(embeddedModel);
  return chosen.map((settings) => ({ settings, model: modelOf(settings) }));
}

interface Enabled {
  settings: ModelSettings;
  model: Model;
}

function modelOf(settings: ModelSettings): Model {
  return {
    name: `${settings.provider}/${settings.id}`,
    id: settings.id,
    provider: settings.provider,
    upstreamModel: settings.upstreamModel ?? settings.id,
    quality: settings.quality,
    contextTokens: settings.contextTokens,
    maxOutputTokens: Math.min(settings.maxOutputTokens ?? settings.contextTokens, settings.contextTokens),
    imageTokens: settings.imageTokens ?? 3_000,
    capabilities: new Set(settings.capabilities ?? []),
    embedded: settings.provider === 'builtin',
    lastResort: settings.lastResort ?? false,
  };
}

function ordersOf(settings: CatalogSettings, models: readonly Enabled[]): PriceOrder[] {
  const orders: PriceOrder[] = [];
  for (const { settings: model } of models) {
    if (!model.price) continue;
    const where = `models.${model.id}`;
    orders.push({
      item: itemOf(model),
      rates: ratesOf(model.price, `${where}.price`),
      cost: model.cost && ratesOf(model.cost, `${where}.cost`),
    });
  }
  for (const [item, price] of Object.entries(settings.services ?? {}))
    orders.push({ item, rates: ratesOf(price, item) });
  const markedUp = (settings.markups ?? []).flatMap(({ accountId, percent }) =>
    orders.map((order) => ({ ...order, accountId, rates: markUp(order.rates, percent) })),
  );
  return [...orders, ...markedUp];
}

function itemOf(model: { provider: string; id: string }): string {
  return `model:${model.provider}/${model.id}`;
}

function pricedModels(models: readonly Enabled[], book: PriceVersion[], accountId: string, now: number): PricedModel[] {
  return models.flatMap(({ model }) => {
    const price = effectivePrice(book, itemOf(model), accountId, now);
    const complete = price?.inputPerMillion !== undefined && price.outputPerMillion !== undefined;
    // A model that has no price per request asks nothing per request.
    return price && complete ? [{ model, price: { ...price, perRequest: price.perRequest ?? 0n } }] : [];
  });
}

function nextBeginning(book: readonly PriceVersion[], now: number): number {
  return book.reduce(
    (next, { effectiveAt }) => (effectiveAt > now && effectiveAt < next ? effectiveAt : next),
    Infinity,
  );
}
