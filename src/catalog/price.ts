import { divideRoundingUp, maxOf, minOf, type NanoUsd } from '../base/money.ts';

/** What tokens cost, in nano-USD a million. A rate that is absent is unknown, which is not a rate of zero. */
export interface TokenRates {
  inputPerMillion?: NanoUsd;
  /** Input that the provider had cached; without it, cached input costs what other input costs. */
  cachedInputPerMillion?: NanoUsd;
  /** Input that the provider wrote into its cache; without it, such input costs what other input costs. */
  cacheWriteInputPerMillion?: NanoUsd;
  /** Input that the provider wrote into its cache for an hour; without it, such input costs what other cache writes cost. */
  cacheWrite1hInputPerMillion?: NanoUsd;
  /** Audio, cached or not; without it, audio costs what other input costs. A model that takes audio is not offered without it. */
  audioInputPerMillion?: NanoUsd;
  outputPerMillion?: NanoUsd;
}

/** Other rates for long requests: with more input than this, every token of the request costs them, output included. */
export interface ContextTier extends TokenRates {
  aboveInputTokens: number;
  inputPerMillion: NanoUsd;
  outputPerMillion: NanoUsd;
}

/** What is charged for, in nano-USD. A dimension that is absent has no price, which is not a price of zero. */
export interface Rates extends TokenRates {
  /** In rising order of `aboveInputTokens`. */
  tiers?: readonly ContextTier[];
  perRequest?: NanoUsd;
  perThousandEvents?: NanoUsd;
  /** Of models that rank documents: a thousand queries with up to 100 documents each. */
  perThousandSearchUnits?: NanoUsd;
}

/** One immutable version of a price. */
export interface Price extends Rates {
  /** The version of the price book that brought it. */
  version: number;
}

/**
 * What one request used. Reasoning tokens are output tokens. Audio, cached tokens and those written into the cache are
 * input tokens, and none is two of these; those written for an hour are part of those written.
 */
export interface PricedUsage {
  inputTokens?: number;
  cachedInputTokens?: number;
  cacheWriteInputTokens?: number;
  cacheWrite1hInputTokens?: number;
  audioInputTokens?: number;
  outputTokens?: number;
  requests?: number;
  events?: number;
  searchUnits?: number;
}

/** The most that one request can have, and what of it there can be at all. */
export interface LongestRequest extends InputKinds {
  inputTokens: number;
  outputTokens: number;
}

/** Kinds of input that only some requests can have. */
export interface InputKinds {
  /** Input that is kept for an hour. */
  cacheWrite1h?: boolean | undefined;
  audio?: boolean | undefined;
}

/**
 * What a usage costs: the exact sum, rounded up once to a whole nano-USD, and at least 1 nano when anything that was
 * used has a price above zero. A used dimension without a price throws: such a model is never enabled.
 */
export function priceOf(usage: PricedUsage, price: Rates): NanoUsd {
  const rates = tokenRatesAt(price, usage.inputTokens ?? 0);
  const { plain, audio, cached, written, written1h } = inputParts(usage, rates);
  const millionths =
    charged(plain, rates.inputPerMillion) +
    charged(...audio) +
    charged(...cached) +
    charged(...written) +
    charged(...written1h) +
    charged(count(usage.outputTokens), rates.outputPerMillion) +
    charged(count(usage.requests), price.perRequest) * 1_000_000n +
    charged(count(usage.events), price.perThousandEvents) * 1_000n +
    charged(count(usage.searchUnits), price.perThousandSearchUnits) * 1_000n;
  return divideRoundingUp(millionths, 1_000_000n);
}

/** Input tokens by what they cost: each is in one part. A part other than plain input comes with its rate. */
export function inputParts(usage: PricedUsage, rates: TokenRates) {
  const inputTokens = count(usage.inputTokens);
  const audio = minOf(count(usage.audioInputTokens), inputTokens);
  const cached = minOf(count(usage.cachedInputTokens), inputTokens - audio);
  const written = minOf(count(usage.cacheWriteInputTokens), inputTokens - audio - cached);
  const written1h = minOf(count(usage.cacheWrite1hInputTokens), written);
  const { inputPerMillion, cacheWriteInputPerMillion: writeRate = inputPerMillion } = rates;
  return {
    plain: inputTokens - audio - cached - written,
    audio: [audio, rates.audioInputPerMillion ?? inputPerMillion],
    cached: [cached, rates.cachedInputPerMillion ?? inputPerMillion],
    written: [written - written1h, writeRate],
    written1h: [written1h, rates.cacheWrite1hInputPerMillion ?? writeRate],
  } satisfies Record<string, bigint | [quantity: bigint, rate: NanoUsd | undefined]>;
}

