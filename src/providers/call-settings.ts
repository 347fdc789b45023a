import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { ProviderKind } from './settings.ts';

/**
 * Request settings that some models do not support, so that only models that do are called with them.
 * - `penalties`: presence and frequency penalties other than 0.
 * - `oneToolCall`: at most one tool call per reply.
 * - `strictTools`: tool arguments that fit their schema exactly.
 */
export type CallSetting = 'penalties' | 'oneToolCall' | 'strictTools';

/** Anthropic models that constrain tool arguments to a schema. */
const anthropicStrict = /^claude-(opus-4-[1-9]|(sonnet|haiku)-4-[5-9]|(opus|sonnet|haiku)-[5-9])(-|$)/;

/** What the provider packages pass on; they silently drop everything else. */
const taken: Record<ProviderKind, (model: string) => readonly CallSetting[]> = {
  builtin: () => [],
  // The Responses API has no penalties.
  openai: () => ['oneToolCall', 'strictTools'],
  anthropic: (model) => ['oneToolCall', ...(anthropicStrict.test(model) ? (['strictTools'] as const) : [])],
  google: () => ['strictTools'],
  // How such a server treats them is up to it; they do reach it.
  'openai-compatible': () => ['penalties', 'oneToolCall', 'strictTools'],
};

/** Whether a model of this kind of provider, by the provider's name for it, receives a setting. */
export function takesSetting(kind: ProviderKind, model: string, setting: CallSetting): boolean {
  return taken[kind](model).includes(setting);
}

/** Options that the provider specification does not cover, under each package's own names. */
export function providerOptionsOf(settings: {
  parallelToolCalls?: boolean;
  strictJsonSchema?: boolean;
}): LanguageModelV4CallOptions['providerOptions'] {
  const { parallelToolCalls, strictJsonSchema } = settings;
  if (parallelToolCalls === undefined && strictJsonSchema === undefined) return undefined;
  return {
    openai: settings,
    ...(strictJsonSchema === undefined ? {} : { openaiCompatible: { strictJsonSchema } }),
    ...(parallelToolCalls === undefined ? {} : { anthropic: { disableParallelToolUse: !parallelToolCalls } }),
  };
}
