import { belowCost, differencesOf, largeChanges } from './compare-rates.ts';
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