/** Whether a price states a rate for every length of input. */
export function hasRate(price: Rates, dimension: keyof TokenRates): boolean {
  return [price, ...(price.tiers ?? [])].every((rates) => rates[dimension] !== undefined);
}

/** The rates of a request with so many input tokens. */
export function tokenRatesAt(price: Rates, inputTokens: number): TokenRates {
  return price.tiers?.findLast(({ aboveInputTokens }) => inputTokens > aboveInputTokens) ?? price;
}

/**
 * The most that one request with at most so many tokens can cost, whatever the provider states: it may have any length
 * up to that, so be in any tier on the way, and all of its input may be of the dearest kind that it can have.
 */
export function worstPriceOf(most: LongestRequest, price: Rates): NanoUsd {
  const outputTokens = BigInt(most.outputTokens);
  const millionths = worstCases(most, price).map(
    ({ spent, outputPerMillion }) => spent + charged(outputTokens, outputPerMillion),
  );
  return divideRoundingUp(millionths.reduce(maxOf, 0n), 1_000_000n);
}

/** The most output tokens with which `worstPriceOf` stays within an amount; 0 when the input alone may exceed it. */
export function outputTokensWithin(amount: NanoUsd, input: Omit<LongestRequest, 'outputTokens'>, price: Rates): number {
  let tokens = BigInt(Number.MAX_SAFE_INTEGER);
  for (const { spent, outputPerMillion } of worstCases(input, price)) {
    const left = amount * 1_000_000n - spent;
    if (left < 0n) return 0;
    if (outputPerMillion === undefined) throw unpriced();
    if (outputPerMillion > 0n) tokens = minOf(tokens, left / outputPerMillion);
  }
  return Number(tokens);
}

/** One for each tier that a request can be in: before its output, in millionths of a nano-USD, and what that costs. */
function worstCases(
  { inputTokens: inputTokensMost, ...kinds }: Omit<LongestRequest, 'outputTokens'>,
  price: Rates,
): { spent: bigint; outputPerMillion: NanoUsd | undefined }[] {
  const perRequest = charged(1n, price.perRequest ?? 0n) * 1_000_000n;
  const tiers = [{ ...price, aboveInputTokens: -1 }, ...(price.tiers ?? [])];
  return tiers
    .filter(({ aboveInputTokens }) => inputTokensMost > aboveInputTokens)
    .map((rates, index) => {
      const longest = Math.min(inputTokensMost, tiers[index + 1]?.aboveInputTokens ?? inputTokensMost);
      const spent = charged(BigInt(longest), dearestInput(rates, kinds)) + perRequest;
      return { spent, outputPerMillion: rates.outputPerMillion };
    });
}

function dearestInput(rates: TokenRates, { cacheWrite1h, audio }: InputKinds): NanoUsd | undefined {
  const others = [
    rates.cachedInputPerMillion,
    rates.cacheWriteInputPerMillion,
    cacheWrite1h ? rates.cacheWrite1hInputPerMillion : undefined,
    audio ? rates.audioInputPerMillion : undefined,
  ];
  return others.reduce(
    (most, rate) => (rate !== undefined && most !== undefined && rate > most ? rate : most),
    rates.inputPerMillion,
  );
}

function charged(quantity: bigint, rate: NanoUsd | undefined): bigint {
  if (quantity === 0n) return 0n;
  if (rate === undefined) throw unpriced();
  return quantity * rate;
}

function unpriced(): Error {
  return new Error('A dimension that was used has no price.');
}

function count(quantity: number | undefined): bigint {
  return quantity === undefined ? 0n : BigInt(quantity);
}
