import { belowCost, differencesOf, largeChanges } from './compare-rates.ts';
import type { Rates } from './price.ts';

/** One immutable version of what an item costs: for everyone, or for one account. */
export interface PriceVersion extends Rates {
  /** The version of the book that added it: everything one import adds shares a version, and later ones are higher. */
  version: number;
  /** What is priced: `model:provider/id`, or a service such as `workflow:risk.check`. */
  item: string;
  /** Empty: applies to every account without a price of its own. */
  accountId: string;
  /** Milliseconds since the Unix epoch. */
  effectiveAt: number;
}

/** Where the versions of the price book are stored. Versions are only added, never changed. */
export interface PriceStore {
  /** All versions, and the store's own clock in milliseconds since the Unix epoch. */
  read(): Promise<{ versions: PriceVersion[]; now: number }>;
  /** Adds versions, all or none; false if another node added one of them first. */
  add(versions: readonly PriceVersion[]): Promise<boolean>;
}

/** A price that an operator wants in the book. */
export interface PriceOrder {
  item: string;
  accountId?: string | undefined;
  rates: Rates;
  /** What the operator pays; rates below this are refused. */
  cost?: Rates | undefined;
  /** When it takes effect; now when absent. */
  effectiveAt?: number | undefined;
}

export interface ImportRules {
  /** Accepts rates that more than double or fall to less than half. */
  allowLargeChanges?: boolean | undefined;
  /** Accepts prices below cost. */
  allowBelowCost?: boolean | undefined;
}

/** What an import would do: the new versions, or why the whole import is refused. */
export interface ImportPlan {
  additions: PriceVersion[];
  /** One line per change, for humans. */
  difference: string[];
  problems: string[];
}

/** The clocks of nodes and the database differ slightly: a price for "now" does not count as retroactive. */
const retroactiveGraceMs = 60_000;

/**
 * Compares the book with the requested prices: equal prices need no new version; a price that takes effect in the past, is
 * below cost, or changes by more than a factor of two is a problem. Changes nothing.
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
    const differences = differencesOf(newest ?? {}, order.rates);
    if (newest && differences.length === 0) continue;
    const label = accountId ? `${order.item} for ${accountId}` : order.item;
    plan.problems.push(...problemsOf(order, newest, now, rules).map((problem) => `${label}: ${problem}`));
    plan.difference.push(`${label}: ${differences.join(', ')}`);
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

/** The newest version of a book; 0 if it is empty. A charge is based on one version of the book. */
export function bookVersion(book: readonly PriceVersion[]): number {
  return book.reduce((newest, { version }) => Math.max(newest, version), 0);
}

/** The version that applies to an account at a given time, or undefined if the item has no price yet. */
export function effectivePrice(
  book: readonly PriceVersion[],
  item: string,
  accountId: string,
  now: number,
): PriceVersion | undefined {
  const own = latest(book, item, accountId, now);
  return own ?? (accountId === '' ? undefined : latest(book, item, '', now));
}

function problemsOf(order: PriceOrder, newest: PriceVersion | undefined, now: number, rules: ImportRules): string[] {
  const problems: string[] = [];
  const effectiveAt = order.effectiveAt ?? now;
  if (effectiveAt < now - retroactiveGraceMs) problems.push('a price cannot begin in the past');
  if (newest && effectiveAt < newest.effectiveAt) problems.push('a price cannot begin before the one it follows');
  if (order.cost && !rules.allowBelowCost) problems.push(...belowCost(order.rates, order.cost));
  if (newest && !rules.allowLargeChanges) problems.push(...largeChanges(newest, order.rates));
  return problems;
}

function latest(book: readonly PriceVersion[], item: string, accountId: string, now: number): PriceVersion | undefined {
  let found: PriceVersion | undefined;
  for (const version of book) {
    if (version.item !== item || version.accountId !== accountId || version.effectiveAt > now) continue;
    if (!found || version.version > found.version) found = version;
  }
  return found;
}
