import { inputCountsWithin } from './input-counts.ts';
import type { QuotedRoute } from './quote.ts';
import { TokenBound } from './token-bound.ts';
import { type InputMeasure, inputTokensAtMost } from './tokens.ts';
import type { ChatReply, ChatUsage } from './types.ts';

/** Token counts of one attempt: the provider's own, or ours where it states none. */
export type CountedUsage = Omit<ChatUsage, 'cost'> & { inputTokens: number; outputTokens: number };

/** An upstream that took, or says that it took, more than it was asked for. */
export interface Overrun {
  provider: string;
  model: string;
  /** `output`: beyond `maxOutputTokens`. `input`: more tokens than the request can have. */
  what: 'output' | 'input';
  /** What it was asked for, in tokens, and the most that is charged. */
  bound: number;
  /** What it stated; absent when its text was cut before it stated anything. */
  stated?: number;
}

/** What one attempt may be charged at most. */
export interface Bounds {
  route: QuotedRoute;
  measure: InputMeasure;
  /** The longest reply that the upstream was asked for. */
  outputTokensCap: number;
}

/**
 * A usage within what was asked for: no more output than the upstream was told to give, however much it says it thought or
 * wrote, and no more input than the request can have, which is what its worst case was held for.
 */
export function boundUsage(usage: CountedUsage, bounds: Bounds): CountedUsage {
  const inputTokens = Math.min(usage.inputTokens, inputTokensMaxOf(bounds));
  const outputTokens = Math.min(usage.outputTokens, bounds.outputTokensCap);
  if (inputTokens === usage.inputTokens && outputTokens === usage.outputTokens) return usage;
  const { reasoningTokens: reasoning } = usage;
  return {
    ...{ inputTokens, outputTokens, estimated: true },
    ...inputCountsWithin(inputTokens, usage),
    ...(reasoning !== undefined && { reasoningTokens: Math.min(reasoning, outputTokens) }),
  };
}

/** Tells where an upstream went beyond what it was asked for: by its own counts, or with text that `isCut`. */
export function reportOverruns(
  stated: { input: number | undefined; output: number | undefined },
  isCut: boolean,
  bounds: Bounds,
  overran: ((overrun: Overrun) => void) | undefined,
): void {
  const { provider, id: model } = bounds.route.model;
  const { outputTokensCap } = bounds;
  const { input = 0, output = 0 } = stated;
  const inputTokensMax = inputTokensMaxOf(bounds);
  if (output > outputTokensCap) overran?.({ provider, model, what: 'output', bound: outputTokensCap, stated: output });
  else if (isCut) overran?.({ provider, model, what: 'output', bound: outputTokensCap });
  if (input > inputTokensMax) overran?.({ provider, model, what: 'input', bound: inputTokensMax, stated: input });
}

function inputTokensMaxOf({ measure, route }: Bounds): number {
  return inputTokensAtMost(measure, route.model);
}

/** As much of a reply as so many tokens are, by our own count; undefined when that is all of it. A call of a tool is there whole or not at all. */
export function cutMessage(message: ChatReply['message'], outputTokens: number): ChatReply['message'] | undefined {
  const bound = new TokenBound(outputTokens);
  const content = bound.take(message.content);
  const toolCalls = message.toolCalls.filter((call) => {
    bound.take(call.name);
    bound.take(call.arguments);
    return !bound.full;
  });
  return bound.full ? { ...message, content, toolCalls } : undefined;
}
