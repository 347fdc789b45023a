import { formatUsd, type NanoUsd, parseUsd } from '../base/money.ts';
import type { PriceSettings } from './model.ts';
import type { Rates } from './price.ts';

/** One immutable version of what an item costs: for everyone, or for one account. */
export interface PriceVersion extends Rates {
  /** The version of the book that brought it: what one import adds has one version, and later ones are higher. */
  version: number;
  /** What is priced: `model:provider/id`, or a service such as `workflow:risk.check`. */
  item: string;
  /** Empty: every account without a price of its own. */
  accountId: string;
  /** Milliseconds since the Unix epoch. */
  effectiveAt: number;
}

/** Where the versions of the price book are kept. Versions are added, never changed. */
export interface PriceStore {
  /** All versions, and the store's own time in milliseconds since the Unix epoch. */
  read(): Promise<{ versions: PriceVersion[]; now: number }>;
  /** Adds versions, all or none; false when another node added one of them first. */
  add(versions: readonly PriceVersion[]): Promise<boolean>;
}

/** What an operator asks to have in the book. */
export interface PriceOrder {
  item: string;
  accountId?: string | undefined;
  rates: Rates;
  /** What the operator pays; rates below it are refused. */
  cost?: Rates | undefined;
  /** When it begins; now when absent. */
  effectiveAt?: number | undefined;
}

export interface ImportRules {
  /** Takes changes of more than two times, up or down. */
  allowLargeChanges?: boolean | undefined;
  /** Takes prices below cost. */
  allowBelowCost?: boolean | undefined;
}

/** What an import would do: new versions, or the reasons why it is refused as a whole. */
export interface ImportPlan {
  additions: PriceVersion[];
  /** One line for each change, for people. */
  difference: string[];
  problems: string[];
}

const dimensions = [
  ['inputPerMillion', 'inputPerMillionUsd'],
  ['cachedInputPerMillion', 'cachedInputPerMillionUsd'],
  ['outputPerMillion', 'outputPerMillionUsd'],
  ['perRequest', 'perRequestUsd'],
  ['perThousandEvents', 'perThousandEventsUsd'],
] as const;

/** A rate above 100,000 USD is a typing error, and would overflow sums. */
const rateMax: NanoUsd = 100_000n * 1_000_000_000n;
/** Clocks of nodes and of the database differ a little: a price for "now" is not retroactive. */
const retroactiveGraceMs = 60_000;

/**
 * Compares the book with what is asked: equal prices need no new version; a price that begins in the past, lies below
 * cost, or changes more than two times is a problem. Changes nothing.
 */
export function planImport(
  book: readonly PriceVersion[],
  orders: readonly PriceOrder[],
  now: number,
  rules: ImportRules = {},
): ImportPlan {
  const plan: ImportPlan = { additions: [], difference: [], problems: [] };
  const version = bookVersion(book) + 1;
  for (const order of orders) {
    const accountId = order.accountId ?? '';
    const newest = latest(book, order.item, accountId, Number.POSITIVE_INFINITY);
    if (newest && sameRates(newest, order.rates)) continue;
    const label = accountId ? `${order.item} for ${accountId}` : order.item;
    plan.problems.push(...problemsOf(order, newest, now, rules).map((problem) => `${label}: ${problem}`));
    plan.difference.push(`${label}: ${differenceOf(newest, order.rates)}`);
    plan.additions.push({
      ...order.rates,
      version,
      item: order.item,
      accountId,
      effectiveAt: order.effectiveAt ?? now,
    });
  }
  return plan;
}

/** The newest version of a book; 0 when it is empty. A charge stands on one version of the book. */
export function bookVersion(book: readonly PriceVersion[]): number {
  return book.reduce((newest, { version }) => Math.max(newest, version), 0);
}

/** The version that an account pays at a time, or undefined when the item has no price yet. */
export function effectivePrice(
  book: readonly PriceVersion[],
  item: string,
  accountId: string,
  now: number,
): PriceVersion | undefined {
  const own = latest(book, item, accountId, now);
  return own ?? (accountId === '' ? undefined : latest(book, item, '', now));
}

/** Reads decimal USD into rates; throws with the field's name when it is not an amount. */
export function ratesOf(settings: PriceSettings, where: string): Rates {
  const rates: Rates = {};
  for (const [dimension, setting] of dimensions) {
    const text = settings[setting];
    if (text === undefined) continue;
    const amount = parseUsd(text);
    if (amount === undefined || amount > rateMax)
      throw new Error(`${where}.${setting}: "${text}" is not an amount in USD such as "0.15", at most 100000.`);
    rates[dimension] = amount;
  }
  return rates;
}

/** Rates raised by a percentage of at most two decimals, each rounded up to a whole nano-USD. */
export function markUp(rates: Rates, percent: number): Rates {
  const hundredths = BigInt(Math.round(percent * 100));
  const raised: Rates = {};
  for (const [dimension] of dimensions) {
    const rate = rates[dimension];
    if (rate !== undefined) raised[dimension] = (rate * (10_000n + hundredths) + 9_999n) / 10_000n;
  }
  return raised;
}

function problemsOf(order: PriceOrder, newest: PriceVersion | undefined, now: number, rules: ImportRules): string[] {
  const problems: string[] = [];
  const effectiveAt = order.effectiveAt ?? now;
  if (effectiveAt < now - retroactiveGraceMs) problems.push('a price cannot begin in the past');
  if (newest && effectiveAt < newest.effectiveAt) problems.push('a price cannot begin before the one it follows');
  for (const [dimension] of dimensions) {
    const rate = order.rates[dimension];
    const cost = order.cost?.[dimension];
    const before = newest?.[dimension];
    if (rate !== undefined && cost !== undefined && rate < cost && !rules.allowBelowCost)
      problems.push(`${dimension} ${formatUsd(rate)} is below the cost of ${formatUsd(cost)}`);
    if (
      rate !== undefined &&
      before !== undefined &&
      !rules.allowLargeChanges &&
      (rate > before * 2n || rate * 2n < before)
    )
      problems.push(`${dimension} changes more than two times, from ${formatUsd(before)} to ${formatUsd(rate)}`);
  }
  return problems;
}

function differenceOf(before: Rates | undefined, after: Rates): string {
  const changes: string[] = [];
  for (const [dimension] of dimensions) {
    const old = before?.[dimension];
    const fresh = after[dimension];
    if (old === fresh) continue;
    changes.push(
      `${dimension} ${old === undefined ? '-' : formatUsd(old)} -> ${fresh === undefined ? '-' : formatUsd(fresh)}`,
    );
  }
  return changes.join(', ');
}

function sameRates(a: Rates, b: Rates): boolean {
  return dimensions.every(([dimension]) => a[dimension] === b[dimension]);
}

function latest(book: readonly PriceVersion[], item: string, accountId: string, now: number): PriceVersion | undefined {
  let found: PriceVersion | undefined;
  for (const version of book) {
    if (version.item !== item || version.accountId !== accountId || version.effectiveAt > now) continue;
    if (!found || version.version > found.version) found = version;
  }
  return found;
}
