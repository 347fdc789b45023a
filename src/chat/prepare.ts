import type { Caller } from '../base/caller.ts';
import { type Failure, fail, invalid, type Result, succeed } from '../base/failure.ts';
import { maxOf, type NanoUsd } from '../base/money.ts';
import type { OwnKeys } from '../base/own-key.ts';
import type { RoutingMode } from '../base/routing-mode.ts';
import { type Capability, type Catalog, noOwnKey, type PricedModel } from '../catalog/index.ts';
import type { TokenReservation } from '../limits/index.ts';
import type { CallSetting, Providers } from '../providers/index.ts';
import type { CallersSchema, Sandbox, Schemas } from '../sandbox/index.ts';
import type { ReserveTokens } from '../wallet/index.ts';
import { chooseRoutes, type Wanted } from './choose-routes.ts';
import type { CircuitBreaker, RouteStatus } from './circuit-breaker.ts';
import { choosingOwn, offeredModels } from './own-keys.ts';
import { noStates, type OpenedStates, type ProviderStates } from './provider-state.ts';
import { type Quote, quoteCeiling } from './quote.ts';
import type { StateOwner } from './reply-state.ts';
import { requestProblem } from './request-problem.ts';
import { fitting, stickingTo } from './suiting.ts';
import {
  audioTokensAbout,
  type CountTokens,
  fileTokensAbout,
  type InputMeasure,
  inputTokensAbout,
  inputTokensAtMost,
  measureInput,
  tokenCounter,
} from './tokens.ts';
import type { Attempt, ChatRequest } from './types.ts';
import { thinksAbout } from './unsupported.ts';
import type { PromptPrefix, WarmCaches } from './warm-caches.ts';

/** A request that has been validated, routed and quoted, and has cost nothing so far. */
export interface PreparedChat {
  mode: RoutingMode;
  reason: string;
  measure: InputMeasure;
  /** The provider states that the request gives back. */
  states: OpenedStates;
  /** Who owns the reply's provider states; absent: the reply has none. */
  owner?: Pick<StateOwner, 'states' | 'accountId'>;
  /** Whose request it is; empty without an account. */
  account: string;
  /** The schema that the reply's JSON must fit. */
  schema?: CallersSchema;
  count: CountTokens;
  quote: Quote;
  /** How the prompt begins, to record what the route reports about its cache. */
  prefix?: PromptPrefix;
  /** The version of the price book that the quote is based on. */
  priceVersion: number;
  /** Set if no route can be called at the moment: only a stored reply can be returned. */
  unavailable?: Failure;
}

interface PreparingDeps {
  catalog: Catalog;
  providers: Pick<Providers, 'dialect' | 'takes'>;
  breaker: CircuitBreaker;
  sandbox: Sandbox;
  schemas: Schemas;
  states?: ProviderStates | undefined;
  ownKeys?: OwnKeys | undefined;
  warmCaches?: WarmCaches;
  random?: () => number;
}

/**
 * Chooses the routes, quotes the most they can cost, and compiles the schema. Fails with `invalid_argument` if the schema is
 * invalid or too large, or if no model can do what is asked, and with `upstream_failed` if the circuits of all that could are
 * open; with `evenUnavailable`, the result reports the latter instead.
 */
export async function prepareChat(
  deps: PreparingDeps,
  caller: Caller,
  request: ChatRequest,
  {
    evenUnavailable = false,
    signal,
    fee = 0n,
  }: { evenUnavailable?: boolean; signal?: AbortSignal; fee?: NanoUsd } = {},
): Promise<Result<PreparedChat>> {
  const problem = requestProblem(request);
  if (problem) return fail(problem);
  const { schema: asked, heldByCaller } = request.responseFormat ?? {};
  const schema = heldByCaller ? undefined : asked;
  const measure = measureInput(request);
  const owner = caller.accountId ?? '';
  const prefix = deps.warmCaches?.prefixOf(owner, request, measure);
  const wanted = { ...wantedOf(caller, request, measure), cachedTokensOn: cachedTokensOn(deps, prefix, measure) };
  const states = openStates(deps, owner, request);
  if (!states.ok) return states;
  const use = request.routing?.ownKey;
  const offered = await offeredModels(deps, owner, use);
  // Read it now: the book may have changed by the time everything is prepared.
  const priceVersion = deps.catalog.version;
  const settings = settingsOf(request);
  const told = offered.filter(({ model }) =>
    settings.every(({ setting }) => deps.providers.takes(model.provider, model.upstreamModel, setting)),
  );
  const suited = fitting(told, request, states.value, deps.providers);
  if (!suited.ok) return suited;
  const choose = (statusOf: (route: string) => RouteStatus) =>
    choosingOwn(use, wanted.fallback, (models) =>
      stickingTo(states.value, wanted.fallback, models, (catalog, status) =>
        chooseRoutes(wanted, catalog, status, deps.random),
      )(statusOf),
    )(suited.value);
  let unavailable: Failure | undefined;
  let choice = choose((route) => deps.breaker.status(route, owner));
  if (!choice.ok && choice.because === 'unavailable') {
    const attempts = choice.skipped.map(({ provider, id }): Attempt => skippedAttempt(provider, id));
    const waits = choice.skipped.map(({ name }) => deps.breaker.status(name, owner).availableInMs ?? 0);
    unavailable = { kind: 'upstream_failed', attempts, retryAfterMs: Math.max(Math.min(...waits), 1_000) };
    if (!evenUnavailable) return fail(unavailable);
    choice = choose(alwaysAvailable);
  }
  if (!choice.ok) {
    const withoutThem = settings.length > 0 ? chooseRoutes(wanted, offered, alwaysAvailable, deps.random) : undefined;
    if (withoutThem?.ok) return fail(untakenSettings(settings));
    // Report what no model can do even without these settings, rather than that no model is left with them.
    const { field, description, reason } = withoutThem ?? choice;
    return fail(use === 'only' ? noOwnKey('routing.ownKey') : invalid(field, description, reason));
  }
  const quote = quoteCeiling(choice.routes, measure, {
    maxOutputTokens: request.maxOutputTokens,
    maxCost: request.routing?.maxCost && maxOf(request.routing.maxCost - fee, 0n),
    attemptsAddUp: schema !== undefined && choice.routes.length > 1,
    thinks: (model) => thinksAbout(request, model, deps.providers.dialect(model.provider)),
  });
  if (quote.routes.length === 0)
    return fail(invalid('routing.maxCostUsd', 'No model that can do this is certain to cost no more than that.'));
  // Last, because it may take a process of its own.
  const proven =
    schema &&
    (await deps.schemas.prove(owner, schema, { field: 'responseFormat.schema', user: caller.token?.subject, signal }));
  if (proven?.ok === false) return proven;
  return succeed({
    mode: wanted.mode,
    reason: choice.reason,
    measure,
    states: states.value,
    account: owner,
    ...(deps.states && owner ? { owner: { states: deps.states, accountId: owner } } : {}),
    ...(proven ? { schema: proven.value } : {}),
    count: tokenCounter(deps.sandbox, owner),
    quote: { ...quote, ceiling: quote.ceiling + fee, minimum: quote.minimum + fee },
    ...(prefix ? { prefix } : {}),
    priceVersion,
    ...(unavailable ? { unavailable } : {}),
  });
}

