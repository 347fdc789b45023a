import { z } from 'zod';
import { readPack } from './read.ts';

const template = z.strictObject({
  parts: z.array(z.enum(['greeting', 'opening', 'facts', 'must', 'request', 'closing'])).min(1),
  factsHeading: z.string(),
  request: z.string(),
});

const tone = z.strictObject({ greeting: z.string(), closing: z.string(), opening: z.string() });

const templatesPack = z.strictObject({
  name: z.string(),
  version: z.number().int().min(1),
  description: z.string(),
  tones: z.record(z.string(), tone),
  templates: z.record(z.string(), template),
});

export type DraftTemplate = z.infer<typeof template>;

/** The shipped forms and tones of documents. Reading throws when the pack file is wrong. */
export const draftTemplates = (() => {
  const { version, tones, templates } = readPack('draft/templates.yaml', templatesPack);
  return { version, tones: new Map(Object.entries(tones)), templates: new Map(Object.entries(templates)) };
})();
