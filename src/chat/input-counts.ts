import type { LanguageModelV4Usage } from '@ai-sdk/provider';
import { present } from '../base/present.ts';
import { hasRate, type PricedModel } from '../catalog/index.ts';
import { type Dialect, isTokenCount } from '../providers/index.ts';
import type { InputMeasure } from './tokens.ts';
import type { ChatUsage } from './types.ts';

/** The input tokens of kinds that may have their own rate; unknown counts are absent. */
export type InputCounts = Pick<
  ChatUsage,
  'cachedInputTokens' | 'cacheWriteInputTokens' | 'cacheWrite1hInputTokens' | 'audioInputTokens'
>;

/**
 * The provider's breakdown of the input, limited to what the request can have caused and the hold covers: audio only if it has
 * some, and one-hour cache writes only if it asks for them. No token is counted twice: cached audio counts as audio.
 */
export function inputCountsOf(
  { inputTokens: { cacheRead, cacheWrite }, raw }: LanguageModelV4Usage,
  inputTokens: number,
  { dialect, measure, route }: { dialect: Dialect; measure: InputMeasure; route: PricedModel },
): InputCounts {
  const stated = (raw && dialect.inputOf?.(raw)) || {};
  const audio = measure.audios > 0 ? whole(stated.audioTokens) : undefined;
  const cached = whole(cacheRead);
  const cachedAudio = Math.min(audio ?? 0, whole(stated.cachedAudioTokens) ?? 0);
  const keepsForHour = measure.hourLongPoints > 0 && hasRate(route.price, 'cacheWrite1hInputPerMillion');
  return inputCountsWithin(inputTokens, {
    ...present({
      audioInputTokens: audio,
      cachedInputTokens: cached && Math.max(cached - cachedAudio, 0),
      cacheWriteInputTokens: whole(cacheWrite),
      cacheWrite1hInputTokens: keepsForHour ? whole(stated.cacheWrite1hTokens) : undefined,
    }),
  });
}

/** Caps the counts so that together they do not exceed the input. */
export function inputCountsWithin(inputTokens: number, counts: InputCounts): InputCounts {
  const { audioInputTokens: audio, cachedInputTokens: cached, cacheWriteInputTokens: written } = counts;
  const within = (count: number | undefined, most: number) => (count === undefined ? undefined : Math.min(count, most));
  const audioInputTokens = within(audio, inputTokens);
  const cachedInputTokens = within(cached, inputTokens - (audioInputTokens ?? 0));
  const left = inputTokens - (audioInputTokens ?? 0) - (cachedInputTokens ?? 0);
  const cacheWriteInputTokens = within(written, left);
  const cacheWrite1hInputTokens = within(counts.cacheWrite1hInputTokens, cacheWriteInputTokens ?? 0);
  return present({ audioInputTokens, cachedInputTokens, cacheWriteInputTokens, cacheWrite1hInputTokens });
}

/** A count that can be one; a negative or fractional count is treated as missing. */
export function whole(count: number | undefined): number | undefined {
  return isTokenCount(count) ? count : undefined;
}
