import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { ProviderKind } from './settings.ts';

/**
 * Settings of a request that some models know nothing of, so that only those that do are called with them.
 * - `penalties`: presence and frequency penalties other than 0.
 * - `oneToolCall`: at most one tool call in a reply.
 * - `strictTools`: arguments of tools that fit their schema exactly.
 */
export type CallSetting = 'penalties' | 'oneToolCall' | 'strictTools';

/** Models of Anthropic that hold the arguments of tools to a schema. */
const anthropicStrict = /^claude-(opus-4-[1-9]|(sonnet|haiku)-4-[5-9]|(opus|sonnet|haiku)-[5-9])(-|$)/;

/** What the provider packages pass on; what is not here they leave out, which nobody would notice. */
const taken: Record<ProviderKind, (model: string) => readonly CallSetting[]> = {
  builtin: () => [],
  // The Responses API has no penalties.
  openai: () => ['oneToolCall', 'strictTools'],
  anthropic: (model) => ['oneToolCall', ...(anthropicStrict.test(model) ? (['strictTools'] as const) : [])],
  google: () => ['strictTools'],
  // What such a server makes of them is its own; they reach it.
  'openai-compatible': () => ['penalties', 'oneToolCall', 'strictTools'],
};

/** Whether a model of this kind of provider, by the provider's name for it, is told of a setting. */
export function takesSetting(kind: ProviderKind, model: string, setting: CallSetting): boolean {
  return taken[kind](model).includes(setting);
}

/** Settings that the provider specification has no words for, in those of each package. */
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
