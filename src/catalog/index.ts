import type { Logger } from 'pino';
import { type Clock, systemClock } from '../base/clock.ts';
import type { OwnKey } from '../base/own-key.ts';
import { createRounds } from '../base/rounds.ts';
import {
  type EnabledModel,
  enabledModels,
  isForChat,
  itemOf,
  notInBook,
  notListed,
  offerOf,
  ownOffers,
  ownOffersOf,
  rerankOfferOf,
  type UnofferedModel,
  vectorOfferOf,
} from './enabled-models.ts';
import type { ModelSettings, PricedEmbeddingModel, PricedModel, PricedRerankModel } from './model.ts';
import type { Price } from './price.ts';
import {
  bookVersion,
  effectivePrice,
  type ImportPlan,
  type ImportRules,
  type PriceStore,
  type PriceVersion,
  planImport,
} from './price-book.ts';
import { configuredOrders, firstOrders, listOrders, listPriceAt, notesOn, type OrderSettings } from './price-orders.ts';

export type { UnofferedModel } from './enabled-models.ts';
export { memoryPriceStore } from './memory-price-store.ts';
export {
  type Capability,
  capabilities,
  type Model,
  type ModelSettings,
  namesModel,
  type PricedEmbeddingModel,
  type PricedModel,
  type PricedRerankModel,
  type PriceSettings,
} from './model.ts';
export { chooseWithOwn, joinOffers, noOwnKey } from './own-models.ts';
export {
  type ContextTier,
  hasRate,
  type InputKinds,
  type LongestRequest,
  outputTokensWithin,
  type Price,
  type PricedUsage,
  priceOf,
  type Rates,
  type TokenRates,
  worstPriceOf,
} from './price.ts';
export type { ImportPlan, ImportRules, PriceStore, PriceVersion } from './price-book.ts';
export { type PriceLine, type PriceLineKind, priceLines } from './price-lines.ts';
export { createPriceStore } from './price-store.ts';

export interface CatalogSettings extends OrderSettings {
  models: readonly ModelSettings[];
}

