import type { JSONObject, JSONValue, LanguageModelV4CallOptions } from '@ai-sdk/provider';

/** What of a model the words of its provider depend on. */
export interface AskedModel {
  /** The provider's own name for it. */
  upstreamModel: string;
  /** Whether it can think before it answers. */
  reasons: boolean;
}

/** What a request says of how a model that can think does so. */
export interface ReasoningWish {
  effort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'max' | undefined;
  /** Whether the reply is to say what was thought. */
  summary: boolean;
  /** Whether the model is told to call a tool, whatever it thinks. */
  forcedTool: boolean;
  /** Whether the results of tools are given back that another provider's model asked for, so that its thoughts are not there. */
  resumed: boolean;
  /** The longest reply, thinking included. */
  outputTokensCap: number;
}

/** Something of a request that a provider has no words for. */
export interface Unsupported {
  /** As in the request. */
  field: string;
  /** For people, in our words. */
  reason: string;
}

/** What a model's thinking is asked for with. */
export interface ReasoningWords {
  options: Pick<LanguageModelV4CallOptions, 'reasoning' | 'maxOutputTokens' | 'providerOptions'>;
  unsupported: Unsupported[];
}

/** Settings of a request that some providers do not have. */
export type Setting = 'seed' | 'stop' | 'temperature' | 'topP' | 'cachePoint' | 'citations';

/** How one kind of provider is asked for what the provider specification has no words for. */
export interface Dialect {
  /** Whose options and metadata are its own. */
  readonly namespace: string;
  /** The setting is not there for this model, and why. */
  lacks(setting: Setting, model: AskedModel, wish: ReasoningWish): string | undefined;
  /** Whether a model thinks unseen when a request says this. */
  thinks(model: AskedModel, effort: ReasoningWish['effort']): boolean;
  reasoning(model: AskedModel, wish: ReasoningWish): ReasoningWords;
  /** Where a provider takes cache points: the options of what the point stands after, by how long it is kept. */
  cachePoint?(ttl: '5m' | '1h'): JSONObject;
  /** Where a provider says more of the input than the specification has words for: that, out of the usage as it stated it. */
  inputOf?(usage: JSONObject): StatedInput;
  /** Where a provider cites documents: the options of a document that is to be cited. */
  citedDocument?: JSONObject;
  /** Which members of the metadata of each part of a reply the provider wants back; undefined: it wants nothing of such a part back. */
  readonly state: { readonly [kind in 'reasoning' | 'text' | 'call']?: readonly string[] };
}

/** Tokens of input of some kind; what is not stated is absent, which is not zero. */
export interface StatedInput {
  /** Cached ones included. */
  audioTokens?: number | undefined;
  /** Those of the audio that the provider had cached. */
  cachedAudioTokens?: number | undefined;
  /** What was written into the cache for an hour. */
  cacheWrite1hTokens?: number | undefined;
}

/** A number at a place of what a provider stated. */
export function countAt(stated: JSONObject, ...path: readonly string[]): number | undefined {
  let value: JSONValue | undefined = stated;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    value = (value as JSONObject)[name];
  }
  return typeof value === 'number' ? value : undefined;
}

/** What is said of a model that does not think, when it is asked to. */
export function withoutReasoning({ effort, summary }: ReasoningWish): Unsupported[] {
  const reason = 'The model does not reason.';
  const unsupported: Unsupported[] = [];
  if (effort && effort !== 'none') unsupported.push({ field: 'reasoning.effort', reason });
  if (summary) unsupported.push({ field: 'reasoning.summary', reason });
  return unsupported;
}
