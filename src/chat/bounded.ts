import { inputCountsWithin } from './input-counts.ts';
import type { QuotedRoute } from './quote.ts';
import { TokenBound } from './token-bound.ts';
import { type InputMeasure, inputTokensAtMost } from './tokens.ts';
import type { ChatReply, ChatUsage } from './types.ts';

/** Token counts of one attempt: the provider's own, or ours if it reports none. */
export type CountedUsage = Omit<ChatUsage, 'cost'> & { inputTokens: number; outputTokens: number };

/** An upstream that used more than it was asked for, or claims to have. */
export interface Overrun {
  provider: string;
  model: string;
  /** `output`: above `maxOutputTokens`. `input`: more tokens than the request can contain. */
  what: 'output' | 'input';
  /** The limit it was given, in tokens; also the most that is charged. */
  bound: number;
  /** What it reported; absent if its text was cut before it reported anything. */
  stated?: number;
}

/** The most that one attempt may be charged. */
export interface Bounds {
  route: QuotedRoute;
  measure: InputMeasure;
  /** The longest reply the upstream was asked for. */
  outputTokensCap: number;
}

/**
 * Caps usage at what was requested: no more output than the upstream was allowed, however much it claims to have reasoned or
 * written, and no more input than the request can contain, which the worst-case hold covers.
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

/** Reports where an upstream exceeded what it was asked for: by its own counts, or with text that had to be cut (`isCut`). */
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

/** No tokenizer in use has a token of more characters. */
const tokenCharactersMax = 128;

/** Whether a reply can have as few tokens as that, whatever its provider reports. */
export function canBeWithin({ content, toolCalls }: ChatReply['message'], outputTokens: number): boolean {
  const characters = toolCalls.reduce((sum, call) => sum + call.name.length + call.arguments.length, content.length);
  return characters <= outputTokens * tokenCharactersMax;
}

/** Cuts a reply to `outputTokens`, by our own count; undefined if it already fits. A tool call is kept whole or dropped. */
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
