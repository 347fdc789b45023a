import type { OpenAICompatibleProviderSettings } from '@ai-sdk/openai-compatible';
import type { JSONObject, LanguageModelV4Usage } from '@ai-sdk/provider';

type StatedUsage = Parameters<NonNullable<OpenAICompatibleProviderSettings['convertUsage']>>[0];

/**
 * The counts that such a server states. The package reads them as well, but for the input that was written into the
 * server's cache (`cache_write_tokens`, as OpenAI and OpenRouter say), which some models bill at a rate of its own.
 */
export function usageOf(stated: StatedUsage): LanguageModelV4Usage {
  const { prompt_tokens: input, completion_tokens: output, ...details } = stated ?? {};
  const { cached_tokens: cached, cache_write_tokens: written } = details.prompt_tokens_details ?? {};
  const reasoning = details.completion_tokens_details?.reasoning_tokens;
  return {
    inputTokens: {
      total: input ?? undefined,
      noCache: undefined,
      cacheRead: cached ?? undefined,
      cacheWrite: typeof written === 'number' ? written : undefined,
    },
    ...(stated ? { raw: stated as JSONObject } : {}),
    outputTokens: { total: output ?? undefined, text: undefined, reasoning: reasoning ?? undefined },
  };
}
