import type { JSONValue } from '@ai-sdk/provider';
import { countAt, type Dialect, withoutReasoning } from './dialect.ts';

/**
 * Gemini's API. Reasoning is represented by signatures on the parts of a reply, which must come back with those parts
 * (https://ai.google.dev/gemini-api/docs/thought-signatures).
 */
export const google: Dialect = {
  namespace: 'google',
  lacks(setting) {
    if (setting === 'cachePoint') return 'The provider caches the beginnings of requests automatically.';
    if (setting === 'citations') return 'The provider does not cite documents.';
    return undefined;
  },
  thinks: ({ reasons }) => reasons,
  reasoning({ reasons }, wish) {
    if (!reasons) return { options: {}, unsupported: withoutReasoning(wish) };
    const shown = wish.summary ? { providerOptions: { google: { thinkingConfig: { includeThoughts: true } } } } : {};
    return { options: { ...(wish.effort ? { reasoning: wish.effort } : {}), ...shown }, unsupported: [] };
  },
  inputOf: (usage) => ({
    audioTokens: audioIn(usage.promptTokensDetails),
    cachedAudioTokens: audioIn(usage.cacheTokensDetails),
  }),
  state: { reasoning: ['thoughtSignature'], text: ['thoughtSignature'], call: ['thoughtSignature'] },
};

/** The audio tokens in a list of counts by modality (https://ai.google.dev/api/generate-content#ModalityTokenCount). */
function audioIn(details: JSONValue | undefined): number | undefined {
  if (!Array.isArray(details)) return undefined;
  const counts = details.flatMap((each) =>
    typeof each === 'object' && each !== null && !Array.isArray(each) && each.modality === 'AUDIO'
      ? (countAt(each, 'tokenCount') ?? [])
      : [],
  );
  return counts.reduce((sum, count) => sum + count, 0);
}
