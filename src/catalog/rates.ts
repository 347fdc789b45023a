import { type NanoUsd, parseUsd } from '../base/money.ts';
import type { ContextTierSettings, PriceSettings } from './model.ts';
import type { ContextTier, Rates } from './price.ts';

export const tokenDimensions = [
  'inputPerMillion',
  'cachedInputPerMillion',
  'cacheWriteInputPerMillion',
  'cacheWrite1hInputPerMillion',
  'audioInputPerMillion',
  'outputPerMillion',
] as const;
export const countDimensions = ['perRequest', 'perThousandEvents', 'perThousandSearchUnits'] as const;

/** Only used if a price states a rate for it: without one, nothing is kept for an hour and no audio is accepted. */
export const usedWhenStated: ReadonlySet<Dimension> = new Set(['cacheWrite1hInputPerMillion', 'audioInputPerMillion']);

export type Dimension = (typeof tokenDimensions)[number] | (typeof countDimensions)[number];

/** A rate above 100,000 USD must be a typo, and would overflow sums. */
const rateMax: NanoUsd = 100_000n * 1_000_000_000n;

/** Parses decimal USD into rates; throws with the field's name if a value is not an amount. */
export function ratesOf(settings: PriceSettings, where: string): Rates {
  const rates: Rates = amountsOf(settings, [...tokenDimensions, ...countDimensions], where);
  if (settings.tiers)
    rates.tiers = settings.tiers
      .map((tier, index) => tierOf(tier, `${where}.tiers.${index}`))
      .sort((a, b) => a.aboveInputTokens - b.aboveInputTokens);
  return rates;
}

/** Rates raised by a percentage with at most two decimals, each rounded up to a whole nano-USD. */
export function markUp(rates: Rates, percent: number): Rates {
  const hundredths = BigInt(Math.round(percent * 100));
  const raised = (rate: NanoUsd) => (rate * (10_000n + hundredths) + 9_999n) / 10_000n;
  const dearer = withEach([...tokenDimensions, ...countDimensions], rates, raised);
  if (rates.tiers) dearer.tiers = rates.tiers.map((tier) => withEach(tokenDimensions, tier, raised));
  return dearer;
}

/** The same rates, each changed. */
function withEach<R extends Rates | ContextTier>(
  dimensions: readonly (keyof R & Dimension)[],
  rates: R,
  change: (rate: NanoUsd) => NanoUsd,
): R {
  const changed: Partial<Record<Dimension, NanoUsd>> = {};
  for (const dimension of dimensions) {
    const rate = rates[dimension] as NanoUsd | undefined;
    if (rate !== undefined) changed[dimension] = change(rate);
  }
  return { ...rates, ...changed };
}

function tierOf(settings: ContextTierSettings, where: string): ContextTier {
  return {
    ...amountsOf(settings, tokenDimensions, where),
    aboveInputTokens: settings.aboveInputTokens,
    inputPerMillion: amountOf(settings.inputPerMillionUsd, `${where}.inputPerMillionUsd`),
    outputPerMillion: amountOf(settings.outputPerMillionUsd, `${where}.outputPerMillionUsd`),
  };
}

function amountsOf<D extends Dimension>(
  settings: { readonly [field in `${D}Usd`]?: string | undefined },
  dimensions: readonly D[],
  where: string,
): { [dimension in D]?: NanoUsd } {
  const amounts: { [dimension in D]?: NanoUsd } = {};
  for (const dimension of dimensions) {
    const text = settings[`${dimension}Usd`];
    if (text !== undefined) amounts[dimension] = amountOf(text, `${where}.${dimension}Usd`);
  }
  return amounts;
}

function amountOf(text: string, where: string): NanoUsd {
  const amount = parseUsd(text);
  if (amount === undefined || amount > rateMax)
    throw new Error(`${where}: "${text}" is not an amount in USD such as "0.15", at most 100000.`);
  return amount;
}
