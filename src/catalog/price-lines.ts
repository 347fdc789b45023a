import type { NanoUsd } from '../base/money.ts';
import { inputParts, type PricedUsage, priceOf, type Rates, tokenRatesAt } from './price.ts';

/** What a part of a charge is for; see `PriceLine` in the protocol. */
export type PriceLineKind =
  | 'input'
  | 'cached_input'
  | 'cache_write_input'
  | 'cache_write_1h_input'
  | 'audio_input'
  | 'output'
  | 'request'
  | 'events'
  | 'search_units'
  | 'rounding'
  | 'limit'
  | 'other';

/** A part of what a request cost. */
export interface PriceLine {
  kind: PriceLineKind;
  quantity?: bigint;
  /** The price of a million of it. */
  perMillion?: NanoUsd;
  /** Rounded down to a whole nano-USD; negative for what was not charged. */
  amount: NanoUsd;
}

/**
 * What a usage costs, line by line. The amounts add up to `charged`: a negative line covers what was not charged for lack of
 * credit, and a line without a rate covers what no rate explains.
 */
export function priceLines(usages: readonly (readonly [PricedUsage, Rates])[], charged: NanoUsd): PriceLine[] {
  const lines = usages.flatMap(([usage, rates]) => linesOf(usage, rates));
  const sum = lines.reduce((total, { amount }) => total + amount, 0n);
  if (sum > charged) lines.push({ kind: 'limit', amount: charged - sum });
  else if (sum < charged) lines.push({ kind: 'other', amount: charged - sum });
  return lines;
}

function linesOf(usage: PricedUsage, price: Rates): PriceLine[] {
  const rates = tokenRatesAt(price, usage.inputTokens ?? 0);
  const parts = inputParts(usage, rates);
  const { perRequest, perThousandEvents, perThousandSearchUnits } = price;
  const lines = [
    line('input', parts.plain, rates.inputPerMillion),
    line('cached_input', ...parts.cached),
    line('cache_write_input', ...parts.written),
    line('cache_write_1h_input', ...parts.written1h),
    line('audio_input', ...parts.audio),
    line('output', BigInt(usage.outputTokens ?? 0), rates.outputPerMillion),
    line('request', BigInt(usage.requests ?? 0), perRequest && perRequest * 1_000_000n),
    line('events', BigInt(usage.events ?? 0), perThousandEvents && perThousandEvents * 1_000n),
    line('search_units', BigInt(usage.searchUnits ?? 0), perThousandSearchUnits && perThousandSearchUnits * 1_000n),
  ].filter((one) => one !== undefined);
  const rounding = priceOf(usage, price) - lines.reduce((total, { amount }) => total + amount, 0n);
  return rounding === 0n ? lines : [...lines, { kind: 'rounding', amount: rounding }];
}

/** Omits unused quantities, and requests without a price of their own. */
function line(kind: PriceLineKind, quantity: bigint, perMillion: NanoUsd | undefined): PriceLine | undefined {
  if (quantity === 0n || perMillion === undefined || (kind === 'request' && perMillion === 0n)) return undefined;
  return { kind, quantity, perMillion, amount: (quantity * perMillion) / 1_000_000n };
}
