import { type Dialect, withoutReasoning } from './dialect.ts';

/**
 * Gemini's API. What a model thought is told by signatures on the parts of its reply, which must come back with them
 * (https://ai.google.dev/gemini-api/docs/thought-signatures).
 */
export const google: Dialect = {
  namespace: 'google',
  lacks(setting) {
    if (setting === 'cachePoint') return 'The provider keeps what requests begin with by itself.';
    if (setting === 'citations') return 'The provider does not cite documents.';
    return undefined;
  },
  thinks: ({ reasons }) => reasons,
  reasoning({ reasons }, wish) {
    if (!reasons) return { options: {}, unsupported: withoutReasoning(wish) };
    const shown = wish.summary ? { providerOptions: { google: { thinkingConfig: { includeThoughts: true } } } } : {};
    return { options: { ...(wish.effort ? { reasoning: wish.effort } : {}), ...shown }, unsupported: [] };
  },
  state: { reasoning: ['thoughtSignature'], text: ['thoughtSignature'], call: ['thoughtSignature'] },
};
