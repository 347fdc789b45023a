import { findProvider, type MatchLogic, type ModelInfo, type ModelPrice } from '@pydantic/genai-prices';
import { type NanoUsd, parseUsd } from '../base/money.ts';
import type { ContextTier, Rates, TokenRates } from './price.ts';
import { type Dimension, usedWhenStated } from './rates.ts';

/** A provider's public price for a model, or, as a sentence for operators, why it cannot be charged here. */
export type ListPrice = { rates: Rates; unpriced?: undefined } | { rates?: undefined; unpriced: string };

/** A list price that its provider has announced for later. */
export interface AnnouncedPrice {
  /** Milliseconds since the Unix epoch. */
  from: number;
  price: ListPrice;
}

/**
 * The list price of a provider's model at a time (milliseconds since the Unix epoch), from the data in the package
 * `@pydantic/genai-prices`, without network access. The package must list the model by its name, with or without a date; a
 * model whose name merely begins the same gives undefined. A model that bills for something that has no price here has no list
 * price either, because unknown is not zero. `texts`: for a model that only takes texts and produces none, so that only its
 * input counts.
 */
export function listPriceOf(
  provider: string,
  model: string,
  at: number,
  { texts = false }: { texts?: boolean } = {},
): ListPrice | undefined {
  const found = findModel(provider, model);
  if (!found) return undefined;
  const prices = pricesAt(found, at);
  if (!prices) return { unpriced: 'Its price depends on the time of day.' };
  return texts ? textRatesOf(prices) : ratesOf(prices);
}

/** The list prices that take effect after a given time, earliest first. */
export function announcedPrices(provider: string, model: string, after: number): AnnouncedPrice[] {
  const prices = findModel(provider, model)?.prices;
  if (!Array.isArray(prices)) return [];
  return prices
    .flatMap(({ constraint, prices }) => {
      const from = constraint?.type === 'start_date' ? Date.parse(constraint.start_date) : 0;
      return from > after ? [{ from, price: ratesOf(prices) }] : [];
    })
    .sort((a, b) => a.from - b.from);
}

/** The package's name for each dimension that has a rate here; USD per million. */
const tokenKeys = {
  input_mtok: 'inputPerMillion',
  cache_read_mtok: 'cachedInputPerMillion',
  cache_write_mtok: 'cacheWriteInputPerMillion',
  cache_write_1h_mtok: 'cacheWrite1hInputPerMillion',
  input_audio_mtok: 'audioInputPerMillion',
  output_mtok: 'outputPerMillion',
} as const satisfies Record<string, keyof TokenRates>;

type TokenKey = keyof typeof tokenKeys;

const requestsKey = 'requests_kcount';

/**
 * What needs no rate of its own: the service never asks a provider to search, no message carries video, and cached audio is
 * charged as other audio, which is more expensive.
 */
const neverUsed: ReadonlySet<string> = new Set([
  'web_searches_kcount',
  'storage_searches_kcount',
  'social_searches_kcount',
  'cache_audio_read_mtok',
  'cache_audio_write_mtok',
  'input_video_mtok',
  'cache_video_read_mtok',
]);

function findModel(providerId: string, model: string): ModelInfo | undefined {
  const provider = findProvider({ providerId });
  // The package also matches providers whose names are merely similar.
  if (provider?.id !== providerId) return undefined;
  for (const name of [model, undated(model)]) {
    const found = provider.models.find(({ id, match }) => id === name || namesIn(match).includes(name));
    if (found) return found;
  }
  return undefined;
}

function undated(model: string): string {
  return model.replace(/[-@](20\d{2}-\d{2}-\d{2}|20\d{6}|latest)$/, '');
}

function namesIn(match: MatchLogic): string[] {
  if ('or' in match) return match.or.flatMap(namesIn);
  return 'equals' in match ? [match.equals] : [];
}

/** The prices in force at a given time; undefined if they depend on the hour. */
function pricesAt({ prices }: ModelInfo, at: number): ModelPrice | undefined {
  if (!Array.isArray(prices)) return prices;
  if (prices.some(({ constraint }) => constraint !== undefined && constraint.type !== 'start_date')) return undefined;
  return prices.findLast(
    ({ constraint }) => constraint?.type !== 'start_date' || at >= Date.parse(constraint.start_date),
  )?.prices;
}

