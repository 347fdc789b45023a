import { z } from 'zod';
import { type DraftTone, draftTones } from './draft-templates.ts';
import { readPack } from './read.ts';

export const draftLanguages = ['en', 'de', 'es', 'fr'] as const;
export type DraftLanguage = (typeof draftLanguages)[number];

const text = z.string().min(1);
const regex = text.transform((source) => new RegExp(source, 'u'));
const regexOrAny = z.string().transform((source) => new RegExp(source, 'u'));
const checkText = z.strictObject({ message: text, action: text });
const byTone = z.strictObject({ neutral: text, friendly: text, formal: text, direct: text });

/** One way to say a sentence: for one tone or all, for a single writer or any, with the fields that it states. */
export interface SentenceVariant {
  tone: DraftTone | undefined;
  isByOne: boolean;
  /** Said only where this field is given, which it need not state. */
  beside: string | undefined;
  text: string;
  fields: readonly string[];
}

const variants = text.transform((line): SentenceVariant[] => line.split(' | ').map(variantOf));

const languagePack = z.strictObject({
  language: z.enum(draftLanguages),
  version: z.number().int().min(1),
  salutations: z
    .array(
      byTone.extend({
        when: regexOrAny,
        /** Only how the reader is called counts, not what the fact is called that names them. */
        ofReader: z.boolean().default(false),
        closing: text.optional(),
        several: z.boolean().default(false),
      }),
    )
    .min(1),
  /** Titles as lists of addresses write them, and how a salutation says them. */
  titles: z.record(z.string(), text).default({}),
  greetings: regex,
  beforeDays: regex,
  beforeThings: z.strictObject({ words: regex, determined: regex }).optional(),
  beforeContacts: z.strictObject({ words: regex, fits: regex }).optional(),
  /** Words of our sentences, to one and to several readers. */
  toSeveral: z.record(z.string(), z.string()).optional(),
  unnamed: byTone,
  closings: byTone.extend({ unnamed: text.optional() }),
  lowerAfterSalutation: z.boolean(),
  to: text,
  details: text,
  information: text,
  sources: text,
  /** What a document without a kind and without a fact lacks. */
  content: text,
  neutral: text,
  headings: z.record(z.string(), text),
  actions: z.strictObject({ state: text, review: text }),
  checks: z.strictObject({
    open: checkText,
    risky: checkText,
    avoided: checkText,
    accusation: checkText,
    threat: checkText,
    fraud: checkText,
    discrimination: checkText,
    privacy: checkText,
  }),
  summary: text,
  names: z.record(
    z.string(),
    text.transform((names) => names.split(',').map((name) => name.trim())),
  ),
  /** What a letter of no kind may be for, by the words of its purpose. */
  occasions: z.record(
    z.string(),
    z.strictObject({
      purpose: regex,
      /** Kinds that are not meant if a purpose also points to this occasion, unless a fact has the name of one of these fields. */
      over: z.array(z.string()).default([]),
      unlessNamed: z.array(z.string()).default([]),
      /** The writer's own purchase or contract is the matter. */
      isOwn: z.boolean().default(false),
      title: variants,
      paragraphs: z.array(z.array(variants).min(1)).min(1),
    }),
  ),
  /** What a notice changes, and what it ends, by the words of its purpose. */
  changes: z.record(z.string(), z.strictObject({ purpose: regex, said: text })),
  contracts: z.record(z.string(), z.strictObject({ purpose: regex, said: text })),
  kinds: z.record(
    z.string(),
    z.strictObject({
      title: variants,
      strong: regex,
      weak: regex,
      ends: z.strictObject({ purpose: regex, title: variants }).optional(),
      paragraphs: z.array(z.array(variants).min(1)).min(1),
    }),
  ),
});

/** The wording of all kinds of documents in one language. */
export type DraftWords = z.infer<typeof languagePack>;

/** Reads each language's wording. Throws if one is wrong, naming the file and the place. */
export function readDraftWords(): ReadonlyMap<DraftLanguage, DraftWords> {
  return new Map(draftLanguages.map((language) => [language, readPack(`draft/${language}.yaml`, languagePack)]));
}

/** Marks a sentence that says "I" where others say "we". */
const byOne = '[one] ';
/** Marks a sentence that needs a field which it does not state. */
const besideField = /^\[with (\w+)\] /;

function variantOf(written: string): SentenceVariant {
  const tone = draftTones.find((one) => written.startsWith(`[${one}] `));
  const isByOne = written.startsWith(byOne);
  const beside = besideField.exec(written)?.[1];
  const mark = isByOne ? byOne : tone !== undefined ? `[${tone}] ` : beside !== undefined ? `[with ${beside}] ` : '';
  const said = written.slice(mark.length);
  return {
    tone,
    isByOne,
    beside,
    text: said,
    fields: [...said.matchAll(/\{(\w+)\}/g)].map(([, field]) => field as string),
  };
}
