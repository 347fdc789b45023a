import { z } from 'zod';
import { indexSigns } from '../text/signs/index.ts';
import { draftWords } from './draft-kinds.ts';
import type { DraftLanguage, DraftWords } from './draft-language.ts';
import { readPack } from './read.ts';
import type { RiskEntry } from './risk-pack.ts';
import { classesOf, listOf, type SignPack } from './sign-pack.ts';

const harms = ['accusation', 'threat', 'discrimination', 'privacy'] as const;

const draftSigns = z.strictObject({
  version: z.number().int().min(1),
  classes: z.record(z.string().regex(/^[a-z]+$/), z.string().min(1)),
  signs: z.array(z.strictObject({ category: z.enum(harms), patterns: z.string().min(1) })).min(1),
});

export type DraftSigns = Pick<SignPack, 'entries' | 'index'>;

/** Only words in its own sentence excuse a sign of drafts, or of what is asked to be drafted. */
export const countsInItsSentence = {
  harmlessInQuestions: false,
  countsInQuotes: false,
  countsInWarnings: true,
  mayRestOnReports: false,
  framedInItsSentence: true,
  negatedInLists: false,
  mayFollowConditions: true,
};

/** The signs that a document threatens somebody, accuses them or turns them away for who they are. Throws if one is wrong, naming the file. */
export function readDraftSigns(): ReadonlyMap<DraftLanguage, DraftSigns> {
  return new Map([...draftWords].map(([language, { checks }]) => [language, readOne(language, checks)]));
}

function readOne(language: DraftLanguage, checks: DraftWords['checks']): DraftSigns {
  const { classes, signs } = readPack(`draft/signs/${language}.yaml`, draftSigns);
  return {
    entries: signs.map(({ category }): RiskEntry => {
      const { message, action } = checks[category];
      return { id: category, category, severity: 'critical', reason: message, suggestion: action, isWorded: true };
    }),
    index: indexSigns({
      classes: classesOf(classes),
      signs: signs.map(({ patterns }) => ({
        patterns: listOf(patterns, '\n'),
        ...countsInItsSentence,
      })),
    }),
  };
}