function ratesOf(prices: ModelPrice): ListPrice {
  const unknown = Object.keys(prices).filter((key) => isBilled(key, prices) && !isPriced(key));
  if (unknown.length > 0) return { unpriced: `It bills ${unknown.join(', ')}, which has no price here.` };
  if (prices.input_mtok === undefined || prices.output_mtok === undefined)
    return { unpriced: 'The list has no price for its input and output.' };
  const rates = tokenRatesAbove(prices, 0);
  const perRequest = perRequestOf(prices);
  if (!rates || perRequest === 'inexact') return { unpriced: 'Its list price is not a whole number of nano-USD.' };
  const tiers: ContextTier[] = [];
  for (const aboveInputTokens of tierStarts(prices)) {
    const tier = tokenRatesAbove(prices, aboveInputTokens + 1);
    if (!tier) return { unpriced: 'Its list price is not a whole number of nano-USD.' };
    tiers.push({ ...tier, aboveInputTokens });
  }
  return { rates: { ...rates, ...(tiers.length > 0 && { tiers }), ...(perRequest !== undefined && { perRequest }) } };
}

function textRatesOf({ input_mtok: input }: ModelPrice): ListPrice {
  const inputPerMillion = typeof input === 'number' ? exactUsd(input) : undefined;
  return inputPerMillion === undefined
    ? { unpriced: 'The list has no price for its input, or none that is a whole number of nano-USD.' }
    : { rates: { inputPerMillion } };
}

function isPriced(key: string): boolean {
  return key in tokenKeys || key === requestsKey;
}

/** Whether requests can use it. Images priced like other input are counted as other input. */
function isBilled(key: string, prices: ModelPrice): boolean {
  if (prices[key] === undefined || neverUsed.has(key)) return false;
  if (key === 'input_image_mtok') return !isSame(prices[key], prices.input_mtok);
  if (key === 'cache_image_read_mtok') return !isSame(prices[key], prices.cache_read_mtok);
  return true;
}

function isSame(one: ModelPrice[string], other: ModelPrice[string]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function tierStarts(prices: ModelPrice): number[] {
  const starts = Object.keys(tokenKeys).flatMap((key) => {
    const price = prices[key];
    return typeof price === 'object' ? price.tiers.map(({ start }) => start) : [];
  });
  return [...new Set(starts)].sort((a, b) => a - b);
}

type WholeRates = TokenRates & Required<Pick<TokenRates, 'inputPerMillion' | 'outputPerMillion'>>;

/** The rates of a request with this many input tokens; undefined if one of them is not exact. */
function tokenRatesAbove(prices: ModelPrice, inputTokens: number): WholeRates | undefined {
  const rates: TokenRates = {};
  for (const [key, dimension] of Object.entries(tokenKeys) as [TokenKey, keyof TokenRates][]) {
    const price = prices[key];
    if (price === undefined) continue;
    const usd =
      typeof price === 'number'
        ? price
        : (price.tiers.toSorted((a, b) => a.start - b.start).findLast(({ start }) => inputTokens > start)?.price ??
          price.base);
    const rate = exactUsd(usd);
    if (rate === undefined) return undefined;
    rates[dimension] = rate;
  }
  const { inputPerMillion, outputPerMillion } = rates;
  if (inputPerMillion === undefined || outputPerMillion === undefined) return undefined;
  return { ...rates, inputPerMillion, outputPerMillion };
}

function perRequestOf(prices: ModelPrice): NanoUsd | undefined | 'inexact' {
  const price = prices[requestsKey];
  if (price === undefined) return undefined;
  const perThousand = typeof price === 'number' ? exactUsd(price) : undefined;
  return perThousand === undefined || perThousand % 1_000n !== 0n ? 'inexact' : perThousand / 1_000n;
}

/**
 * The decimal amount that a number in the package was written as; undefined if that is uncertain or has more than nine
 * decimals. A double distinguishes all decimals of up to 15 significant digits and prints them as written (IEEE 754-2019,
 * 5.12.2), so no floating-point arithmetic is involved.
 */
export function exactUsd(amount: number): NanoUsd | undefined {
  const text = String(amount);
  const digits = text.replace('.', '').replace(/^0+/, '');
  return digits.length > 15 ? undefined : parseUsd(text);
}

/**
 * The token dimensions that a model's list price has and another price lacks. Nothing is kept for an hour without a rate for
 * that, and audio only goes to models that take it.
 */
export function missingDimensions(list: Rates, rates: Rates, takesAudio: boolean): string[] {
  const isUsed = (dimension: Dimension) =>
    !usedWhenStated.has(dimension) || (takesAudio && dimension === 'audioInputPerMillion');
  return Object.values(tokenKeys).filter(
    (dimension) => list[dimension] !== undefined && rates[dimension] === undefined && isUsed(dimension),
  );
}
