import type { FieldReason } from '../base/failure.ts';
import type { NanoUsd } from '../base/money.ts';
import type { RoutingMode } from '../base/routing-mode.ts';
import { type Capability, type Model, namesModel, type PricedModel, priceOf } from '../catalog/index.ts';
import type { RouteStatus } from './circuit-breaker.ts';

/** What matters about a request when choosing a model. */
export interface Wanted {
  provider?: string | undefined;
  model?: string | undefined;
  mode: RoutingMode;
  fallback: boolean;
  allow: readonly string[];
  deny: readonly string[];
  needs: ReadonlySet<Capability>;
  /** Models that the caller's token is restricted to. */
  tokenModels?: readonly string[] | undefined;
  /** Approximate number of input tokens: for comparison, not for charging. */
  inputTokens: number;
  /** How much of that is a guess at documents and recordings, which rules out no model; absent: none. */
  fileTokens?: number | undefined;
  /** Roughly how much of it is audio; absent: none. */
  audioTokens?: number | undefined;
  images: number;
  maxOutputTokens?: number | undefined;
  /** Roughly how many input tokens a route is expected to have in its prompt cache; absent: none. */
  cachedTokensOn?: ((route: string) => number) | undefined;
}

export type Choice =
  | {
      ok: true;
      /** In the order in which to try them. */
      routes: PricedModel[];
      /** Why the first one was chosen, for humans. */
      reason: string;
    }
  | {
      ok: false;
      /** `none`: no model can do it. `unavailable`: some could, but all their circuits are open. */
      because: 'none' | 'unavailable';
      field: string;
      description: string;
      /** Machine-readable, if there is one. */
      reason?: FieldReason;
      skipped: Model[];
    };

/** The most models tried for one request. */
export const attemptsMax = 3;

/** Scores closer than this count as equal, and load is spread across them. */
const nearTie = 0.05;
const outputTokensGuess = 300;

/**
 * Chooses the models to try, in order: a pure function of the request, the catalog, the routes' status and a random source.
 * Leaves out models that cannot do the job, that the request excludes, or whose circuit is open.
 */
export function chooseRoutes(
  wanted: Wanted,
  catalog: readonly PricedModel[],
  statusOf: (route: string) => RouteStatus,
  random: () => number = Math.random,
): Choice {
  const able = catalog.filter(
    ({ model }) => isNamed(model, wanted) && isAllowed(model, wanted) && canDo(model, wanted),
  );
  if (able.length === 0) return whyNone(wanted, catalog);
  const candidates = withoutEmbedded(able, wanted);
  const first: Candidate[] = [];
  const last: Candidate[] = [];
  for (const route of candidates) {
    const status = statusOf(route.model.name);
    // Circuits track our key only; an account's own key is not blocked by them.
    if (!status.available && !route.ownKey) continue;
    const warm = (wanted.cachedTokensOn?.(route.model.name) ?? 0) > 0;
    (route.model.lastResort ? last : first).push({ route, status, score: 0, warm });
  }
  const count = first.length + last.length;
  if (count === 0)
    return {
      ok: false,
      because: 'unavailable',
      field: '',
      description: 'Every model that could answer is failing at the moment.',
      skipped: candidates.map(({ model }) => model),
    };
  const end = inOrder(last, wanted, random, 1);
  const routes = inOrder(first, wanted, random, attemptsMax - end.length).concat(end);
  return {
    ok: true,
    routes: wanted.fallback ? routes : routes.slice(0, 1),
    reason: reasonFor(wanted, count),
  };
}

/** A model that can be called now. */
interface Candidate {
  route: PricedModel;
  status: RouteStatus;
  /** Lower is better; the best is 0 or near, and near ties differ by less than `nearTie`. */
  score: number;
  /** Whether the provider probably has part of the prompt cached. */
  warm: boolean;
}

function whyNone(wanted: Wanted, catalog: readonly PricedModel[]): Choice {
  const named = catalog.filter(({ model }) => isNamed(model, wanted));
  if (named.length === 0) return nothing(...unknownName(wanted));
  const allowed = named.filter(({ model }) => isAllowed(model, wanted));
  if (allowed.length === 0) return nothing('routing.allow', 'No model is left by `allow`, `deny` and the token.');
  return nothing(...unable(allowed, wanted));
}

