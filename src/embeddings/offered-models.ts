import type { OwnKeyUse } from '../base/own-key.ts';
import { joinOffers, type PricedEmbeddingModel } from '../catalog/index.ts';
import type { EmbeddingsDeps } from './deps.ts';

/** The models that an account may choose from, by the keys they would be called with. */
export async function offeredModels(
  { catalog, ownKeys }: Pick<EmbeddingsDeps, 'catalog' | 'ownKeys'>,
  accountId: string,
  use: OwnKeyUse | undefined,
): Promise<readonly PricedEmbeddingModel[]> {
  const keys = use === 'never' ? [] : ((await ownKeys?.of(accountId)) ?? []);
  return joinOffers(
    keys,
    use,
    () => catalog.ownEmbeddingModels(accountId, keys),
    () => catalog.embeddingModels(accountId),
  );
}