/** The available models, and what everything costs. */
export interface Catalog {
  /** Chat models of enabled providers for which every dimension has a price for this account now. */
  models(accountId: string): readonly PricedModel[];
  /** The same for embedding models; they only have an input price. */
  embeddingModels(accountId: string): readonly PricedEmbeddingModel[];
  /** The same for reranking models; they have a price for input or for search units, depending on how their providers bill. */
  rerankModels(accountId: string): readonly PricedRerankModel[];
  /**
   * Chat models for an account's own keys, at the fee for a request (`byok:<provider>` in the book, whose tokens cost 0).
   * Providers without such a price, or whose keys are not accepted, have none.
   */
  ownModels(accountId: string, keys: readonly OwnKey[]): readonly PricedModel[];
  /** The same for embedding models. */
  ownEmbeddingModels(accountId: string, keys: readonly OwnKey[]): readonly PricedEmbeddingModel[];
  /** The same for reranking models. */
  ownRerankModels(accountId: string, keys: readonly OwnKey[]): readonly PricedRerankModel[];
  /** What an account pays now for a service such as `workflow:risk.check`. */
  price(item: string, accountId: string): Price | undefined;
  /** What an account paid for an item at a given time, by a given version of the book; undefined if this node has not read that version yet. */
  priceAt(item: string, accountId: string, at: { version: number; time: Date }): Price | undefined;
  /** The current version of the price book; a charge keeps the version that it began with. */
  readonly version: number;
  /** The models of enabled providers that are not offered to accounts without their own prices, and why. */
  unoffered(): readonly UnofferedModel[];
  /** Shows what importing the configured prices would do, without changing anything. */
  planPrices(rules?: ImportRules): Promise<ImportPlan>;
  /**
   * Imports the configured prices, all or none; refuses a plan with problems. A well-known model without a price in the book
   * gets its list price; existing prices stay.
   */
  importPrices(rules?: ImportRules): Promise<ImportPlan>;
  /** Compares the book with today's list prices of the models without a configured price, without changing anything. */
  planSync(rules?: ImportRules): Promise<SyncPlan>;
  /** Adds exactly what a plan shows, effective now; false if it has problems or the book has changed since. */
  applySync(plan: SyncPlan): Promise<boolean>;
  /** The whole price book. */
  prices(): Promise<readonly PriceVersion[]>;
  /** Reads the book again, as every node does every few seconds, so that all charge by the same one. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

/** What updating the book to today's list prices would do. */
export interface SyncPlan extends ImportPlan {
  /** Configured prices that differ from the list price, and announced list price changes; one line each, for humans. */
  notes: string[];
}

const refreshMs = 5_000;

/**
 * Opens the catalog over a price store. `enabledProviders` decides which models are available. A configured price only takes
 * effect once it has been imported into the book, because every node charges by the book.
 */
export async function createCatalog(deps: {
  store: PriceStore;
  settings: CatalogSettings;
  enabledProviders: readonly string[];
  /** The providers that can be called with keys that accounts brought; absent: none. */
  ownKeyProviders?: readonly string[];
  log: Logger;
  clock?: Clock;
}): Promise<Catalog> {
  const { store, settings, log } = deps;
  const clock = deps.clock ?? systemClock;
  const models = enabledModels(settings.models, deps.enabledProviders);
  const ownable = enabledModels(settings.models, deps.ownKeyProviders ?? []);
  const orders = configuredOrders(settings, models);
  let book: PriceVersion[] = [];
  let clockAheadMs = 0;
  let version = 0;
  let effectiveUntil = 0;
  const priced = new Map<string, readonly PricedModel[]>();
  const pricedEmbeddings = new Map<string, readonly PricedEmbeddingModel[]>();
  const pricedRerankers = new Map<string, readonly PricedRerankModel[]>();
  const services = new Map<string, PriceVersion | null>();

  const now = () => clock.now() - clockAheadMs;

  async function refresh(): Promise<void> {
    const read = await store.read();
    clockAheadMs = clock.now() - read.now;
    book = read.versions;
    version = bookVersion(book);
    effectiveUntil = 0;
  }

  // Cache the prices per account until the next version takes effect.
  function current<T>(cache: Map<string, T>, key: string, make: () => T): T {
    if (now() >= effectiveUntil) {
      priced.clear();
      pricedEmbeddings.clear();
      pricedRerankers.clear();
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
  /** The configured prices, and the first prices of models that have none yet. */
  function planOf(rules?: ImportRules): ImportPlan {
    return planImport(book, [...orders, ...firstOrders(settings, models, book, now())], now(), rules);
  }

  /** Each model with its offer to an account. */
  function offers(accountId: string) {
    const account = { id: accountId, now: now() };
    return models.filter(isForChat).map((enabled) => ({
      name: enabled.model.name,
      ...offerOf(enabled, book, enabled.settings.price ? undefined : listPriceAt(enabled, now()), account),
    }));
  }

  const priceOfModel = ({ model }: EnabledModel, accountId: string) =>
    effectivePrice(book, itemOf(model), accountId, now());
  const priceOfService = (item: string, accountId: string) =>
    current(services, `${accountId} ${item}`, () => effectivePrice(book, item, accountId, now()) ?? null) ?? undefined;

  await refresh();
  rounds.start();

  return {
    get version() {
      return version;
    },
    models: (accountId) =>
      current(priced, accountId, () => offers(accountId).flatMap(({ offered }) => (offered ? [offered] : []))),
    embeddingModels: (accountId) =>
      current(pricedEmbeddings, accountId, () =>
        models.flatMap((enabled) => vectorOfferOf(enabled, priceOfModel(enabled, accountId)) ?? []),
      ),
    rerankModels: (accountId) =>
      current(pricedRerankers, accountId, () =>
        models.flatMap((enabled) => rerankOfferOf(enabled, priceOfModel(enabled, accountId)) ?? []),
      ),
    ownModels: (accountId, keys) => ownOffers(ownable, keys, (item) => priceOfService(item, accountId)),
    ownEmbeddingModels: (accountId, keys) =>
      ownOffersOf(ownable, keys, (item) => priceOfService(item, accountId), vectorOfferOf),
    ownRerankModels: (accountId, keys) =>
      ownOffersOf(ownable, keys, (item) => priceOfService(item, accountId), rerankOfferOf),
    price: priceOfService,
    priceAt: (item, accountId, at) =>
      at.version > version
        ? undefined
        : effectivePrice(
            book.filter((price) => price.item === item && price.version <= at.version),
            item,
            accountId,
            at.time.getTime(),
          ),
    planPrices: async (rules) => {
      await refresh();
      return planOf(rules);
    },
    importPrices: async (rules) => {
      for (let attempt = 0; attempt < importAttemptsMax; attempt++) {
        await refresh();
        const plan = planOf(rules);
        if (plan.problems.length > 0 || plan.additions.length === 0) return plan;
        if (await store.add(plan.additions)) {
          await refresh();
          return plan;
        }
      }
      throw new Error('The price book kept changing during the import; try again.');
    },
    unoffered: () => [
      ...offers('').flatMap((offer) => (offer.offered ? [] : [{ name: offer.name, reason: offer.reason }])),
      ...models.flatMap((enabled) => {
        const price = priceOfModel(enabled, '');
        const offered = isForChat(enabled) || vectorOfferOf(enabled, price) || rerankOfferOf(enabled, price);
        return offered ? [] : [{ name: enabled.model.name, reason: reasonOfTexts(enabled, price, now()) }];
      }),
    ],
    planSync: async (rules) => {
      await refresh();
      const plan = planImport(book, listOrders(settings, models, now()), now(), rules);
      return { ...plan, notes: notesOn(models, now()) };
    },
    applySync: async ({ additions, problems }) => {
      await refresh();
      // Whoever was asked may have taken a while; a price never takes effect before it is there.
      const fresh = additions.map((addition) => ({ ...addition, effectiveAt: now() }));
      if (problems.length > 0 || fresh.some((addition) => addition.version !== version + 1)) return false;
      const added = fresh.length === 0 || (await store.add(fresh));
      await refresh();
      return added;
    },
    prices: async () => {
      await refresh();
      return book;
    },
    refresh,
    close: rounds.close,
  };
}

/** Why an embedding or reranking model is not offered. */
function reasonOfTexts(enabled: EnabledModel, price: Price | undefined, at: number): string {
  const bills = enabled.settings.rerank?.api === 'cohere' ? 'search units' : 'input';
  if (price) return `It has no price for ${bills}.`;
  const list = enabled.settings.price ? undefined : listPriceAt(enabled, at);
  return list?.unpriced ?? (enabled.settings.price || list ? notInBook : notListed);
}

const importAttemptsMax = 5;
const accountsKeptMax = 10_000;

function nextBeginning(book: readonly PriceVersion[], now: number): number {
  return book.reduce(
    (next, { effectiveAt }) => (effectiveAt > now && effectiveAt < next ? effectiveAt : next),
    Infinity,
  );
}
