import { type Failure, invalid } from '../base/failure.ts';
import type { OwnKey } from '../base/own-key.ts';
import type { Catalog, PricedModel } from '../catalog/index.ts';
import type { UpstreamFailure } from '../providers/index.ts';
import { attemptsMax, type Choice } from './choose-routes.ts';
import type { OwnKeyUse } from './types.ts';

/** The provider keys that accounts brought. */
export interface OwnKeys {
  /** One a provider; none for who has no account. */
  of(accountId: string): readonly OwnKey[] | Promise<readonly OwnKey[]>;
  /** Told of each call with a key. */
  used(key: OwnKey): void;
}

/** The models that an account may choose from, by the keys that they would be called with. */
export async function offeredModels(
  { catalog, ownKeys }: { catalog: Pick<Catalog, 'models' | 'ownModels'>; ownKeys?: OwnKeys | undefined },
  accountId: string,
  use: OwnKeyUse | undefined,
): Promise<readonly PricedModel[]> {
  const keys = use === 'never' ? [] : ((await ownKeys?.of(accountId)) ?? []);
  const own = keys.length > 0 ? catalog.ownModels(accountId, keys) : [];
  if (use === 'only') return own;
  const ours = catalog.models(accountId);
  if (keys.length === 0 || use === 'prefer') return keys.length === 0 ? ours : [...own, ...ours];
  // Also where a key can not be used now: nobody who brought one is to pay for the model without having asked to.
  return [...own, ...ours.filter(({ model }) => keys.every(({ provider }) => provider !== model.provider))];
}

/** Chooses among models of both kinds so that no call with the service's key follows one with the account's, unless it prefers so. */
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

/** What the caller hears when a call with its own key was the last that failed, and the key is why; undefined: it is not. */
export function failureOfOwnKey(key: OwnKey, { outcome, status, retryAfterMs }: UpstreamFailure): Failure | undefined {
  const { id: providerKeyId, provider, lastFour } = key;
  if (outcome === 'misconfigured')
    return { kind: 'provider_key_refused', providerKeyId, provider, lastFour, ...(status !== undefined && { status }) };
  if (outcome !== 'rate_limited') return undefined;
  return { kind: 'rate_limited', limit: `your own key at ${provider}`, retryAfterMs: retryAfterMs ?? 1_000 };
}

/** Why nothing can be chosen, where only the account's own keys were asked for. */
export function noOwnKey(use: OwnKeyUse | undefined): Failure | undefined {
  if (use !== 'only') return undefined;
  return invalid(
    'routing.ownKey',
    'The account has no key that can be used for this. Store one of the provider (CreateProviderKey), or leave this out.',
  );
}
