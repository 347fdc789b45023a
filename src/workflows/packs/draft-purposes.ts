import { z } from 'zod';
import { indexSigns, type SignIndex } from '../text/signs/index.ts';
import { draftKinds } from './draft-kinds.ts';
import { draftLanguages } from './draft-language.ts';
import { countsInItsSentence } from './draft-signs.ts';
import { readPack } from './read.ts';
import { classesOf, listOf } from './sign-pack.ts';

const draftPurposes = z.strictObject({
  version: z.number().int().min(1),
  classes: z.record(z.string().regex(/^[a-z]+$/), z.string().min(1)),
  signs: z
    .array(
      z.strictObject({
        kind: z.string().refine((kind) => draftKinds.has(kind), 'is no kind of document'),
        patterns: z.string().min(1),
      }),
    )
    .min(1),
});

/** The signs by which purposes in one language ask for a kind without its usual words. */
export interface DraftPurposes {
  /** The id of each sign's kind. */
  kinds: readonly string[];
  index: SignIndex;
}

/** The signs of all languages. Throws if one is wrong, naming the file. */
export function readDraftPurposes(): readonly DraftPurposes[] {
  return draftLanguages.map((language) => {
    const { classes, signs } = readPack(`draft/purposes/${language}.yaml`, draftPurposes);
    return {
      kinds: signs.map(({ kind }) => kind),
      index: indexSigns({
        classes: classesOf(classes),
        signs: signs.map(({ patterns }) => ({
          patterns: listOf(patterns, '\n'),
          ...countsInItsSentence,
        })),
      }),
    };
  });
}
