import { differencesOf } from './compare-rates.ts';
import { type EnabledModel, itemOf } from './enabled-models.ts';
import { announcedPrices, type ListPrice, listPriceOf } from './list-prices.ts';
import type { PriceSettings } from './model.ts';
import type { PriceOrder, PriceVersion } from './price-book.ts';
import { markUp, ratesOf } from './rates.ts';

/** A markup or markdown for one account, on everything. */
export interface MarkupSettings {
  accountId: string;
  percent: number;
}

/** What the configuration prices besides models. */
export interface OrderSettings {
  /** Prices of items other than models: `workflow`, `workflow:risk.check`, `pulse`. */
  services?: Readonly<Record<string, PriceSettings>> | undefined;
  markups?: readonly MarkupSettings[] | undefined;
}

/** The prices that the configuration states. */
export function configuredOrders(settings: OrderSettings, models: readonly EnabledModel[]): PriceOrder[] {
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
  return withMarkups(orders, settings);
}

/** The list prices of the models without a configured price. */
export function listOrders(settings: OrderSettings, models: readonly EnabledModel[], at: number): PriceOrder[] {
  const orders = models.flatMap((enabled): PriceOrder[] => {
    const rates = enabled.settings.price ? undefined : listPriceAt(enabled, at)?.rates;
    return rates ? [{ item: itemOf(enabled.model), rates }] : [];
  });
  return withMarkups(orders, settings);
}

/** The list prices of well-known models for which a book has never had a price. */
export function firstOrders(
  settings: OrderSettings,
  models: readonly EnabledModel[],
  book: readonly PriceVersion[],
  at: number,
): PriceOrder[] {
  const wellKnown = models.filter((model) => model.wellKnown);
  return listOrders(settings, wellKnown, at).filter(
    ({ item, accountId = '' }) => !book.some((version) => version.item === item && version.accountId === accountId),
  );
}

/** A model's list price at a given time, by the provider's own name for it. */
export function listPriceAt({ model, settings }: EnabledModel, at: number): ListPrice | undefined {
  const texts = settings.embedding !== undefined || settings.rerank !== undefined;
  return listPriceOf(model.provider, model.upstreamModel, at, { texts });
}

/**
 * What operators should know besides the changes to the book: a line for each configured price that differs from the list
 * price, and for each announced price.
 */
export function notesOn(models: readonly EnabledModel[], at: number): string[] {
  return models.flatMap((enabled) => {
    const { model, settings } = enabled;
    const list = listPriceAt(enabled, at)?.rates;
    const item = itemOf(model);
    const configured = settings.price && ratesOf(settings.price, `models.${model.id}.price`);
    const differences = list && configured ? differencesOf(configured, list) : [];
    const notes =
      differences.length > 0 ? [`${item}: the configuration differs from the list: ${differences.join(', ')}`] : [];
    for (const { from, price } of announcedPrices(model.provider, model.upstreamModel, at)) {
      const what = price.rates ? differencesOf(list ?? {}, price.rates).join(', ') : price.unpriced;
      notes.push(`${item}: the list changes on ${new Date(from).toISOString().slice(0, 10)}: ${what}`);
    }
    return notes;
  });
}

function withMarkups(orders: readonly PriceOrder[], { markups = [] }: OrderSettings): PriceOrder[] {
  const markedUp = markups.flatMap(({ accountId, percent }) =>
    orders.map((order) => ({ ...order, accountId, rates: markUp(order.rates, percent) })),
  );
  return [...orders, ...markedUp];
}
