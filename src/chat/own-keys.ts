import type { OwnKeys, OwnKeyUse } from '../base/own-key.ts';
import { type Catalog, joinOffers, type PricedModel } from '../catalog/index.ts';
import { attemptsMax, type Choice } from './choose-routes.ts';

/** The models that an account may choose from, by the keys they would be called with. */
export async function offeredModels(
  { catalog, ownKeys }: { catalog: Pick<Catalog, 'models' | 'ownModels'>; ownKeys?: OwnKeys | undefined },
  accountId: string,
  use: OwnKeyUse | undefined,
): Promise<readonly PricedModel[]> {
  const keys = use === 'never' ? [] : ((await ownKeys?.of(accountId)) ?? []);
  return joinOffers(
    keys,
    use,
    () => catalog.ownModels(accountId, keys),
    () => catalog.models(accountId),
  );
}

/**
 * Chooses among models of both kinds so that no call with the service's key follows one with the account's own, unless the
 * request prefers own keys.
 */
export function choosingOwn(
  use: OwnKeyUse | undefined,
  fallback: boolean,
  choose: (offered: readonly PricedModel[]) => Choice,
): (offered: readonly PricedModel[]) => Choice {
  return (offered) => {
    const own = offered.filter(({ ownKey }) => ownKey);
    if (own.length === 0) return choose(offered);
    if (use !== 'prefer') {
      const choice = choose(offered);
      if (!choice.ok || !choice.routes[0]?.ownKey) return choice;
      return { ...choice, routes: choice.routes.filter(({ ownKey }) => ownKey) };
    }
    const first = choose(own);
    if (!first.ok) return choose(offered.filter(({ ownKey }) => !ownKey));
    const then = fallback ? choose(offered.filter(({ ownKey }) => !ownKey)) : undefined;
    if (!then?.ok) return first;
    return { ...first, routes: [...first.routes.slice(0, attemptsMax - 1), ...then.routes].slice(0, attemptsMax) };
  };
}
