import type { OpenAICompatibleProviderSettings } from '@ai-sdk/openai-compatible';
import type { JSONObject, LanguageModelV4Usage } from '@ai-sdk/provider';

type StatedUsage = Parameters<NonNullable<OpenAICompatibleProviderSettings['convertUsage']>>[0];

/**
 * The counts that such a server reports. The package reads them too, except for the input written into the server's cache
 * (`cache_write_tokens` in OpenAI's and OpenRouter's terms), which some models bill at a separate rate, and for reasoning that a
 * server, such as xAI's, counts apart from the rest of its output.
 */
export function usageOf(stated: StatedUsage): LanguageModelV4Usage {
  const { prompt_tokens: input, completion_tokens: output, total_tokens: all, ...details } = stated ?? {};
  const { cached_tokens: cached, cache_write_tokens: written } = details.prompt_tokens_details ?? {};
  const reasoning = details.completion_tokens_details?.reasoning_tokens ?? undefined;
  return {
    inputTokens: {
      total: input ?? undefined,
      noCache: undefined,
      cacheRead: cached ?? undefined,
      cacheWrite: typeof written === 'number' ? written : undefined,
    },
    ...(stated ? { raw: stated as JSONObject } : {}),
    outputTokens: {
      total: withReasoning(output ?? undefined, reasoning, (all ?? 0) - (input ?? 0)),
      text: undefined,
      reasoning,
    },
  };
}

/** All output. Its count includes the reasoning, unless the reasoning is more than that, or the stated sum adds the two. */
function withReasoning(output: number | undefined, reasoning = 0, allOutput: number): number | undefined {
  if (output === undefined || reasoning === 0) return output;
  const isApart = output + reasoning === allOutput || (output > 0 && reasoning > output);
  return isApart ? output + reasoning : output;
}
