import type { OpenAICompatibleProviderSettings } from '@ai-sdk/openai-compatible';
import type { JSONObject, LanguageModelV4Usage } from '@ai-sdk/provider';

type StatedUsage = Parameters<NonNullable<OpenAICompatibleProviderSettings['convertUsage']>>[0];

/**
 * The counts that such a server reports. The package reads them too, except for the input written into the server's cache
 * (`cache_write_tokens` in OpenAI's and OpenRouter's terms), which some models bill at a separate rate.
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
