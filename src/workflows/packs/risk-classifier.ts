import { z } from 'zod';
import type { Classifier, Linear } from '../text/classifier/index.ts';
import { readPack } from './read.ts';
import { type RiskCategory, riskCategories } from './risk-categories.ts';
import type { RiskMessages } from './risk-messages.ts';
import { type RiskEntry, unclearId } from './risk-pack.ts';
import { type SignLanguage, signLanguages } from './sign-pack.ts';

/** The languages with a trained classifier. */
export const classifierLanguages = ['en', 'de', 'es', 'fr'] as const satisfies readonly SignLanguage[];

const linear = z.strictObject({
  buckets: z.number().int().min(2),
  scale: z.number().positive(),
  bias: z.array(z.number()).min(1),
  /** Int8, base64, by bucket and then by class. */
  weights: z.base64(),
});

/** A classifier as `npm run train:risk` writes it. */
export const classifierFile = z.strictObject({
  language: z.enum(signLanguages),
  version: z.number().int().min(1),
  /** What it was trained on. */
  card: z.strictObject({
    texts: z.number().int().positive(),
    harmful: z.number().int().positive(),
    /** SHA-256 of the corpus file. */
    corpus: z.string().regex(/^[0-9a-f]{64}$/),
  }),
  likelyFrom: z.number(),
  lengthWeight: z.number().min(0),
  talkBelow: z.number(),
  categories: z.array(z.enum(riskCategories)).min(1),
  harmful: linear,
  category: linear,
});

export interface RiskClassifier extends Classifier {
  /** `risk/classifier/en@1`. */
  label: string;
  /** What it says about a passage of each of its categories, in English. */
  entries: RiskEntry[];
  /** The same, where the category is only the likeliest of several. */
  unclearEntries: RiskEntry[];
}

/** The classifiers of all languages. Throws if one is wrong, naming the file. */
export function readRiskClassifiers(english: RiskMessages): ReadonlyMap<SignLanguage, RiskClassifier> {
  return new Map(classifierLanguages.map((language) => [language, readOne(language, english)]));
}

function readOne(language: SignLanguage, english: RiskMessages): RiskClassifier {
  const file = `risk/classifier/${language}.json`;
  const { version, likelyFrom, lengthWeight, talkBelow, categories, harmful, category } = readPack(
    file,
    classifierFile,
  );
  return {
    label: `risk/classifier/${language}@${version}`,
    entries: categories.map((name) => entryOf(name, english)),
    unclearEntries: categories.map((name) => ({ ...entryOf(name, english), id: unclearId(name), isUnclear: true })),
    likelyFrom,
    lengthWeight,
    talkBelow,
    harmful: linearOf(harmful, file, 1),
    category: linearOf(category, file, categories.length),
  };
}

function entryOf(category: RiskCategory, { categories }: RiskMessages): RiskEntry {
  return {
    id: `resembles-${category.replaceAll('_', '-')}`,
    category,
    severity: 'medium',
    reason: categories[category].reason,
    suggestion: categories[category].action,
  };
}

function linearOf({ buckets, scale, bias, weights }: z.infer<typeof linear>, file: string, classes: number): Linear {
  const bytes = Buffer.from(weights, 'base64');
  if ((buckets & (buckets - 1)) !== 0) throw new Error(`packs/${file}: ${buckets} buckets are no power of two`);
  if (bias.length !== classes || bytes.length !== buckets * classes)
    throw new Error(`packs/${file}: ${bytes.length} weights do not fit ${buckets} buckets of ${classes} classes`);
  return { weights: new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length), scale, bias };
}
