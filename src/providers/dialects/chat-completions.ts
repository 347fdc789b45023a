import { countAt, type Dialect, withoutReasoning } from './dialect.ts';

/** Servers that speak OpenAI's Chat Completions. Those whose models show their reasoning want it back within a tool loop. */
export const chatCompletions: Dialect = {
  namespace: 'openaiCompatible',
  lacks(setting) {
    if (setting === 'cachePoint') return 'The provider has no cache points.';
    if (setting === 'citations') return 'The provider does not cite documents.';
    return undefined;
  },
  thinks: ({ reasons }) => reasons,
  reasoning({ reasons }, wish) {
    if (!reasons) return { options: {}, unsupported: withoutReasoning(wish) };
    return { options: wish.effort ? { reasoning: wish.effort } : {}, unsupported: [] };
  },
  inputOf: (usage) => ({ audioTokens: countAt(usage, 'prompt_tokens_details', 'audio_tokens') }),
  state: { reasoning: [] },
};
