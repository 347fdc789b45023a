import type { Caller } from '../base/caller.ts';
import { fail, invalid, type Result, succeed } from '../base/failure.ts';
import { namesModel, type PricedRerankModel } from '../catalog/index.ts';
import type { RerankRequest } from './types.ts';

/**
 * Providers of the reranking model, in the order in which to try them: the model that is named, otherwise the highest ranked.
 * The fallbacks are only the same model at other providers, because scores of different models cannot be compared.
 */
export function chooseModel(
  request: Pick<RerankRequest, 'provider' | 'model' | 'documents'>,
  offered: readonly PricedRerankModel[],
  tokenModels: NonNullable<Caller['token']>['models'],
): Result<{ routes: PricedRerankModel[] }> {
  const provider = nameOf(request.provider);
  const wanted = nameOf(request.model);
  const named = offered.filter(
    ({ model }) =>
      (!provider || model.provider === provider) && (!wanted || model.id === wanted || model.name === wanted),
  );
  if (named.length === 0) return fail(noSuch(provider, wanted));
  const allowed = named.filter(({ model }) => !tokenModels || namesModel(model, tokenModels));
  if (allowed.length === 0) return fail(invalid('model', 'The access token does not allow this model.'));
  const able = allowed.filter(({ rerank }) => request.documents.length <= rerank.documentsMax);
  const [best] = able.toSorted(byRank);
  if (!best) {
    const most = Math.max(...allowed.map(({ rerank }) => rerank.documentsMax));
    return fail(invalid('documents', `This model takes at most ${most} documents in a request.`));
  }
  return succeed({ routes: able.filter(({ model }) => model.id === best.model.id).toSorted(byRank) });
}

function nameOf(name: string | undefined): string | undefined {
  return name === 'auto' || name === '' ? undefined : name;
}

function noSuch(provider: string | undefined, model: string | undefined) {
  if (model)
    return invalid(
      'model',
      'No enabled model that ranks documents has this name. The list of these models shows the available ones.',
      'MODEL_NOT_FOUND',
    );
  return provider
    ? invalid('provider', 'No enabled provider has this name, or it has no model that ranks documents and has a price.')
    : invalid('model', 'No model that ranks documents is enabled on this service.', 'MODEL_NOT_FOUND');
}

/** The embedded model comes last: it compares words, and does not replace a real model. */
function byRank(a: PricedRerankModel, b: PricedRerankModel): number {
  if (a.model.embedded !== b.model.embedded) return a.model.embedded ? 1 : -1;
  if (a.model.quality !== b.model.quality) return b.model.quality - a.model.quality;
  return a.model.name < b.model.name ? -1 : 1;
}
