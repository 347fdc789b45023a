import { fail, type Result, succeed } from '../base/failure.ts';
import { hasRate, type PricedModel } from '../catalog/index.ts';
import type { Providers } from '../providers/index.ts';
import { attemptsMax, type Choice } from './choose-routes.ts';
import type { RouteStatus } from './circuit-breaker.ts';
import type { OpenedStates } from './provider-state.ts';
import type { ChatRequest } from './types.ts';
import { unsupportedBy } from './unsupported.ts';

/**
 * The models that support every setting of the request, if it says that no other may answer. If there are none, fails with what
 * the closest one lacks.
 */
export function fitting(
  offered: readonly PricedModel[],
  request: ChatRequest,
  states: OpenedStates,
  providers: Pick<Providers, 'dialect'>,
): Result<readonly PricedModel[]> {
  if (request.unsupported !== 'refuse') return succeed(offered);
  const named = offered.filter(({ model }) => isNamed(model));
  // The embedded model only quotes: it does not replace a real one.
  const real = named.filter(({ model }) => !model.embedded);
  const lacking = (real.length > 0 ? real : named).map((route) => ({ route, lacks: lacksOf(route) }));
  const [closest] = lacking.map(({ lacks }) => lacks).sort((a, b) => a.length - b.length);
  if (!closest) return succeed(offered);
  if (closest.length === 0) return succeed(lacking.filter(({ lacks }) => lacks.length === 0).map(({ route }) => route));
  return fail({
    kind: 'invalid_argument',
    violations: closest.map(({ field, reason }) => ({
      field,
      description: `No model that may be chosen supports this. ${reason} Leave it out, or set \`unsupported\` to "ignore".`,
    })),
  });

  function lacksOf({ model, price }: PricedModel) {
    const outputTokensCap = Math.min(request.maxOutputTokens ?? model.maxOutputTokens, model.maxOutputTokens);
    const keepsForHour = hasRate(price, 'cacheWrite1hInputPerMillion');
    const dialect = providers.dialect(model.provider);
    return unsupportedBy({ request, model, keepsForHour, states, outputTokensCap, dialect }).ignored;
  }

  function isNamed({ id, name, provider }: PricedModel['model']): boolean {
    const { model: wanted = 'auto', provider: at = 'auto' } = request;
    return (wanted === 'auto' || wanted === id || wanted === name) && (at === 'auto' || at === provider);
  }
}

type StatusOf = (route: string) => RouteStatus;

/**
 * Chooses among the models of the provider whose state the conversation carries, the same model first, and only then among the
 * others: earlier reasoning is of no use to them.
 */
export function stickingTo(
  { newest }: OpenedStates,
  fallback: boolean,
  offered: readonly PricedModel[],
  choose: (offered: readonly PricedModel[], statusOf: StatusOf) => Choice,
): (statusOf: StatusOf) => Choice {
  if (!newest) return (statusOf) => choose(offered, statusOf);
  const isSame = ({ model }: PricedModel) => model.provider === newest.provider && model.id === newest.model;
  const isNear = (route: PricedModel) => route.model.provider === newest.provider && !isSame(route);
  const isOther = ({ model }: PricedModel) => model.provider !== newest.provider;
  return (statusOf) => {
    const choices = [isSame, isNear, isOther].map((which) => choose(offered.filter(which), statusOf));
    const [first] = choices.filter(({ ok }) => ok);
    if (!first?.ok) return choose(offered, statusOf);
    const all = choices.flatMap((choice) => (choice.ok ? choice.routes : []));
    return { ...first, routes: all.slice(0, fallback ? attemptsMax : 1) };
  };
}
