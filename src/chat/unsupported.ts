import type { LanguageModelV4CallOptions, SharedV4Warning } from '@ai-sdk/provider';
import type { Model } from '../catalog/index.ts';
import type { AskedModel, Dialect, ReasoningWish, Setting } from '../providers/index.ts';
import { cachePointsOf, hourLongPoints } from './cache-points.ts';
import type { OpenedStates } from './provider-state.ts';
import type { ChatCachePoint, ChatRequest, Ignored } from './types.ts';

/** A request on its way to one model. */
export interface Asking {
  request: ChatRequest;
  model: Model;
  /** Whether its price has a rate for one-hour cache writes. */
  keepsForHour: boolean;
  dialect: Dialect;
  states: OpenedStates;
  /** The longest reply it is asked for. */
  outputTokensCap: number;
}

/** What a model cannot do of a request, and the options for what only some models support. */
export interface Words {
  ignored: Ignored[];
  reasoning: Partial<LanguageModelV4CallOptions>;
  /** The cache points that are kept for an hour. */
  hourLong: ReadonlySet<ChatCachePoint>;
}

export function unsupportedBy(asking: Asking): Words {
  const { request, model, dialect, states } = asking;
  const asked = askedModel(model);
  const wish = wishOf(asking);
  const { options, unsupported } = dialect.reasoning(asked, wish);
  const ignored: Ignored[] = [...unsupported];
  for (const [setting, field] of settingsOf(request)) {
    const reason = dialect.lacks(setting, asked, wish);
    if (reason) ignored.push({ field, reason });
  }
  const { maxOutputTokens } = request;
  if (maxOutputTokens !== undefined && maxOutputTokens > model.maxOutputTokens)
    ignored.push({ field: 'maxOutputTokens', reason: `The model gives at most ${model.maxOutputTokens} tokens.` });
  const hourLong = hourLongPoints(request, asking.keepsForHour);
  if (dialect.cachePoint) ignored.push(...hourLong.ignored);
  for (const [index, { provider }] of states.messages)
    if (provider !== model.provider) ignored.push(foreign(`messages[${index}].providerState`));
  for (const [place, { provider }] of states.calls) {
    const [index, call] = place.split('/');
    if (provider !== model.provider) ignored.push(foreign(`messages[${index}].toolCalls[${call}].providerState`));
  }
  return { ignored, reasoning: options, hourLong: hourLong.kept };
}

/** What a provider package reports as left out, added to what was already known. */
export function withWarnings(ignored: readonly Ignored[], warnings: readonly SharedV4Warning[]): Ignored[] {
  const all = [...ignored];
  for (const warning of warnings) {
    if (warning.type === 'other' && warning.message.includes('thought_signature')) all.push(unsigned);
    if (warning.type !== 'unsupported' && warning.type !== 'compatibility') continue;
    const field = fields[warning.feature] ?? 'request';
    const reason =
      warning.type === 'compatibility'
        ? 'The model does not have exactly this; the nearest was used.'
        : field === 'request'
          ? 'The model does not support this setting for a part of the request.'
          : 'The model has no such setting.';
    if (!all.some((one) => one.field === field)) all.push({ field, reason });
  }
  return all;
}

/** Whether a model spends hidden reasoning on the request. */
export function thinksAbout(request: ChatRequest, model: Model, dialect: Dialect): boolean {
  return dialect.thinks(askedModel(model), request.reasoning?.effort);
}

/** Gemini accepts tool calls that it did not sign, if it is told that they are unsigned. */
const unsigned: Ignored = {
  field: 'messages',
  reason: 'A tool call came without its providerState: the model continues without its earlier reasoning.',
};

// Packages use their own names for what they leave out.
const fields: Readonly<Record<string, string>> = {
  seed: 'seed',
  stopSequences: 'stop',
  temperature: 'temperature',
  topP: 'topP',
  reasoning: 'reasoning.effort',
  reasoningEffort: 'reasoning.effort',
  reasoningSummary: 'reasoning.summary',
  toolChoice: 'toolChoice',
  responseFormat: 'responseFormat',
  maxOutputTokens: 'maxOutputTokens',
  'providerOptions.anthropic.effort': 'reasoning.effort',
  'providerOptions.anthropic.thinking': 'reasoning.effort',
};

function askedModel({ upstreamModel, capabilities }: Model): AskedModel {
  return { upstreamModel, reasons: capabilities.has('reasoning') };
}

function wishOf({ request, model, states, outputTokensCap }: Asking): ReasoningWish {
  const { mode } = request.toolChoice ?? {};
  return {
    effort: request.reasoning?.effort,
    summary: request.reasoning?.summary ?? false,
    forcedTool: mode === 'required' || mode === 'tool',
    resumed: states.newest !== undefined && states.newest.provider !== model.provider,
    outputTokensCap,
  };
}

function* settingsOf(request: ChatRequest): Generator<[Setting, string]> {
  if (request.seed !== undefined) yield ['seed', 'seed'];
  if (request.stop && request.stop.length > 0) yield ['stop', 'stop'];
  if (request.temperature !== undefined) yield ['temperature', 'temperature'];
  if (request.topP !== undefined) yield ['topP', 'topP'];
  for (const [, field] of cachePointsOf(request)) yield ['cachePoint', field];
  for (const [index, { parts = [] }] of request.messages.entries())
    for (const [place, part] of parts.entries())
      if (part.kind === 'document' && part.citations)
        yield ['citations', `messages[${index}].parts[${place}].document.citations`];
}

function foreign(field: string): Ignored {
  return { field, reason: 'The state belongs to another provider.' };
}
