import { z } from 'zod';
import { readPack } from './read.ts';
import { type MessageLanguage, messageLanguages } from './risk-messages.ts';

const text = z.string().min(1);
const words = z.array(text).min(1);

/** What a model's texts are about, as named in notes. */
export const itemKinds = [
  'summary',
  'action',
  'rationale',
  'field',
  'blocker',
  'reason',
  'suggestion',
  'finding',
  'fact',
  'risk',
  'document',
  'output',
  'other',
] as const;
export type ItemKind = (typeof itemKinds)[number];

/** Why something that a model said was not kept. */
export const dropReasons = [
  'verdict',
  'silent',
  'credentials',
  'number',
  'name',
  'link',
  'accusation',
  'language',
  'risky',
  'empty',
  'unknown',
  'moved',
  'option',
  'quote',
  'known',
  'value',
  'doubtful',
] as const;
export type DropReason = (typeof dropReasons)[number];

// Every word list and message must be present: startup fails and names a missing one.
const assistPack = z.strictObject({
  language: z.enum(messageLanguages),
  version: z.number().int().min(1),
  words: z.strictObject({
    good: words,
    release: words,
    praise: words,
    bad: words,
    not: words,
    none: words,
    notAtAll: words,
    until: words,
    but: words,
    better: words,
    worse: words,
    than: words,
    risk: words,
    rating: words,
    credentials: words,
    common: words,
    titles: words,
  }),
  levels: z.strictObject({ low: words, medium: words, high: words, critical: words }),
  accusations: z.strictObject({
    fraud: words,
    theft: words,
    crime: words,
    lie: words,
    corruption: words,
    ruin: words,
  }),
  notes: z.strictObject({
    noCredit: text,
    noAnswer: text,
    unspoken: text,
    missed: text,
    missedOnce: text,
    asked: text,
    repaired: text,
    kept: text,
    keptNone: text,
    dropped: text,
    more: text,
  }),
  problems: z.strictObject({ empty: text, cut: text, json: text, schema: text, content: text }),
  items: z.record(z.enum(itemKinds), text),
  reasons: z.record(z.enum(dropReasons), text),
});

/** The words by which a model's texts are judged in one language, and the wording of notes about the result. */
export type AssistPack = z.infer<typeof assistPack>;

/** The packs of all languages. Throws if one is wrong, naming the pack and the place. */
export function readAssistPacks(): ReadonlyMap<MessageLanguage, AssistPack> {
  return new Map(messageLanguages.map((language) => [language, readPack(`assist/${language}.yaml`, assistPack)]));
}
