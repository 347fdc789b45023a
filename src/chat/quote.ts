import { maxOf, minOf, type NanoUsd } from '../base/money.ts';
import {
  type InputKinds,
  type LongestRequest,
  type Model,
  outputTokensWithin,
  type PricedModel,
  type PricedUsage,
  priceOf,
  worstPriceOf,
} from '../catalog/index.ts';
import {
  hasFiles,
  type InputMeasure,
  inputKindsOf,
  inputTokensAbout,
  inputTokensAtMost,
  roomForReply,
} from './tokens.ts';

/** A route with the longest reply it may give. */
export interface QuotedRoute extends PricedModel {
  outputTokensCap: number;
  /** Whether only its provider can say what it used: its reasoning on this request is hidden, or the request has a document or a recording. */
  hiddenTokens: boolean;
  /** The most that one attempt on it can cost. */
  worst: NanoUsd;
}

export interface Quote {
  /** Routes that fit the caller's price cap, in order. */
  routes: QuotedRoute[];
  /** The most that the request can cost; this is held if the wallet has it. */
  ceiling: NanoUsd;
  /** The least that must be affordable for the request to start: roughly its input, plus one token of reply. */
  minimum: NanoUsd;
}

export interface QuoteTerms {
  maxOutputTokens?: number | undefined;
  maxCost?: NanoUsd | undefined;
  /** Whether one attempt can be charged and another follow, for example if a reply does not fit its schema. */
  attemptsAddUp: boolean;
  /** Whether a model may spend hidden reasoning tokens on the request; by default, every model that can reason. */
  thinks?: ((model: Model) => boolean) | undefined;
}

/** An unset maximum must not reserve a fortune. Reasoning models think in output tokens, so they need more room. */
const outputTokensDefault = 4_096;
const outputTokensDefaultReasoning = 16_384;
/** A price cap that pays for a shorter reply than this excludes the model, unless the caller asked for less. */
const outputTokensUseful = 256;

/**
 * The most and the least that a request can cost: a pure function. A price cap (`maxCost`) shortens replies whose length the
 * caller left open, and excludes models that could not stay within it.
 */
export function quoteCeiling(routes: readonly PricedModel[], measure: InputMeasure, terms: QuoteTerms): Quote {
  const quoted: QuotedRoute[] = [];
  let sum = 0n;
  for (const route of routes) {
    const left = terms.maxCost === undefined ? undefined : terms.maxCost - (terms.attemptsAddUp ? sum : 0n);
    const within = quoteRoute(route, measure, terms, left);
    if (!within) continue;
    quoted.push(within);
    sum += within.worst;
  }
  const minima = quoted.map((route) => leastCost(route, measure));
  return {
    routes: quoted,
    ceiling: terms.attemptsAddUp ? sum : quoted.reduce((most, { worst }) => maxOf(most, worst), 0n),
    minimum: minima.reduce(minOf, minima[0] ?? 0n),
  };
}

/** How many reply tokens an amount pays for after at most this much input, whatever kind the provider says the input was; 0 if it pays for none. */
export function affordableOutputTokens(
  { price }: PricedModel,
  input: InputKinds & { inputTokens: number },
  amount: NanoUsd,
): number {
  return outputTokensWithin(amount, input, price);
}

/** What one attempt costs. */
export function attemptCost(
  { price }: PricedModel,
  usage: Omit<PricedUsage, 'requests' | 'events'> & { inputTokens: number; outputTokens: number },
): NanoUsd {
  return priceOf({ ...usage, requests: 1 }, price);
}

/** The most that one attempt with at most this many tokens can cost, in any tier and whatever its input may count as. */
export function worstCost({ price }: PricedModel, most: LongestRequest): NanoUsd {
  return worstPriceOf(most, price);
}

function quoteRoute(
  route: PricedModel,
  measure: InputMeasure,
  { maxOutputTokens: asked, thinks: isThinking }: QuoteTerms,
  amountMax: NanoUsd | undefined,
): QuotedRoute | undefined {
  const { model } = route;
  const input = { inputTokens: inputTokensAtMost(measure, model), ...inputKindsOf(measure) };
  const thinks = isThinking?.(model) ?? model.capabilities.has('reasoning');
  const byDefault = thinks ? outputTokensDefaultReasoning : outputTokensDefault;
  let cap = Math.min(asked ?? byDefault, model.maxOutputTokens, roomForReply(measure, model));
  if (amountMax !== undefined) {
    const affordable = affordableOutputTokens(route, input, amountMax);
    if (affordable < (asked === undefined ? Math.min(outputTokensUseful, cap) : cap)) return undefined;
    cap = Math.min(cap, affordable);
  }
  const hiddenTokens = thinks || hasFiles(measure);
  return { ...route, hiddenTokens, outputTokensCap: cap, worst: worstCost(route, { ...input, outputTokens: cap }) };
}

function leastCost(route: PricedModel, measure: InputMeasure): NanoUsd {
  // No guess is safe for input that we cannot count.
  const inputTokens = hasFiles(measure) ? inputTokensAtMost(measure, route.model) : inputTokensAbout(measure);
  const input = { inputTokens, ...inputKindsOf(measure) };
  return maxOf(worstCost(route, { ...input, outputTokens: 1 }), 1n);
}
