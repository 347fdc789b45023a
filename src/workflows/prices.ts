import { fail, type Result, succeed } from '../base/failure.ts';
import type { NanoUsd } from '../base/money.ts';
import type { FamilyName } from './family.ts';
import { familyNames } from './family.ts';

/** Current prices; the catalog provides them. */
export interface PriceList {
  price(
    item: string,
    accountId: string,
  ): { version: number; perRequest?: NanoUsd; perThousandEvents?: NanoUsd } | undefined;
  readonly version: number;
}

export interface FamilyPrice {
  family: FamilyName;
  perRequest: NanoUsd;
  /** The version of the price book. */
  version: number;
}

/** What an account pays for a family: the family's own price (`workflow:risk`), else that of all families (`workflow`). */
export function familyPrice(prices: PriceList, family: FamilyName, accountId: string): Result<FamilyPrice> {
  const price = prices.price(`workflow:${family}`, accountId) ?? prices.price('workflow', accountId);
  if (price?.perRequest === undefined)
    return fail({
      kind: 'precondition_failed',
      description: `The ${family} workflow has no price yet; the operator sets one.`,
    });
  return succeed({ family, perRequest: price.perRequest, version: prices.version });
}

/** An account's prices by family, and the price of a thousand pulse events if it has one. */
export function listPrices(prices: PriceList, accountId: string): { family: string; price: NanoUsd; unit: string }[] {
  const listed: { family: string; price: NanoUsd; unit: string }[] = [];
  for (const family of familyNames) {
    const price = familyPrice(prices, family, accountId);
    if (price.ok) listed.push({ family, price: price.value.perRequest, unit: 'request' });
  }
  const events = prices.price('pulse', accountId)?.perThousandEvents;
  if (events !== undefined) listed.push({ family: 'pulse', price: events, unit: 'thousand_events' });
  return listed;
}