/** What a request is expected to cost on a model, for comparing models. */
export function expectedCost({ model, price }: PricedModel, wanted: Wanted, status: RouteStatus): NanoUsd {
  const outputTokens = Math.min(
    Math.round(status.outputTokensMean ?? outputTokensGuess),
    wanted.maxOutputTokens ?? Number.POSITIVE_INFINITY,
    model.maxOutputTokens,
  );
  const inputTokens = wanted.inputTokens + wanted.images * Math.min(model.imageTokens, 1_000);
  const cachedInputTokens = wanted.cachedTokensOn?.(model.name) ?? 0;
  const audioInputTokens = wanted.audioTokens ?? 0;
  return priceOf({ inputTokens, audioInputTokens, cachedInputTokens, outputTokens, requests: 1 }, price);
}

/** Best first, at most `most`. */
function inOrder(candidates: Candidate[], wanted: Wanted, random: () => number, most: number): PricedModel[] {
  if (candidates.length > 1) {
    score(candidates, wanted);
    candidates.sort((a, b) => a.score - b.score || (a.route.model.name < b.route.model.name ? -1 : 1));
    spreadNearTies(candidates, random, most);
  }
  return candidates.slice(0, most).map(({ route }) => route);
}

function score(candidates: readonly Candidate[], wanted: Wanted): void {
  const costs = candidates.map(({ route, status }) => Number(expectedCost(route, wanted, status)));
  const cheapest = Math.max(Math.min(...costs), 1);
  const best = candidates.reduce((most, { route }) => Math.max(most, route.model.quality), 0);
  const slower = slownessOf(candidates, wanted);
  for (const [index, candidate] of candidates.entries()) {
    // How much dearer than the cheapest, as a logarithm; 0 for the cheapest itself.
    const dearer = Math.log(Math.max(costs[index] ?? 1, 1) / cheapest);
    const worse = (best - candidate.route.model.quality) / 100;
    candidate.score = scoreOf(wanted.mode, { dearer, slower: slower?.[index] ?? 0, worse });
  }
}

/** How much slower than the fastest each one is, as a logarithm; undefined if the mode ignores speed. */
function slownessOf(candidates: readonly Candidate[], wanted: Wanted): number[] | undefined {
  if (wanted.mode === 'economy' || wanted.mode === 'quality') return undefined;
  const seconds = candidates.map(({ status }) => expectedSeconds(wanted, status));
  const measured = seconds.filter((each) => each !== undefined);
  const fastest = Math.max(measured.length > 0 ? Math.min(...measured) : 1, 0.001);
  const typical = measured.length > 0 ? median(measured) : 1;
  // An unmeasured route counts as typical; otherwise it would never be tried, and so never measured.
  return seconds.map((each) => Math.log(Math.max(each ?? typical, 0.001) / fastest));
}

// The second term only breaks ties in the first.
function scoreOf(mode: RoutingMode, facts: { dearer: number; slower: number; worse: number }): number {
  switch (mode) {
    case 'economy':
      return facts.dearer + facts.worse * 0.01;
    case 'quality':
      return facts.worse * 100 + Math.min(facts.dearer, 10) * 0.01;
    case 'fast':
      return facts.slower + Math.min(facts.dearer, 10) * 0.01;
    case 'balanced':
      return facts.dearer * 0.2 + facts.worse * 2 + facts.slower * 0.2;
  }
}

/**
 * Puts the first `most` places of the sorted candidates in their final order: for each place, draws two of the near ties and
 * puts the one with fewer calls in flight first (Mitzenmacher, 2001). The best stays first if its provider has the prompt
 * cached: anywhere else, the prompt would be paid for in full.
 */
function spreadNearTies(sorted: Candidate[], random: () => number, most: number): void {
  for (let place = 0; place < Math.min(most, sorted.length); place++) {
    if (sorted[place]?.warm) continue;
    const bar = (sorted[place]?.score ?? 0) + nearTie;
    let tied = 1;
    while (place + tied < sorted.length && (sorted[place + tied]?.score ?? bar) < bar) tied++;
    const one = place + Math.floor(random() * tied);
    const other = tied > 1 ? place + ((one - place + 1 + Math.floor(random() * (tied - 1))) % tied) : one;
    const taken = inFlight(sorted[one]) <= inFlight(sorted[other]) ? one : other;
    if (taken !== place) sorted.splice(place, 0, ...sorted.splice(taken, 1));
  }
}

