import { type Dialect, withoutReasoning } from './dialect.ts';

/** The API refuses a lower limit; output beyond the length that the caller asked for is cut, and not charged. */
const outputTokensMin = 16;

/**
 * OpenAI's Responses API. Nothing is stored there: reasoning comes back encrypted, and goes back with the next request
 * (https://developers.openai.com/api/docs/guides/reasoning, "Encrypted reasoning items").
 */
export const openai: Dialect = {
  namespace: 'openai',
  lacks(setting, { reasons }, { effort }) {
    if (setting === 'seed' || setting === 'stop') return 'The provider has no such setting.';
    if ((setting === 'temperature' || setting === 'topP') && reasons && effort !== 'none')
      return 'A reasoning model has no such setting.';
    if (setting === 'cachePoint') return 'The provider caches the beginnings of requests automatically.';
    if (setting === 'citations') return 'The provider does not cite documents.';
    return undefined;
  },
  // Not every model lets reasoning be turned off.
  thinks: ({ reasons }) => reasons,
  reasoning({ reasons }, wish) {
    const store = { store: false };
    const maxOutputTokens = Math.max(wish.outputTokensCap, outputTokensMin);
    if (!reasons)
      return { options: { maxOutputTokens, providerOptions: { openai: store } }, unsupported: withoutReasoning(wish) };
    const summary = wish.summary && wish.effort !== 'none' ? 'auto' : null;
    return {
      options: {
        maxOutputTokens,
        ...(wish.effort ? { reasoning: wish.effort } : {}),
        providerOptions: {
          openai: {
            ...store,
            forceReasoning: true,
            include: ['reasoning.encrypted_content'],
            reasoningSummary: summary,
          },
        },
      },
      unsupported: [],
    };
  },
  state: { reasoning: ['itemId', 'reasoningEncryptedContent'], text: ['phase'] },
};
