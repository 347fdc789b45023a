import { type Failure, fail, invalid, type Result, succeed } from '../base/failure.ts';
import type { OwnKey, OwnKeyUse } from '../base/own-key.ts';
import type { PricedModel } from './model.ts';

/** The models that an account with these keys may choose from: its own and the service's. */
export function joinOffers<M extends PricedModel>(
  keys: readonly OwnKey[],
  use: OwnKeyUse | undefined,
  ownOf: () => readonly M[],
  oursOf: () => readonly M[],
): readonly M[] {
  const own = keys.length > 0 ? ownOf() : [];
  if (use === 'only') return own;
  const ours = oursOf();
  if (keys.length === 0 || use === 'prefer') return keys.length === 0 ? ours : [...own, ...ours];
  // Even if a key cannot be used now: no account that brought one should pay for the model without having asked to.
  return [...own, ...ours.filter(({ model }) => keys.every(({ provider }) => provider !== model.provider))];
}

/**
 * Chooses the routes of one model among models of both kinds, so that no call with the service's key follows one with the
 * account's own, unless own keys are only preferred; then it uses the same model.
 */
export function chooseWithOwn<M extends PricedModel, C extends { routes: readonly M[] }>(
  use: OwnKeyUse | undefined,
  offered: readonly M[],
  choose: (offered: readonly M[]) => Result<C>,
): Result<C> {
  const own = offered.filter(({ ownKey }) => ownKey);
  if (own.length === 0) return use === 'only' ? fail(noOwnKey('ownKey')) : choose(offered);
  if (use !== 'prefer') {
    const choice = choose(offered);
    if (!choice.ok || !choice.value.routes[0]?.ownKey) return choice;
    return succeed({ ...choice.value, routes: choice.value.routes.filter(({ ownKey }) => ownKey) });
  }
  const ours = offered.filter(({ ownKey }) => !ownKey);
  const first = choose(own);
  if (!first.ok) return choose(ours);
  const id = first.value.routes[0]?.model.id;
  const then = choose(ours.filter(({ model }) => model.id === id));
  return then.ok ? succeed({ ...first.value, routes: [...first.value.routes, ...then.value.routes] }) : first;
}

/** Why nothing can be chosen if only the account's own keys were requested; `field` requested it. */
export function noOwnKey(field: string): Failure {
  return invalid(
    field,
    'The account has no usable provider key for this. Store a key of the provider first, or leave this out.',
  );
}