function inFlight(candidate: Candidate | undefined): number {
  return candidate?.status.inFlight ?? Number.POSITIVE_INFINITY;
}

function expectedSeconds(wanted: Wanted, status: RouteStatus): number | undefined {
  if (status.firstTokenMs === undefined) return undefined;
  const outputTokens = Math.min(status.outputTokensMean ?? outputTokensGuess, wanted.maxOutputTokens ?? 1e9);
  const rest = status.tokensPerSecond === undefined ? 0 : outputTokens / status.tokensPerSecond;
  return status.firstTokenMs / 1_000 + rest;
}

function isNamed(model: Model, { provider, model: pinned }: Wanted): boolean {
  if (provider && provider !== 'auto' && model.provider !== provider) return false;
  return !pinned || pinned === 'auto' || model.id === pinned || model.name === pinned;
}

function isAllowed(model: Model, { allow, deny, tokenModels }: Wanted): boolean {
  if (namesModel(model, deny) || (tokenModels && !namesModel(model, tokenModels))) return false;
  return allow.length === 0 || namesModel(model, allow);
}

function canDo(model: Model, wanted: Wanted): boolean {
  for (const need of wanted.needs) if (!model.capabilities.has(need)) return false;
  return lengthOf(wanted) < model.contextTokens;
}

/** Roughly how many tokens a model must be able to take for certain. */
function lengthOf({ inputTokens, fileTokens = 0 }: Wanted): number {
  return inputTokens - fileTokens;
}

// The embedded model only quotes, it does not reason: it answers when named, or when there is nothing else.
function withoutEmbedded(routes: readonly PricedModel[], wanted: Wanted): readonly PricedModel[] {
  if (wanted.model || (wanted.provider && wanted.provider !== 'auto')) return routes;
  if (routes.every(({ model }) => model.embedded)) return routes;
  return routes.filter(({ model }) => !model.embedded || model.lastResort);
}

function unknownName({ provider, model }: Wanted): [string, string, FieldReason?] {
  return model && model !== 'auto'
    ? ['model', 'No available model has this name. Send `auto`, or a name from the list of models.', 'MODEL_NOT_FOUND']
    : provider && provider !== 'auto'
      ? [
          'provider',
          'No enabled provider has this name, or it has no model with a price. Use `auto`, or a provider from the list of models.',
        ]
      : ['model', 'No model is enabled on this service.'];
}

function unable(routes: readonly PricedModel[], wanted: Wanted): [string, string] {
  const fields = {
    tools: 'tools',
    json: 'responseFormat',
    images: 'messages',
    documents: 'messages',
    audio: 'messages',
    reasoning: 'model',
  } as const;
  for (const need of wanted.needs)
    if (routes.every(({ model }) => !model.capabilities.has(need)))
      return [fields[need], `No model that may be chosen supports this: it needs the capability "${need}".`];
  const contextMax = Math.max(...routes.map(({ model }) => model.contextTokens));
  return ['messages', `The conversation is about ${lengthOf(wanted)} tokens; the models accept at most ${contextMax}.`];
}

function nothing(field: string, description: string, reason?: FieldReason): Choice {
  return { ok: false, because: 'none', field, description, ...(reason && { reason }), skipped: [] };
}

function reasonFor({ mode, model, provider }: Wanted, count: number): string {
  if (model && model !== 'auto') return 'The request names the model.';
  const among = count === 1 ? 'the only model that can do it' : `${count} models that can do it`;
  const at = provider && provider !== 'auto' ? ` of ${provider}` : '';
  const by = {
    economy: 'Expected to cost least',
    balanced: 'Best balance of cost, quality and speed',
    quality: 'Highest quality',
    fast: 'Fastest as measured',
  }[mode];
  return count === 1 ? `It is ${among}${at}.` : `${by} among ${among}${at}.`;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 1;
}
