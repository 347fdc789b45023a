import { z } from 'zod';
import type { Severity } from '../checks/checks.ts';
import { english as contractionsOfEnglish, indexSigns, type SignIndex } from '../text/signs/index.ts';
import { readPack } from './read.ts';
import { type RiskCategory, riskCategories } from './risk-categories.ts';
import type { RiskMessages } from './risk-messages.ts';
import { type RiskEntry, sufferedId } from './risk-pack.ts';

/** The languages with known signs. */
export const signLanguages = ['en', 'de', 'es', 'fr', 'pt', 'ru', 'tr', 'ar', 'ka', 'zh'] as const;
export type SignLanguage = (typeof signLanguages)[number];

const signPack = z.strictObject({
  language: z.enum(signLanguages),
  /** A short pack knows the most common scams and claims: where it finds nothing, the text was not judged. */
  scope: z.enum(['full', 'short']),
  version: z.number().int().min(1),
  /** Sentences of every day, such as calling in sick: that one resembles harm says nothing. */
  ordinary: z.string().min(1).optional(),
  classes: z.record(z.string().regex(/^[a-z]+$/), z.string().min(1)),
  signs: z
    .array(
      z.strictObject({
        category: z.enum(riskCategories),
        severity: z.enum(['medium', 'high', 'critical']),
        patterns: z.string().min(1),
        /** The writer tells of violence that they suffer, or looks for what is forbidden. */
        toldBy: z.enum(['victim', 'seeker']).optional(),
      }),
    )
    .min(1),
});

export interface SignPack {
  language: SignLanguage;
  scope: 'full' | 'short';
  version: number;
  /** `risk/signs/en@1`. */
  label: string;
  signs: { category: RiskCategory; severity: Severity }[];
  /** What each sign says when found, in English. The index of an ordinary sentence is beyond these. */
  entries: RiskEntry[];
  index: SignIndex;
}

// A question about one of these claims nothing; "Are you pregnant?" and "Can we finish this on WhatsApp?" do harm as questions.
const claims: readonly string[] = [
  'misleading_finance',
  'misleading_health',
  'misleading_legal',
  'misleading_marketing',
  'unfair_terms',
  'too_good_to_be_true',
  'hate',
  'wildlife',
  'secrets',
  'prohibited_goods',
];

// "Your grandson was arrested" is worded like news, "fraudsters are in your account" like a warning, "we remove bad reviews"
// like house rules, "no judge can touch you" like a report from court.
const wordedLikeReports: readonly string[] = [
  'impersonation',
  'misleading_marketing',
  'misleading_legal',
  'personal_data',
];

// What is done to somebody by saying it.
const spoken: readonly string[] = ['threat', 'harassment', 'hate'];

// Courts and warnings are what lawful demands speak of, so they excuse nothing here.
const ordinaryCounts = {
  harmlessInQuestions: false,
  countsInQuotes: false,
  countsInWarnings: true,
  countsInReports: true,
  mayRestOnReports: true,
  framedInItsSentence: true,
  negatedInLists: false,
  mayFollowConditions: false,
};

/** The packs of all languages. Throws if one is wrong, naming the pack and the pattern. */
export function readSignPacks(english: RiskMessages): ReadonlyMap<SignLanguage, SignPack> {
  return new Map(signLanguages.map((language) => [language, readOne(language, english)]));
}

function readOne(language: SignLanguage, english: RiskMessages): SignPack {
  const { scope, version, ordinary, classes, signs } = readPack(`risk/signs/${language}.yaml`, signPack);
  return {
    language,
    scope,
    version,
    label: `risk/signs/${language}@${version}`,
    signs: signs.map(({ category, severity }) => ({ category, severity })),
    entries: signs.map(({ category, severity, toldBy }) => entryOf(category, severity, toldBy, english)),
    index: indexSigns({
      contractions: language === 'en' ? contractionsOfEnglish : undefined,
      classes: classesOf(classes),
      signs: [
        ...signs.map(({ category, severity, patterns, toldBy }) => ({
          patterns: listOf(patterns, '\n'),
          harmlessInQuestions: claims.includes(category),
          // A hidden instruction is often given as the content of a field.
          countsInQuotes: category === 'prompt_injection',
          // "He called my wife a 'fat cow'" insults nobody; but whoever suffers violence tells of it in these words.
          isOneVoice: spoken.includes(category) && toldBy === undefined,
          // "Warning: pay, or ..." is not a warning against it.
          countsInWarnings: category === 'threat',
          mayRestOnReports: wordedLikeReports.includes(category),
          // A harmless word in a neighbouring sentence does not excuse the gravest signs.
          framedInItsSentence: severity === 'critical',
          // Means of payment are listed when they are refused; threats are not, and "I won't call anyone, I'll come or send my
          // brother" is one.
          negatedInLists: category === 'off_platform_payment',
          // What is threatened depends on a condition, often a negated one; elsewhere a condition often lists what is refused.
          mayFollowConditions: category === 'threat',
        })),
        ...(ordinary ? [{ ...ordinaryCounts, patterns: listOf(ordinary, '\n') }] : []),
      ],
    }),
  };
}

function entryOf(
  category: RiskCategory,
  severity: Severity,
  toldBy: 'victim' | 'seeker' | undefined,
  english: RiskMessages,
): RiskEntry {
  const isVictim = toldBy === 'victim';
  const { reason, action } = isVictim ? english.victim : english.categories[category];
  const id = category.replaceAll('_', '-');
  const entry = { id, category, severity, reason, suggestion: action };
  if (isVictim) return { ...entry, id: sufferedId(category), isVictim };
  return toldBy === 'seeker' ? { ...entry, isSeeker: true } : entry;
}

/** The classes of words of a pack, each with its members. */
export function classesOf(classes: Readonly<Record<string, string>>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(classes).map(([name, members]) => [name, listOf(members, ',')]));
}

/** The parts of a text that stands for a list, without blanks around them. */
export function listOf(text: string, separator: string): string[] {
  return text
    .split(separator)
    .map((one) => one.trim())
    .filter((one) => one !== '');
}
