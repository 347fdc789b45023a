import type { Caller } from '../base/caller.ts';
import { type Result, succeed } from '../base/failure.ts';
import type { OwnKeys } from '../base/own-key.ts';
import { makePage, type Page, type PageRequest, readPageRequest } from '../base/page.ts';
import { type Catalog, namesModel, type PricedModel } from '../catalog/index.ts';
import { offeredModels } from './own-keys.ts';

const list = 'models';

/** One page of the models that a caller can use now, by name, at its account's prices. */
export async function listModels(
  deps: { catalog: Catalog; ownKeys?: OwnKeys | undefined },
  caller: Caller,
  request: PageRequest & { provider?: string },
): Promise<Result<Page<PricedModel>>> {
  const start = readPageRequest(list, request, { defaultSize: 200, maxSize: 1_000 });
  if (!start.ok) return start;
  const { after, size } = start.value;
  const offered = await offeredModels(deps, caller.accountId ?? '', undefined);
  const models = offered
    .filter(({ model }) => !request.provider || model.provider === request.provider)
    .filter(({ model }) => !caller.token?.models || namesModel(model, caller.token.models))
    .toSorted((a, b) => (a.model.name < b.model.name ? -1 : 1))
    .filter(({ model }) => after === undefined || model.name > after);
  return succeed(makePage(list, start.value, models.slice(0, size + 1), ({ model }) => model.name));
}
