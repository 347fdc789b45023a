import type { PricedRerankModel } from '../catalog/index.ts';
import { type Sizes, searchUnits, searchUnitsAtMost, tokensAtMost } from './bounds.ts';
import type { Ranking } from './call-model.ts';
import type { RerankingDeps } from './deps.ts';
import type { RerankRequest, RerankUsage } from './types.ts';

interface Counted {
  route: PricedRerankModel;
  request: Pick<RerankRequest, 'query' | 'documents'>;
  sizes: Sizes;
  owner: string;
}

/** The usage to charge for: the provider's own count of what it bills, if plausible; otherwise ours, marked as estimated. */
export async function countUsage(
  deps: Pick<RerankingDeps, 'countTokens' | 'overran'>,
  { stated, ...counted }: Counted & { stated: Pick<Ranking, 'tokens' | 'searchUnits'> },
): Promise<RerankUsage> {
  const { route, sizes } = counted;
  const { model, rerank } = route;
  const isTokens = rerank.bills === 'tokens';
  const count = isTokens ? stated.tokens : stated.searchUnits;
  const bound = isTokens ? tokensAtMost(sizes, model.contextTokens) : searchUnitsAtMost(sizes, model.contextTokens);
  // No request has 0 of either.
  if (count === undefined || !Number.isSafeInteger(count) || count < 1) return tokensIn(deps, counted);
  if (count <= bound) return usageOf(isTokens, count, false);
  deps.overran?.({ provider: model.provider, model: model.id, what: 'input', bound, stated: count });
  return usageOf(isTokens, bound, true);
}

/** Our own count of what the model's provider bills. */
export async function tokensIn(
  { countTokens }: Pick<RerankingDeps, 'countTokens'>,
  { route: { model, rerank }, request: { query, documents }, sizes, owner }: Counted,
): Promise<RerankUsage> {
  const queryTokens = await countTokens(owner, [query]);
  if (rerank.bills === 'tokens') {
    const tokens = (await countTokens(owner, documents)) + queryTokens * documents.length;
    return usageOf(true, Math.min(Math.max(tokens, 1), tokensAtMost(sizes, model.contextTokens)), true);
  }
  const each: number[] = [];
  // A short document is one part, however many tokens it has.
  for (const [index, bytes] of sizes.documents.entries())
    each.push(bytes <= shortBytes ? bytes : await countTokens(owner, [documents[index] ?? '']));
  const units = searchUnits(queryTokens, each);
  return usageOf(false, Math.min(units, searchUnitsAtMost(sizes, model.contextTokens)), true);
}

/** Fits into a part with any query. */
const shortBytes = 250;

function usageOf(isTokens: boolean, count: number, estimated: boolean): RerankUsage {
  return isTokens ? { inputTokens: count, estimated } : { searchUnits: count, estimated };
}
