import type { Caller } from '../base/caller.ts';
import { fail, invalid, type Result, succeed } from '../base/failure.ts';
import { namesModel, type PricedEmbeddingModel } from '../catalog/index.ts';
import type { EmbedRequest } from './types.ts';

export interface Choice {
  /** Providers of the same model, in the order in which to try them. */
  routes: PricedEmbeddingModel[];
  dimensions: number;
}

/**
 * Chooses the embedding model: the one named, otherwise the highest ranked. While the list of models is unchanged, the choice
 * is always the same, because vectors of different models cannot be compared; for the same reason, the fallbacks are only the
 * same model at other providers.
 */
export function chooseModel(
  request: EmbedRequest,
  offered: readonly PricedEmbeddingModel[],
  tokenModels: NonNullable<Caller['token']>['models'],
): Result<Choice> {
  const provider = nameOf(request.provider);
  const wanted = nameOf(request.model);
  const named = offered.filter(
    ({ model }) =>
      (!provider || model.provider === provider) && (!wanted || model.id === wanted || model.name === wanted),
  );
  if (named.length === 0) return fail(noSuch(provider, wanted));
  const allowed = named.filter(({ model }) => !tokenModels || namesModel(model, tokenModels));
  if (allowed.length === 0) return fail(invalid('model', 'The access token does not allow this model.'));
  const { dimensions } = request;
  const able = allowed.filter(({ embedding }) => dimensions === undefined || isPossible(dimensions, embedding));
  const [best] = able.toSorted(byRank);
  if (!best) return fail(invalid('dimensions', `must be ${rangesOf(allowed)}`));
  return succeed({
    routes: able.filter(({ model }) => model.id === best.model.id).toSorted(byRank),
    dimensions: dimensions ?? best.embedding.dimensions,
  });
}

function nameOf(name: string | undefined): string | undefined {
  return name === 'auto' || name === '' ? undefined : name;
}

function noSuch(provider: string | undefined, model: string | undefined) {
  if (model)
    return invalid(
      'model',
      'No enabled model that embeds has this name. The list of such models shows those that can be used.',
      'MODEL_NOT_FOUND',
    );
  return provider
    ? invalid('provider', 'No enabled provider has this name, or it has no model that embeds and has a price.')
    : invalid('model', 'No model that embeds is enabled on this service.', 'MODEL_NOT_FOUND');
}

function isPossible(asked: number, { dimensions, dimensionsMin }: PricedEmbeddingModel['embedding']): boolean {
  return asked <= dimensions && asked >= dimensionsMin;
}

function rangesOf(routes: readonly PricedEmbeddingModel[]): string {
  const ranges = routes.map(({ embedding: { dimensions, dimensionsMin } }) =>
    dimensions === dimensionsMin ? `${dimensions}` : `${dimensionsMin} to ${dimensions}`,
  );
  return [...new Set(ranges)].slice(0, 5).join(', or ');
}

function byRank(a: PricedEmbeddingModel, b: PricedEmbeddingModel): number {
  const dearer = (a.price.inputPerMillion ?? 0n) - (b.price.inputPerMillion ?? 0n);
  if (a.model.quality !== b.model.quality) return b.model.quality - a.model.quality;
  if (dearer !== 0n) return dearer < 0n ? -1 : 1;
  return a.model.name < b.model.name ? -1 : 1;
}
