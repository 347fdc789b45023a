import { type Token, tokensOf } from '../text/signs/index.ts';
import { type Place, type WordList, type Words, wordList } from './words.ts';

/** A reply's verdict, which its texts must reflect. */
export interface Verdict {
  /**
   * `bad`: the thing must not be used as it is. `good`: it may be. `unproven`: no sign was found, which proves nothing.
   * `none`: the reply makes no such judgement.
   */
  side: 'good' | 'bad' | 'unproven' | 'none';
  /** `low`, `medium`, `high`, `critical`; empty if the reply has no level, or could not judge it. */
  level: string;
  /** A letter; empty if there is none. */
  rating: string;
}

// How many words before a word may negate it, and how many after it ("blocks nothing").
const negatedBefore = 5;
const negatedAfter = 2;

/** A text's words, and which of them are negated. */
export interface Reading {
  tokens: readonly Token[];
  words: Words;
  isNegated(place: Place): boolean;
}

export function read(text: string, words: Words): Reading {
  const { tokens } = tokensOf(text);
  const { lists } = words;
  const strengthened = placesIn(tokens, lists.notAtAll);
  const negators = minus(placesIn(tokens, lists.not), strengthened);
  const nones = placesIn(tokens, lists.none);
  const turns = placesIn(tokens, lists.but);
  const isNegated = ({ at, length }: Place) => {
    for (let before = at - 1; before >= Math.max(0, at - negatedBefore); before--) {
      if (!isOneClause(tokens, before, before + 1) || turns.has(before)) break;
      if (negators.has(before)) return true;
    }
    for (let after = at + length; after < Math.min(tokens.length, at + length + negatedAfter); after++) {
      if (!isOneClause(tokens, after - 1, after) || turns.has(after)) break;
      if (nones.has(after)) return true;
    }
    return false;
  };
  return { tokens, words, isNegated };
}

/** Whether a text contradicts the verdict, going by its language's word lists. */
export function contradicts(reading: Reading, verdict: Verdict, isSummary: boolean): boolean {
  const { side } = verdict;
  if (side !== 'none' && (namesOtherLevel(reading, verdict) || namesOtherRating(reading, verdict))) return true;
  // Next steps, and reasons why a phrase is risky, are not the place for an overall verdict.
  if (!isSummary && levelsIn(reading).length > 0) return true;
  const { good, bad } = spoken(reading, isSummary);
  if (side === 'bad') return good.plain || bad.negated;
  if (side === 'unproven') return good.plain || bad.plain;
  // If the verdict is good, naming what could be better is no contradiction; saying that the thing is not good is one.
  return side === 'good' && (good.negated || (isSummary && bad.plain));
}

/** Whether a summary states a bad verdict at all; other verdicts need not be stated. */
export function says(reading: Reading, { side }: Verdict): boolean {
  if (side !== 'bad') return true;
  const { good, bad } = spoken(reading, true);
  return bad.plain || good.negated || levelsIn(reading).some(({ level }) => level !== 'low');
}

function spoken(reading: Reading, isSummary: boolean) {
  const { tokens, words } = reading;
  const { lists } = words;
  const until = placesIn(tokens, lists.until);
  // "Before you publish it" approves nothing.
  const isOpen = ({ at }: Place) => {
    for (let before = at - 1; before >= Math.max(0, at - negatedBefore); before--) {
      if (!isOneClause(tokens, before, before + 1)) return false;
      if (until.has(before)) return true;
    }
    return false;
  };
  const released = lists.release.find(tokens).filter((place) => !isOpen(place));
  const praised = isSummary ? lists.praise.find(tokens) : [];
  return {
    good: sides([...lists.good.find(tokens), ...released, ...praised], reading),
    // "The risk is low" states a level, which is compared with the reply's own.
    bad: sides(
      lists.bad.find(tokens).filter(({ at }) => !levelsIn(reading).some(({ risks }) => risks.has(at))),
      reading,
    ),
  };
}

function sides(places: readonly Place[], { isNegated }: Reading): { plain: boolean; negated: boolean } {
  return { plain: places.some((place) => !isNegated(place)), negated: places.some(isNegated) };
}

/** The levels that a text states: a word for a level near a word for risk, with the positions of the latter. */
function levelsIn({ tokens, words }: Reading): { level: string; risks: ReadonlySet<number> }[] {
  const risks = words.lists.risk.find(tokens);
  return Object.entries(words.levels)
    .flatMap(([level, list]) => list.find(tokens).map(({ at }) => ({ level, at })))
    .map(({ level, at }) => ({
      level,
      risks: new Set(risks.map((risk) => risk.at).filter((risk) => isNear(tokens, risk, at))),
    }))
    .filter((one) => one.risks.size > 0);
}

function isNear(tokens: readonly Token[], a: number, b: number): boolean {
  return Math.abs(a - b) <= 4 && isOneSentence(tokens, a, b);
}

function namesOtherLevel(reading: Reading, { level }: Verdict): boolean {
  return levelsIn(reading).some((named) => named.level !== level);
}

const letters = wordList(['a', 'b', 'c', 'd', 'e']);

/** Whether a letter follows a word for rating within three words and is not the reply's rating. */
function namesOtherRating({ tokens, words }: Reading, { rating }: Verdict): boolean {
  const named = words.lists.rating.find(tokens);
  return letters.find(tokens).some(({ at }) => {
    const isRating = named.some((place) => at > place.at && at - place.at <= 3 && isOneSentence(tokens, place.at, at));
    const next = tokens[at + 1];
    // "a rating of a ..." is an article: a letter that is a rating ends its clause.
    const isLast = next === undefined || next.afterBreak || next.sentence !== tokens[at]?.sentence;
    return isRating && isLast && tokens[at]?.forms[0] !== rating.toLowerCase();
  });
}

function placesIn(tokens: readonly Token[], list: WordList): Set<number> {
  const places = new Set<number>();
  for (const { at, length } of list.find(tokens)) for (let next = at; next < at + length; next++) places.add(next);
  return places;
}

function minus(all: ReadonlySet<number>, without: ReadonlySet<number>): Set<number> {
  return new Set([...all].filter((one) => !without.has(one)));
}

function isOneSentence(tokens: readonly Token[], a: number, b: number): boolean {
  return tokens[a]?.sentence === tokens[b]?.sentence;
}

function isOneClause(tokens: readonly Token[], a: number, b: number): boolean {
  return isOneSentence(tokens, a, b) && tokens[b]?.afterBreak !== true;
}
