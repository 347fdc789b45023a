import { divideRoundingUp, type NanoUsd } from '../base/money.ts';

/** What is charged for, in nano-USD. A dimension that is absent has no price, which is not a price of zero. */
export interface Rates {
  inputPerMillion?: NanoUsd;
  /** Input that the provider had cached; without it, cached input costs what other input costs. */
  cachedInputPerMillion?: NanoUsd;
  outputPerMillion?: NanoUsd;
  perRequest?: NanoUsd;
  perThousandEvents?: NanoUsd;
}

/** One immutable version of a price. */
export interface Price extends Rates {
  /** The version of the price book that brought it. */
  version: number;
}

/** What one request used. Reasoning tokens are output tokens, and cached ones input tokens. */
export interface PricedUsage {
  inputTokens?: number;
  cachedInputTokens?: number;
  outputTokens?: number;
  requests?: number;
  events?: number;
}

/**
 * What a usage costs: the exact sum, rounded up once to a whole nano-USD, and at least 1 nano when anything that was
 * used has a price above zero. A used dimension without a price throws: such a model is never enabled.
 */
export function priceOf(usage: PricedUsage, price: Rates): NanoUsd {
  const inputTokens = count(usage.inputTokens);
  const cached = smaller(count(usage.cachedInputTokens), inputTokens);
  const cachedRate = price.cachedInputPerMillion ?? price.inputPerMillion;
  const millionths =
    charged(inputTokens - cached, price.inputPerMillion) +
    charged(cached, cachedRate) +
    charged(count(usage.outputTokens), price.outputPerMillion) +
    charged(count(usage.requests), price.perRequest) * 1_000_000n +
    charged(count(usage.events), price.perThousandEvents) * 1_000n;
  return divideRoundingUp(millionths, 1_000_000n);
}

function charged(quantity: bigint, rate: NanoUsd | undefined): bigint {
  if (quantity === 0n) return 0n;
  if (rate === undefined) throw new Error('A dimension that was used has no price.');
  return quantity * rate;
}

function count(quantity: number | undefined): bigint {
  return quantity === undefined ? 0n : BigInt(quantity);
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
