import { roundTo } from '../../base/round.ts';
import type { RiskAssessment } from '../../gen/intelligence/workflow/v1/risk_pb.ts';
import type { Plain } from '../family.ts';
import { riskCategories } from '../packs/risk-categories.ts';
import { type RiskClassifier, readRiskClassifiers } from '../packs/risk-classifier.ts';
import { type RiskMessages, readRiskMessages } from '../packs/risk-messages.ts';
import { readSignPacks, type SignLanguage, type SignPack } from '../packs/sign-pack.ts';
import { type Heard, languagesOf } from '../text/language.ts';
import type { Scan } from './findings.ts';

export const riskMessages = readRiskMessages();
export const classifiers = readRiskClassifiers(riskMessages.get('en') as RiskMessages);
export const signPacks = readSignPacks(riskMessages.get('en') as RiskMessages);
const spoken: ReadonlySet<string> = new Set(signPacks.keys());

// Languages that a short text is easily mistaken for, because they share script and words.
const neighbours: Readonly<Record<string, SignLanguage>> = {
  ...{ uk: 'ru', be: 'ru', bg: 'ru', mk: 'ru' },
  ...{ fa: 'ar', ur: 'ar' },
  ...{ gl: 'pt', az: 'tr' },
  ...{ ca: 'es' },
};

/** The languages of a text, and what can be judged in it. */
export interface Hearing {
  languages: string[];
  packs: SignPack[];
  /** The classifier of its main language. */
  classifier: RiskClassifier | undefined;
  /** 0-1: the share of the text times the share of the categories. */
  coverage: number;
  notAssessed: string[];
}

/** Detects a text's languages; the caller's locale counts if the text itself reveals nothing. */
export function hear(text: string, locale: string): Hearing {
  const hint = locale.split('-')[0]?.toLowerCase() ?? '';
  const heard = languagesOf(text, spoken).filter(({ language }) => language !== '');
  const languages = heard.map(({ language }) => language);
  const known = languages.filter((language): language is SignLanguage => spoken.has(language));
  // Text in no recognisable language, such as a name, may be in any.
  const looked = languages.length === 0 ? [...signPacks.keys()] : known;
  const packs = looked.map((language) => signPacks.get(language) as SignPack);
  // The caller's language and near ones are tried as well: detection may be wrong for a short text.
  for (const language of [hint, ...languages.map((heard) => neighbours[heard])]) {
    const tried = signPacks.get(language as SignLanguage);
    if (tried && !packs.includes(tried)) packs.push(tried);
  }
  const main = [...known, hint].find((language) => classifiers.has(language as SignLanguage));
  const classifier = classifiers.get(main as SignLanguage);
  return { languages, packs, classifier, coverage: coverageOf(heard), notAssessed: notAssessedOf(languages, packs) };
}

export function assessmentOf(
  hearing: Hearing,
  labels: readonly string[],
  scans: readonly Scan[],
): Plain<RiskAssessment> {
  return {
    languages: hearing.languages,
    packs: [...labelsOf(hearing), ...labels],
    coverage: hearing.coverage,
    notAssessed: [
      ...hearing.notAssessed,
      ...(scans.some(({ links }) => links > 0) ? ['links'] : []),
      ...(scans.some(({ isCut }) => isCut) ? ['rest'] : []),
      ...(scans.some(({ isOwnWhole }) => !isOwnWhole) ? ['own'] : []),
    ],
  };
}

/** The packs and the classifier that judge a text. */
export function labelsOf({ packs, classifier }: Hearing): string[] {
  return [...packs, ...(classifier ? [classifier] : [])].map(({ label }) => label);
}

function coverageOf(heard: readonly Heard[]): number {
  const covered = heard.map(({ language, share }) => {
    const pack = signPacks.get(language as SignLanguage);
    return pack ? (share * categoriesOf(pack).size) / riskCategories.length : 0;
  });
  return roundTo(
    covered.reduce((sum, share) => sum + share, 0),
    2,
  );
}

function notAssessedOf(languages: readonly string[], packs: readonly SignPack[]): string[] {
  const unspoken = languages.filter((language) => !spoken.has(language)).map((language) => `language:${language}`);
  const judged = new Set(packs.flatMap((pack) => [...categoriesOf(pack)]));
  const silent = riskCategories.filter((category) => !judged.has(category)).map((category) => `category:${category}`);
  return [...unspoken, ...silent];
}

function categoriesOf(pack: SignPack): ReadonlySet<string> {
  const known = categoriesByPack.get(pack) ?? new Set(pack.signs.map(({ category }) => category));
  categoriesByPack.set(pack, known);
  return known;
}

const categoriesByPack = new Map<SignPack, ReadonlySet<string>>();