/** Reserves the most tokens that a request can use, whichever of its routes answers; undefined without limits. */
export async function reserveMost(
  { reserveTokens }: { reserveTokens?: ReserveTokens },
  caller: Caller,
  { quote, measure }: PreparedChat,
): Promise<Result<TokenReservation | undefined>> {
  const most = quote.routes.map(({ model, outputTokensCap }) => inputTokensAtMost(measure, model) + outputTokensCap);
  return reserveTokens && most.length > 0 ? reserveTokens(caller, Math.max(...most)) : succeed(undefined);
}

/** Whether this model may answer a request now: it is offered, fits the request, and the caller's token allows it. */
export function mayUseModel(
  offered: readonly PricedModel[],
  caller: Caller,
  request: ChatRequest,
  { provider, model }: { provider: string; model: string },
): boolean {
  const named = offered.filter((route) => route.model.provider === provider && route.model.id === model);
  return chooseRoutes(wantedOf(caller, request, measureInput(request)), named, alwaysAvailable).ok;
}

function openStates(
  { states }: Pick<PreparingDeps, 'states'>,
  accountId: string,
  { messages }: ChatRequest,
): Result<OpenedStates> {
  const index = messages.findIndex(
    ({ providerState, toolCalls }) => providerState || toolCalls?.some((call) => call.providerState),
  );
  if (index < 0) return succeed(noStates);
  return states?.open(accountId, messages) ?? fail(invalid(`messages[${index}].providerState`, 'None is given here.'));
}

function wantedOf(caller: Caller, request: ChatRequest, measure: InputMeasure): Wanted {
  return {
    provider: request.provider,
    model: request.model,
    mode: request.routing?.mode ?? 'balanced',
    fallback: request.routing?.fallback ?? true,
    allow: request.routing?.allow ?? [],
    deny: request.routing?.deny ?? [],
    needs: needsOf(request, measure),
    tokenModels: caller.token?.models,
    inputTokens: inputTokensAbout(measure),
    fileTokens: fileTokensAbout(measure),
    audioTokens: audioTokensAbout(measure),
    images: measure.images,
    maxOutputTokens: request.maxOutputTokens,
  };
}

function cachedTokensOn({ warmCaches }: PreparingDeps, prefix: PromptPrefix | undefined, measure: InputMeasure) {
  if (!warmCaches || !prefix) return undefined;
  return (route: string) => warmCaches.expect(prefix, route, inputTokensAbout(measure));
}

function needsOf(request: ChatRequest, measure: InputMeasure): ReadonlySet<Capability> {
  const needs = new Set<Capability>();
  if (measure.tools > 0) needs.add('tools');
  if (measure.images > 0) needs.add('images');
  if (measure.documents > 0) needs.add('documents');
  if (measure.audios > 0) needs.add('audio');
  if (request.responseFormat?.kind === 'json') needs.add('json');
  return needs;
}

/** Settings that only some models take, and the fields that ask for them. */
function settingsOf(request: ChatRequest): { setting: CallSetting; field: string }[] {
  const settings: { setting: CallSetting; field: string }[] = [];
  if (request.presencePenalty) settings.push({ setting: 'penalties', field: 'presencePenalty' });
  if (request.frequencyPenalty) settings.push({ setting: 'penalties', field: 'frequencyPenalty' });
  if (request.parallelToolCalls === false && request.tools && request.tools.length > 0)
    settings.push({ setting: 'oneToolCall', field: 'parallelToolCalls' });
  const strict = request.tools?.findIndex((tool) => tool.strict === true) ?? -1;
  if (strict >= 0) settings.push({ setting: 'strictTools', field: `tools[${strict}].strict` });
  return settings;
}

function untakenSettings(settings: readonly { field: string }[]): Failure {
  const description = 'No model that may be chosen supports this. Leave it out, or choose another model.';
  return { kind: 'invalid_argument', violations: settings.map(({ field }) => ({ field, description })) };
}

function skippedAttempt(provider: string, model: string): Attempt {
  return { provider, model, outcome: 'skipped', latencyMs: 0 };
}

function alwaysAvailable(): RouteStatus {
  return { available: true, inFlight: 0 };
}
