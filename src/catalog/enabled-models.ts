import type { OwnKey } from '../base/own-key.ts';
import { type ListPrice, missingDimensions } from './list-prices.ts';
import type { Model, ModelSettings, PricedEmbeddingModel, PricedModel, PricedRerankModel } from './model.ts';
import { hasRate, type Price } from './price.ts';
import { effectivePrice, type PriceVersion } from './price-book.ts';
import { embeddedModel, embeddedReranker, wellKnownModels } from './well-known.ts';
import { wellKnownEmbeddings } from './well-known-embeddings.ts';

/** A model of an enabled provider. */
export interface EnabledModel {
  settings: ModelSettings;
  model: Model;
  /** Whether it is included because the configuration names no model of its provider. */
  wellKnown: boolean;
}

/** A model that is not offered. */
export interface UnofferedModel {
  /** `provider/id`. */
  name: string;
  /** The reason, as a sentence for operators. */
  reason: string;
}

/** The models of enabled providers: those configured, otherwise the well-known ones, and always the embedded ones. */
export function enabledModels(
  configured: readonly ModelSettings[],
  enabledProviders: readonly string[],
): EnabledModel[] {
  const chosen = configured
    .filter((model) => enabledProviders.includes(model.provider))
    .map((settings) => enabled(settings, false));
  for (const provider of enabledProviders)
    if (!configured.some((model) => model.provider === provider))
      for (const known of [wellKnownModels, wellKnownEmbeddings])
        chosen.push(...(known[provider] ?? []).map((model) => enabled({ ...model, provider }, true)));
  if (enabledProviders.includes('builtin') && !chosen.some(({ model }) => model.provider === 'builtin'))
    chosen.push(enabled(embeddedModel, false), enabled(embeddedReranker, false));
  return chosen;
}

/** A model's name in the price book. */
export function itemOf(model: { provider: string; id: string }): string {
  return `model:${model.provider}/${model.id}`;
}

/** A model with what an account pays for it now, or why it is not offered. Its list price applies if none is configured. */
export function offerOf(
  { model, settings }: EnabledModel,
  book: readonly PriceVersion[],
  list: ListPrice | undefined,
  account: { id: string; now: number },
): { offered: PricedModel } | { offered?: undefined; reason: string } {
  if (list?.unpriced !== undefined) return { reason: list.unpriced };
  const price = effectivePrice(book, itemOf(model), account.id, account.now);
  if (!price) return { reason: settings.price || list ? notInBook : notListed };
  if (price.inputPerMillion === undefined || price.outputPerMillion === undefined)
    return { reason: 'It has no price for input or for output.' };
  const takesAudio = model.capabilities.has('audio');
  const missing = list ? missingDimensions(list.rates, price, takesAudio) : [];
  if (missing.length > 0)
    return { reason: `It bills ${missing.join(', ')}, and the price book has no such price: run "prices sync".` };
  if (takesAudio && !hasRate(price, 'audioInputPerMillion')) return { reason: noAudioRate };
  // A model without a price per request charges nothing per request.
  return { offered: { model, price: { ...price, perRequest: price.perRequest ?? 0n } } };
}

/** An embedding model at a price; undefined if it is not one, or the price has no rate for input. */
export function vectorOfferOf(
  { model, settings: { embedding } }: EnabledModel,
  price: Price | undefined,
): PricedEmbeddingModel | undefined {
  if (!embedding || price?.inputPerMillion === undefined) return undefined;
  const { dimensions, dimensionsMin = dimensions } = embedding;
  return { model, embedding: { dimensions, dimensionsMin }, price: { ...price, perRequest: price.perRequest ?? 0n } };
}

/** A reranking model at a price; undefined if it is not one, or the price has no rate for what it bills. */
export function rerankOfferOf(
  { model, settings: { rerank } }: EnabledModel,
  price: Price | undefined,
): PricedRerankModel | undefined {
  if (!rerank || !price) return undefined;
  const { api, documentsMax = rerankDocumentsMax } = rerank;
  const bills = api === 'cohere' ? 'searchUnits' : 'tokens';
  const rate = bills === 'tokens' ? price.inputPerMillion : price.perThousandSearchUnits;
  if (rate === undefined) return undefined;
  return { model, rerank: { api, documentsMax, bills }, price: { ...price, perRequest: price.perRequest ?? 0n } };
}

/** Whether a model answers conversations. */
export function isForChat({ settings: { embedding, rerank } }: EnabledModel): boolean {
  return !embedding && !rerank;
}

const rerankDocumentsMax = 1_000;

/** The chat models that an account's own keys can call, at the book's fee for a request with such a key. */
export function ownOffers(
  models: readonly EnabledModel[],
  keys: readonly OwnKey[],
  priceOf: (item: string) => Price | undefined,
): PricedModel[] {
  return ownOffersOf(models.filter(isForChat), keys, priceOf, ({ model }, price) =>
    price?.outputPerMillion === undefined ? undefined : { model, price },
  );
}

/** The models that an account's own keys can call and that `offer` accepts, at the fee for a request. */
export function ownOffersOf<Offer extends PricedModel>(
  models: readonly EnabledModel[],
  keys: readonly OwnKey[],
  priceOf: (item: string) => Price | undefined,
  offer: (model: EnabledModel, price: Price | undefined) => Offer | undefined,
): Offer[] {
  return keys.flatMap((ownKey) => {
    const price = priceOf(ownKeyItemOf(ownKey.provider));
    // The book must state explicitly that tokens cost nothing; otherwise the item is not a fee.
    if (price?.perRequest === undefined || price.inputPerMillion === undefined) return [];
    return models
      .filter(({ model }) => model.provider === ownKey.provider)
      .flatMap((enabled) => offer(enabled, price) ?? [])
      .map((offered) => ({ ...offered, ownKey }));
  });
}

/** The price book's name for a request with an account's own provider key. */
function ownKeyItemOf(provider: string): string {
  return `byok:${provider}`;
}

export const notInBook = 'Its price is not in the price book: run "prices import", or "prices sync" for a list price.';
const noAudioRate =
  'It accepts audio, but its price has no audio rate, or not in each tier: state "audioInputPerMillionUsd", or leave "audio" out of its capabilities.';
export const notListed = 'It has no list price: give it a price under "models" in the configuration.';

/** A configured model, with what follows from its configuration. */
function enabled(settings: ModelSettings, wellKnown: boolean): EnabledModel {
  const model: Model = {
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
  return { settings, model, wellKnown };
}
