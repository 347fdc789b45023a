import { z } from 'zod';
import { readPack } from './read.ts';

export const draftTones = ['neutral', 'friendly', 'formal', 'direct'] as const;
export type DraftTone = (typeof draftTones)[number];

const template = z.strictObject({ addressed: z.boolean() });
const templatesPack = z.strictObject({
  version: z.number().int().min(1),
  templates: z.record(z.string(), template),
});

export type DraftTemplate = z.infer<typeof template>;

/** The shipped document forms. Throws on reading if the pack file is wrong. */
export const draftTemplates = (() => {
  const { version, templates } = readPack('draft/templates.yaml', templatesPack);
  return { version, templates: new Map(Object.entries(templates)) };
})();
