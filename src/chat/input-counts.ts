import type { LanguageModelV4Usage } from '@ai-sdk/provider';
import { present } from '../base/present.ts';
import { hasRate, type PricedModel } from '../catalog/index.ts';
import type { Dialect } from '../providers/index.ts';
import type { InputMeasure } from './tokens.ts';
import type { ChatUsage } from './types.ts';

/** What of the input is of a kind that may have a rate of its own; what is not known is absent. */
export type InputCounts = Pick<
  ChatUsage,
  'cachedInputTokens' | 'cacheWriteInputTokens' | 'cacheWrite1hInputTokens' | 'audioInputTokens'
>;

/**
 * What a provider says that the input was, as far as the request can have brought it about and the hold covers it: audio where
 * it has some, and what is kept for an hour where it asks for that. No token is of two kinds: audio that was cached counts as
 * audio.
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

/** Counts that are together no more than the input. */
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

/** Counts go into 32-bit fields; a negative or fractional count is no count. */
export function whole(count: number | undefined): number | undefined {
  return count !== undefined && Number.isInteger(count) && count >= 0 && count <= 0xffff_ffff ? count : undefined;
}
