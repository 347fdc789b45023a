import type { RiskClassifier } from '../packs/risk-classifier.ts';
import type { RiskEntry } from '../packs/risk-pack.ts';
import type { Passage } from '../text/classifier/index.ts';
import { quotationsOf } from '../text/signs/index.ts';
import { graver, type Spotted } from './spotted.ts';

/**
 * Findings of the rules in passages that read like talk about a matter (a warning, a report, a rule) are reported as `low`.
 * Critical ones, those of self-harm and those of whoever looks for what is forbidden stay: a wrong guess there costs too much.
 */
export function withTalk(spotted: readonly Spotted[], passages: readonly Passage[]): Spotted[] {
  return spotted.map((one) => {
    const { severity, id, isVictim, isSeeker, category } = one.entry;
    // Whoever suffers violence tells of it as reports do, who wants to die writes like one who tells of another, and who asks
    // for drugs like one who asks about them.
    if (isVictim || isSeeker || category === 'self_harm' || (severity !== 'medium' && severity !== 'high')) return one;
    if (!passageAt(passages, one.start)?.isTalk) return one;
    return { ...one, isTalk: true, entry: { ...one.entry, id: `${id}-talk`, severity: 'low' } };
  });
}

/** A part of a text, in UTF-16 units. */
export interface Place {
  start: number;
  end: number;
}

/** What passages resemble, where nothing as grave has been found and the sentence it rests on is not one of every day. */
export function resembling(
  spotted: readonly Spotted[],
  passages: readonly Passage[],
  { entries, unclearEntries }: Pick<RiskClassifier, 'entries' | 'unclearEntries'>,
  ordinary: readonly Place[] = [],
  text = '',
): Spotted[] {
  const settled = spotted.filter(({ entry }) => graver(entry.severity, 'low'));
  return passages.flatMap(({ start, end, resembles }): Spotted[] => {
    if (!resembles || settled.some((one) => one.start >= start && one.start < end)) return [];
    // Only its own sentence: harm may stand beside one of every day.
    if (ordinary.some((one) => one.start < resembles.end && one.end > resembles.start)) return [];
    if (restsOnQuotations(text, resembles, { start, end })) return [];
    const entry = (resembles.isClear ? entries : unclearEntries)[resembles.category] as RiskEntry;
    return [{ entry, start: resembles.start, end: resembles.end, source: 'classifier' }];
  });
}

// Some five words.
const ownUnitsMin = 30;
// Marks, blanks and full stops around a passage's words.
const unitsAround = 4;

/**
 * Whether a sentence is mostly other people's words, in a passage that has words of its own about them. A passage that is all
 * quotation may as well be a text that was sent in quotation marks.
 */
function restsOnQuotations(text: string, sentence: Place, passage: Place): boolean {
  const from = Math.max(0, passage.start - unitsAround);
  const quoted = quotationsOf(text.slice(from, passage.end + unitsAround));
  const inside = (place: Place) =>
    quoted.reduce((sum, { start, end }) => {
      return sum + Math.max(0, Math.min(place.end, from + end) - Math.max(place.start, from + start));
    }, 0);
  const own = passage.end - passage.start - inside(passage);
  return inside(sentence) * 2 >= sentence.end - sentence.start && own >= ownUnitsMin;
}

/** The passage around a place; passages are in the order of the text. */
function passageAt(passages: readonly Passage[], place: number): Passage | undefined {
  let from = 0;
  let to = passages.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((passages[middle] as Passage).end <= place) from = middle + 1;
    else to = middle;
  }
  return passages[from];
}
