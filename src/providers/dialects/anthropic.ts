import { getAnthropicLanguageModelEntry } from '@ai-sdk/anthropic/internal';
import {
  type AskedModel,
  countAt,
  type Dialect,
  type ReasoningWish,
  type ReasoningWords,
  withoutReasoning,
} from './dialect.ts';

/** The smallest thinking budget that the API accepts. */
const budgetMin = 1_024;
/** The share of the reply's tokens that a model without its own effort levels may spend on thinking. */
const shares = { minimal: 0, low: 0.2, medium: 0.5, high: 0.8, max: 0.95 } as const;

/**
 * Anthropic's Messages API. Newer models think as much as an effort level says; older ones within a budget, which counts
 * towards `max_tokens`. Thinking is signed, and must go back with the tool results.
 */
export const anthropic: Dialect = {
  namespace: 'anthropic',
  lacks(setting, model, wish) {
    if (setting === 'seed') return 'The provider has no such setting.';
    if ((setting === 'temperature' || setting === 'topP') && isThinking(model, wish))
      return 'The model does not support this setting while it reasons.';
    return undefined;
  },
  thinks: (model, effort) => model.reasons && (isAsked(effort) || entryOf(model).adaptive),
  reasoning(model, wish) {
    if (!model.reasons) return { options: {}, unsupported: withoutReasoning(wish) };
    const { adaptive } = entryOf(model);
    if (isAsked(wish.effort)) return asked(model, wish);
    const silent = { field: 'reasoning.summary', reason: 'The model reasons only if an effort is requested.' };
    return {
      options: wish.effort && adaptive ? { reasoning: wish.effort } : {},
      unsupported: wish.summary && !adaptive ? [silent] : [],
    };
  },
  // Five minutes is its default.
  cachePoint: (ttl) => ({ cacheControl: { type: 'ephemeral', ...(ttl === '1h' ? { ttl } : {}) } }),
  inputOf: (usage) => ({ cacheWrite1hTokens: countAt(usage, 'cache_creation', 'ephemeral_1h_input_tokens') }),
  citedDocument: { citations: { enabled: true } },
  state: { reasoning: ['signature', 'redactedData'] },
};

function asked(model: AskedModel, wish: ReasoningWish): ReasoningWords {
  if (wish.forcedTool) return without('The model does not reason if the request tells it which tool to call.');
  if (wish.resumed) return without("Another provider's model asked for the tools; this one goes on without reasoning.");
  if (entryOf(model).adaptive) return { options: { reasoning: wish.effort ?? 'medium' }, unsupported: [] };
  const share = isAsked(wish.effort) ? shares[wish.effort] : 0;
  const budgetTokens = Math.max(budgetMin, Math.floor(wish.outputTokensCap * share));
  const rest = wish.outputTokensCap - budgetTokens;
  if (rest < 1) return without(`Reasoning needs more than ${budgetMin} output tokens.`);
  return {
    // The package adds the budget to this.
    options: { maxOutputTokens: rest, providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens } } } },
    unsupported: [],
  };
}

function without(reason: string): ReasoningWords {
  return { options: {}, unsupported: [{ field: 'reasoning.effort', reason }] };
}

function isThinking(model: AskedModel, wish: ReasoningWish): boolean {
  return model.reasons && isAsked(wish.effort) && asked(model, wish).unsupported.length === 0;
}

function isAsked(effort: ReasoningWish['effort']): effort is Exclude<ReasoningWish['effort'], 'none' | undefined> {
  return effort !== undefined && effort !== 'none';
}

function entryOf({ upstreamModel }: AskedModel): { adaptive: boolean } {
  return getAnthropicLanguageModelEntry(upstreamModel).capabilities.language.reasoning;
}
