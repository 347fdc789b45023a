import type { OwnKeyUse } from '../base/own-key.ts';
import { joinOffers, type PricedRerankModel } from '../catalog/index.ts';
import type { RerankingDeps } from './deps.ts';

/** The models that an account may choose from, by the keys they would be called with. */
export async function offeredModels(
  { catalog, ownKeys }: Pick<RerankingDeps, 'catalog' | 'ownKeys'>,
  accountId: string,
  use: OwnKeyUse | undefined,
): Promise<readonly PricedRerankModel[]> {
  const keys = use === 'never' ? [] : ((await ownKeys?.of(accountId)) ?? []);
  return joinOffers(
    keys,
    use,
    () => catalog.ownRerankModels(accountId, keys),
    () => catalog.rerankModels(accountId),
  );
}
