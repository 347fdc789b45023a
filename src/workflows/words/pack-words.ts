import { z } from 'zod';
import type { CheckRule } from '../checks/checks.ts';
import { readPack } from '../packs/read.ts';
import { messageLanguages } from '../packs/risk-messages.ts';
import type { Words } from './words.ts';

const text = z.string().min(1);
const checks = z.record(z.string(), z.strictObject({ fact: text, message: text, action: text }));

const listingWords = z.strictObject({ done: text.optional(), checks });
const formWords = z.strictObject({
  done: text,
  fields: z.record(
    z.string(),
    z.strictObject({ label: text, help: text, choices: z.record(z.string(), text).optional() }),
  ),
  checks,
});
const scorecardWords = z.strictObject({
  dimensions: z.record(z.string(), text),
  indicators: z.record(
    z.string(),
    z.strictObject({ label: text, action: text, actions: z.record(z.string(), text).default({}) }),
  ),
});

type FormWords = z.infer<typeof formWords>;
type ScorecardWords = z.infer<typeof scorecardWords>;

/** What packs say in languages other than English, which is in the packs themselves: by language and pack. */
export const packWords = {
  listing: readAll('listing', listingWords),
  profile: readAll('profile', formWords),
  scorecard: readAll('scorecard', scorecardWords),
};

function readAll<Schema extends z.ZodType>(folder: string, schema: Schema) {
  const languages = messageLanguages.filter((language) => language !== 'en');
  return new Map<string, Readonly<Record<string, z.infer<Schema>>>>(
    languages.map((language) => [
      language,
      readPack(`${folder}/messages/${language}.yaml`, z.record(z.string(), schema)),
    ]),
  );
}

/** A check of a listing pack, or of the generic one that it extends, in the reader's language. */
export function listingRule({ language }: Words, pack: string, rule: CheckRule): CheckRule {
  const packs = packWords.listing.get(language);
  return { ...rule, ...(packs?.[pack]?.checks[rule.id] ?? packs?.generic?.checks[rule.id]) };
}

/** What to do with a listing that lacks nothing. */
export function listingDone({ language }: Words, pack: { name: string; done: string }): string {
  const packs = packWords.listing.get(language);
  return packs?.[pack.name]?.done ?? packs?.generic?.done ?? pack.done;
}

/** What the fields of a shipped form are called in languages other than English. */
export function formLabels(form: string): (readonly [label: string, name: string])[] {
  return [...packWords.profile.values()].flatMap((forms) => labelsOf(forms[form]?.fields));
}

/** What the indicators of a shipped scorecard are called in languages other than English. */
export function indicatorLabels(scorecard: string): (readonly [label: string, name: string])[] {
  return [...packWords.scorecard.values()].flatMap((cards) => labelsOf(cards[scorecard]?.indicators));
}

function labelsOf(named: Readonly<Record<string, { label: string }>> = {}): (readonly [label: string, name: string])[] {
  return Object.entries(named).map(([name, { label }]) => [label, name]);
}

/** A shipped form's wording; undefined in English. */
export function formWordsOf({ language }: Words, form: string): FormWords | undefined {
  return packWords.profile.get(language)?.[form];
}

/** A shipped scorecard's wording; undefined in English. */
export function scorecardWordsOf({ language }: Words, scorecard: string): ScorecardWords | undefined {
  return packWords.scorecard.get(language)?.[scorecard];
}
