import type { JSONObject, JSONValue, LanguageModelV4CallOptions } from '@ai-sdk/provider';

/** The model properties that a provider's options depend on. */
export interface AskedModel {
  /** The provider's own name for it. */
  upstreamModel: string;
  /** Whether it can reason before it answers. */
  reasons: boolean;
}

/** A request's wishes for how a reasoning model reasons. */
export interface ReasoningWish {
  effort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'max' | undefined;
  /** Whether the reply should include a summary of the reasoning. */
  summary: boolean;
  /** Whether the model must call a tool, whatever its reasoning says. */
  forcedTool: boolean;
  /** Whether the request returns tool results that another provider's model asked for, so that its reasoning is missing. */
  resumed: boolean;
  /** The longest reply, reasoning included. */
  outputTokensCap: number;
}

/** A part of a request that a provider cannot express. */
export interface Unsupported {
  /** As in the request. */
  field: string;
  /** For humans, in our own words. */
  reason: string;
}

/** The options that ask for a model's reasoning. */
export interface ReasoningWords {
  options: Pick<LanguageModelV4CallOptions, 'reasoning' | 'maxOutputTokens' | 'providerOptions'>;
  unsupported: Unsupported[];
}

/** Request settings that some providers do not have. */
export type Setting = 'seed' | 'stop' | 'temperature' | 'topP' | 'cachePoint' | 'citations';

/** How to ask one kind of provider for what the provider specification does not cover. */
export interface Dialect {
  /** The namespace of the provider's own options and metadata. */
  readonly namespace: string;
  /** Why this model does not have the setting; undefined if it does. */
  lacks(setting: Setting, model: AskedModel, wish: ReasoningWish): string | undefined;
  /** Whether a model reasons without showing it at this effort. */
  thinks(model: AskedModel, effort: ReasoningWish['effort']): boolean;
  reasoning(model: AskedModel, wish: ReasoningWish): ReasoningWords;
  /** If the provider takes cache points: the options for whatever the point follows, by how long it is kept. */
  cachePoint?(ttl: '5m' | '1h'): JSONObject;
  /** If the provider reports more about the input than the specification covers: those counts, from its raw usage. */
  inputOf?(usage: JSONObject): StatedInput;
  /** If the provider cites documents: the options for a document to be cited. */
  citedDocument?: JSONObject;
  /** Which metadata members of each kind of reply part the provider wants back; undefined: none for that kind. */
  readonly state: { readonly [kind in 'reasoning' | 'text' | 'call']?: readonly string[] };
}

/** Input tokens of particular kinds; an unreported count is absent, which does not mean zero. */
export interface StatedInput {
  /** Includes cached ones. */
  audioTokens?: number | undefined;
  /** The audio tokens that the provider had cached. */
  cachedAudioTokens?: number | undefined;
  /** What was written into the one-hour cache. */
  cacheWrite1hTokens?: number | undefined;
}

/** The number at a path in a provider's raw data. */
export function countAt(stated: JSONObject, ...path: readonly string[]): number | undefined {
  let value: JSONValue | undefined = stated;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    value = (value as JSONObject)[name];
  }
  return typeof value === 'number' ? value : undefined;
}

/** What to report for a model that does not reason when it is asked to. */
export function withoutReasoning({ effort, summary }: ReasoningWish): Unsupported[] {
  const reason = 'The model does not reason.';
  const unsupported: Unsupported[] = [];
  if (effort && effort !== 'none') unsupported.push({ field: 'reasoning.effort', reason });
  if (summary) unsupported.push({ field: 'reasoning.summary', reason });
  return unsupported;
}
