import { isRiskCategory, type RiskCategory } from '../packs/risk-categories.ts';
import { isMessageLanguage, type RiskMessages } from '../packs/risk-messages.ts';
import type { RiskEntry } from '../packs/risk-pack.ts';
import { riskMessages } from './risk-assessment.ts';
import type { Spotted } from './spotted.ts';

const danger: RiskCategory = 'self_harm';

export type Level = 'low' | 'medium' | 'high' | 'critical' | 'unknown';

/** The messages for a reader: in the locale's language, else the text's, else English. */
export function messagesFor(locale: string, languages: readonly string[]): RiskMessages {
  for (const tag of [locale, ...languages]) {
    const language = tag.split('-')[0]?.toLowerCase() ?? '';
    if (isMessageLanguage(language)) return riskMessages.get(language) as RiskMessages;
  }
  return riskMessages.get('en') as RiskMessages;
}

/** The findings in the reader's language. The caller's own, a draft's and the model's wording stay as they are. */
export function worded(spotted: readonly Spotted[], messages: RiskMessages): Spotted[] {
  return spotted.map((one) => {
    const { category, isWorded } = one.entry;
    if (isWorded || (one.source !== 'rules' && one.source !== 'classifier') || !isRiskCategory(category)) return one;
    const { name } = messages.categories[category];
    const { reason, action } = one.entry.isVictim ? messages.victim : messages.categories[category];
    if (one.entry.isUnclear) return { ...one, entry: { ...one.entry, ...unclearWords(name, category, messages) } };
    const guess = one.source === 'classifier' ? messages.resembles : one.isTalk ? messages.talk : undefined;
    // Packs are written in English, some with reasons of their own.
    if (!guess && messages.language === 'en') return one;
    const said = guess ? guess.reason.replace('{category}', () => name) : reason;
    return { ...one, entry: { ...one.entry, reason: said, suggestion: action } };
  });
}

/** Somebody who may be in danger is helped first, even if that is only the likeliest. */
function unclearWords(
  name: string,
  category: RiskCategory,
  { unclear, categories }: RiskMessages,
): Pick<RiskEntry, 'reason' | 'suggestion'> {
  const suggestion = category === danger ? categories[danger].action : unclear.action;
  return { reason: unclear.reason.replace('{category}', () => name), suggestion };
}

/** The categories found, or `unclear` if something was found and its category is not clear. */
export type FoundCategories = readonly string[] | 'unclear';

/** The overall result, in one or two sentences. */
export function summaryOf(
  level: Level,
  categories: FoundCategories,
  missingFacts: readonly string[],
  messages: RiskMessages,
): string {
  const missing =
    missingFacts.length > 0 ? messages.missing.summary.replace('{facts}', () => missingFacts.join(', ')) : '';
  const rest = missing === '' ? '' : ` ${missing}`;
  if (level === 'unknown') return messages.unknown.summary + rest;
  if (categories === 'unclear') return messages.unclear.summary.replace('{level}', messages.levels[level]) + rest;
  if (categories.length === 0) return level === 'low' || missing === '' ? messages.low.summary + rest : missing;
  const names = categories.map((name) => (isRiskCategory(name) ? messages.categories[name].name : name));
  return (
    messages.found.summary.replace('{level}', messages.levels[level]).replace('{categories}', () => names.join(', ')) +
    rest
  );
}

/** What tells whether somebody needs help: a finding's entry, or what a reply says of it. */
export interface HelpSign {
  category: string;
  severity: string;
  isVictim?: boolean | undefined;
}

/** The action for a person in danger, who comes before everything else; undefined if nothing speaks of one. */
export function helpFirst(signs: readonly HelpSign[], messages: RiskMessages): string | undefined {
  const isThere = signs.some(({ category, severity }) => category === danger && severity !== 'info');
  if (isThere) return messages.categories[danger].action;
  return signs.some(({ isVictim }) => isVictim) ? messages.victim.action : undefined;
}
