import { divideRoundingUp, maxOf, minOf, type NanoUsd } from '../base/money.ts';

/** Token prices, in nano-USD per million. An absent rate is unknown, which does not mean zero. */
export interface TokenRates {
  inputPerMillion?: NanoUsd;
  /** Input that the provider had cached; if absent, cached input costs the same as other input. */
  cachedInputPerMillion?: NanoUsd;
  /** Input that the provider wrote into its cache; if absent, it costs the same as other input. */
  cacheWriteInputPerMillion?: NanoUsd;
  /** Input that the provider wrote into its one-hour cache; if absent, it costs the same as other cache writes. */
  cacheWrite1hInputPerMillion?: NanoUsd;
  /** Audio, cached or not; if absent, audio costs the same as other input. A model that takes audio is not offered without this rate. */
  audioInputPerMillion?: NanoUsd;
  outputPerMillion?: NanoUsd;
}

/** Different rates for long requests: with more input than this, they apply to every token of the request, including output. */
export interface ContextTier extends TokenRates {
  aboveInputTokens: number;
  inputPerMillion: NanoUsd;
  outputPerMillion: NanoUsd;
}

/** What is charged for, in nano-USD. An absent dimension has no price, which does not mean a price of zero. */
export interface Rates extends TokenRates {
  /** In ascending order of `aboveInputTokens`. */
  tiers?: readonly ContextTier[];
  perRequest?: NanoUsd;
  perThousandEvents?: NanoUsd;
  /** For reranking models: a thousand queries with up to 100 documents each. */
  perThousandSearchUnits?: NanoUsd;
}

/** One immutable version of a price. */
export interface Price extends Rates {
  /** The version of the price book that added it. */
  version: number;
}

/**
 * What one request used. Reasoning tokens are output tokens. Audio, cached and cache-write tokens are input tokens, and no
 * token is two of these; one-hour cache writes are part of the cache writes.
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

/** The most tokens that one request can have, and which kinds of input are possible at all. */
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
 * What a usage costs: the exact sum, rounded up once to a whole nano-USD, and at least 1 nano-USD if anything that was used has
 * a price above zero. Throws for a used dimension without a price: such a model is never enabled.
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

/** Splits input tokens by what they cost; each is in exactly one part. Every part but plain input comes with its rate. */
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

/** Whether a price has this rate for every length of input. */
export function hasRate(price: Rates, dimension: keyof TokenRates): boolean {
  return [price, ...(price.tiers ?? [])].every((rates) => rates[dimension] !== undefined);
}

/** The rates of a request with this many input tokens. */
export function tokenRatesAt(price: Rates, inputTokens: number): TokenRates {
  return price.tiers?.findLast(({ aboveInputTokens }) => inputTokens > aboveInputTokens) ?? price;
}

/**
 * The most that one request with at most this many tokens can cost, whatever the provider reports: it may have any length up to
 * that, and so fall in any tier on the way, and all of its input may be of the most expensive kind that it can contain.
 */
export function worstPriceOf(most: LongestRequest, price: Rates): NanoUsd {
  const outputTokens = BigInt(most.outputTokens);
  const millionths = worstCases(most, price).map(
    ({ spent, outputPerMillion }) => spent + charged(outputTokens, outputPerMillion),
  );
  return divideRoundingUp(millionths.reduce(maxOf, 0n), 1_000_000n);
}

/** The most output tokens for which `worstPriceOf` stays within an amount; 0 if the input alone may exceed it. */
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

interface WorstCase {
  spent: bigint;
  outputPerMillion: NanoUsd | undefined;
}

/** One case for each tier that a request can be in: the cost before its output, in millionths of a nano-USD, and the output rate. */
function worstCases({ inputTokens, ...kinds }: Omit<LongestRequest, 'outputTokens'>, price: Rates): WorstCase[] {
  const { tiers = noTiers } = price;
  const perRequest = charged(1n, price.perRequest ?? 0n) * 1_000_000n;
  const caseOf = (rates: TokenRates, next: number | undefined): WorstCase => {
    const longest = Math.min(inputTokens, next ?? inputTokens);
    const spent = charged(BigInt(longest), dearestInput(rates, kinds)) + perRequest;
    return { spent, outputPerMillion: rates.outputPerMillion };
  };
  const cases = [caseOf(price, tiers[0]?.aboveInputTokens)];
  for (const [index, rates] of tiers.entries())
    if (inputTokens > rates.aboveInputTokens) cases.push(caseOf(rates, tiers[index + 1]?.aboveInputTokens));
  return cases;
}

const noTiers: readonly never[] = [];

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
