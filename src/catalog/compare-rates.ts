import { formatUsd, type NanoUsd } from '../base/money.ts';
import { type Rates, type TokenRates, tokenRatesAt } from './price.ts';
import { countDimensions, type Dimension, tokenDimensions, usedWhenStated } from './rates.ts';

/** The differences between two prices, one line per rate, at every length of input; empty if they cost the same. */
export function differencesOf(before: Rates, after: Rates): string[] {
  return pairs(before, after).flatMap(({ what, one, other }) =>
    one.stated === other.stated ? [] : [`${what} ${print(one.stated)} -> ${print(other.stated)}`],
  );
}

/** The rates below what the operator pays, where the cost is known. */
export function belowCost(rates: Rates, cost: Rates): string[] {
  return pairs(rates, cost).flatMap(({ what, one, other }) =>
    one.charged !== undefined && other.stated !== undefined && one.charged < other.stated
      ? [`${what} ${formatUsd(one.charged)} is below the cost of ${formatUsd(other.stated)}`]
      : [],
  );
}

/** The rates that more than double or fall to less than half. */
export function largeChanges(before: Rates, after: Rates): string[] {
  return pairs(before, after).flatMap(({ dimension, what, one, other }) => {
    if (one.stated === undefined && other.stated === undefined) return [];
    // Nobody has been charged for it yet.
    if (one.stated === undefined && usedWhenStated.has(dimension)) return [];
    const [old, fresh] = [one.charged, other.charged];
    if (old === undefined || fresh === undefined || (fresh <= old * 2n && fresh * 2n >= old)) return [];
    return [`${what} changes more than two times, from ${formatUsd(old)} to ${formatUsd(fresh)}`];
  });
}

/** One dimension of two prices, at one length of input. */
interface Pair {
  dimension: Dimension;
  /** For humans: `inputPerMillion above 200000 input tokens`. */
  what: string;
  one: Rate;
  other: Rate;
}

interface Rate {
  stated: NanoUsd | undefined;
  /** What is charged even if no rate is stated: the rate that applies instead. */
  charged: NanoUsd | undefined;
}

function pairs(one: Rates, other: Rates): Pair[] {
  const counts = countDimensions.map((dimension) => pair(dimension, '', one, other));
  const tiers = [...(one.tiers ?? []), ...(other.tiers ?? [])].map(({ aboveInputTokens }) => aboveInputTokens);
  const starts = [...new Set([0, ...tiers])].sort((a, b) => a - b);
  const tokens = starts.flatMap((above) => {
    const where = above === 0 ? '' : ` above ${above} input tokens`;
    const [rates, others] = [tokenRatesAt(one, above + 1), tokenRatesAt(other, above + 1)];
    return tokenDimensions.map((dimension) => pair(dimension, where, rates, others));
  });
  return [...tokens, ...counts];
}

function pair<R extends TokenRates>(dimension: keyof R & Dimension, where: string, one: R, other: R): Pair {
  return { dimension, what: dimension + where, one: rateOf(dimension, one), other: rateOf(dimension, other) };
}

function rateOf<R extends TokenRates>(dimension: keyof R & Dimension, rates: R): Rate {
  const stated = rates[dimension] as NanoUsd | undefined;
  return { stated, charged: stated ?? inPlaceOf(dimension, rates) };
}

/** The rate that applies to a dimension without a rate of its own. */
function inPlaceOf(dimension: Dimension, rates: TokenRates): NanoUsd | undefined {
  switch (dimension) {
    case 'cachedInputPerMillion':
    case 'cacheWriteInputPerMillion':
    case 'audioInputPerMillion':
      return rates.inputPerMillion;
    case 'cacheWrite1hInputPerMillion':
      return rates.cacheWriteInputPerMillion ?? rates.inputPerMillion;
    default:
      return undefined;
  }
}

function print(rate: NanoUsd | undefined): string {
  return rate === undefined ? '-' : formatUsd(rate);
}
