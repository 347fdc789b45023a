import type { Slices } from '../../../base/slices.ts';
import type { Token, Tokens } from '../signs/index.ts';
import { type Linear, type Span, scoresOf, sharesBySentence } from './linear.ts';

export { featuresOf, groups } from './features.ts';
export { type Linear, type Span, scoresOf } from './linear.ts';

/** A trained classifier of passages. */
export interface Classifier {
  /** Whether a passage is harmful, as log-odds. */
  harmful: Linear;
  /** Which category it is of, if it is. */
  category: Linear;
  /** A text of one passage, of 20 words, resembles harmful ones from this score on. */
  likelyFrom: number;
  /** What twice the words add to a passage's score; 0 in a language where length tells nothing. */
  lengthWeight: number;
  /** Below this score a passage reads like talk about a matter, such as a warning or a report. */
  talkBelow: number;
}

/** A passage of a text, in UTF-16 units, and what the classifier makes of it. */
export interface Passage {
  start: number;
  end: number;
  /** It reads like talk about a matter. */
  isTalk: boolean;
  /**
   * What it resembles: a category's index, whether that one is clearly the likeliest, and the sentence that this rests on most.
   * Undefined if nothing.
   */
  resembles: { category: number; isClear: boolean; start: number; end: number } | undefined;
}

// Passages are as long as the texts that it was trained on: a harmful sentence does not drown in a long text, and fewer than 8
// words say too little.
const passageWords = 60;
const wordsMin = 8;
const unitsOfAWord = 120;
const usualWords = 20;
// Of the development texts that it finds, 138 of 154 were of a category with at least this probability, and 36 of 89 of one with less.
const clearFrom = 0.3;

/**
 * Judges each passage of a text: sentences together, up to 60 words. The more passages a text has, the more certain each must
 * be: with n passages the odds must be n times as high, so that a long text is not likelier to be found by chance.
 * A short passage must be more certain than a long one, as few words resemble something by chance.
 */
export function* classify({ tokens }: Tokens, classifier: Classifier): Slices<Passage[]> {
  const spans = passagesOf(tokens);
  const likelyFrom = classifier.likelyFrom + Math.log(Math.max(1, spans.length));
  const passages: Passage[] = [];
  for (const span of spans) {
    yield (span.to - span.from) * unitsOfAWord;
    const place = placeOf(tokens, span);
    if (wordsIn(tokens, span) < wordsMin) {
      passages.push({ ...place, isTalk: false, resembles: undefined });
      continue;
    }
    const [score] = scoresOf(classifier.harmful, tokens, span) as [number];
    const resembles =
      score + lengthBonus(span, classifier.lengthWeight) < likelyFrom
        ? undefined
        : { ...categoryOf(classifier, tokens, span), ...mainSentenceOf(classifier, tokens, span) };
    passages.push({ ...place, isTalk: score < classifier.talkBelow, resembles });
  }
  return passages;
}

/** What the length of a passage adds to its score before it is compared with `likelyFrom`: less than nothing below 20 words. */
export function lengthBonus({ from, to }: Span, lengthWeight: number): number {
  return lengthWeight * Math.log2(Math.min(passageWords, Math.max(wordsMin, to - from)) / usualWords);
}

/** The words of a passage, without its numbers. */
function wordsIn(tokens: readonly Token[], { from, to }: Span): number {
  let count = 0;
  for (let at = from; at < to; at++) {
    const first = (tokens[at] as Token).forms[0]?.charCodeAt(0) ?? 0;
    if (first < 0x30 || first > 0x39) count++;
  }
  return count;
}

/** The likeliest category, and whether it is clear. */
function categoryOf(
  { category }: Classifier,
  tokens: readonly Token[],
  span: Span,
): { category: number; isClear: boolean } {
  const scores = scoresOf(category, tokens, span);
  const highest = Math.max(...scores);
  const all = scores.reduce((sum, score) => sum + Math.exp(score - highest), 0);
  return { category: scores.indexOf(highest), isClear: 1 / all >= clearFrom };
}

/** The sentence that adds most to the score. */
function mainSentenceOf({ harmful }: Classifier, tokens: readonly Token[], span: Span): { start: number; end: number } {
  const shares = sharesBySentence(harmful, tokens, span);
  const main = (tokens[span.from] as Token).sentence + shares.indexOf(Math.max(...shares));
  let { from, to } = span;
  while (tokens[from]?.sentence !== main && from < to - 1) from++;
  while (tokens[to - 1]?.sentence !== main && to > from + 1) to--;
  return placeOf(tokens, { from, to });
}

/** Sentences together, up to 60 words; a longer sentence is cut. */
export function passagesOf(tokens: readonly Token[]): Span[] {
  const spans: Span[] = [];
  let from = 0;
  for (let at = 1; at <= tokens.length; at++) {
    const isEnd = at === tokens.length || tokens[at]?.sentence !== tokens[at - 1]?.sentence;
    if (!isEnd) continue;
    // `from` to `at` are whole sentences; the one that begins at `at` may still fit.
    const next = endOfSentence(tokens, at);
    if (at < tokens.length && next - from <= passageWords) continue;
    for (let start = from; start < at; start += passageWords)
      spans.push({ from: start, to: Math.min(at, start + passageWords) });
    from = at;
  }
  return spans;
}

function endOfSentence(tokens: readonly Token[], from: number): number {
  let end = from;
  // A sentence beyond a passage's length does not fit anyway.
  while (end < tokens.length && end - from <= passageWords && tokens[end]?.sentence === tokens[from]?.sentence) end++;
  return end;
}

function placeOf(tokens: readonly Token[], { from, to }: Span): { start: number; end: number } {
  return { start: (tokens[from] as Token).start, end: (tokens[to - 1] as Token).end };
}
