import { z } from 'zod';
import { foldText } from '../../base/text/fold.ts';
import { type DraftLanguage, draftLanguages, readDraftWords } from './draft-language.ts';
import { draftNamesVersion } from './draft-names.ts';
import { draftTemplates } from './draft-templates.ts';
import { readPack } from './read.ts';

const names = z.array(z.string().regex(/^[a-z][A-Za-z]*$/));

const kindsPack = z.strictObject({
  version: z.number().int().min(1),
  types: z.strictObject({ date: names, money: names, list: names }),
  kinds: z.record(
    z.string().regex(/^[a-z_]+$/),
    z.strictObject({
      template: z.string(),
      beats: names.or(z.array(z.string())).default([]),
      required: names,
      unless: z.record(z.string(), names).default({}),
      fields: names,
    }),
  ),
});

export interface DraftField {
  name: string;
  type: 'text' | 'date' | 'money' | 'list';
  required: boolean;
  /** Not required if one of these is present. */
  unless: readonly string[];
}

/** A kind of document with its fields. */
export interface DraftKind {
  /** As named in requests; empty for the neutral form. */
  id: string;
  template: string;
  /** Kinds that are not meant if a purpose also points to this one. */
  beats: readonly string[];
  fields: ReadonlyMap<string, DraftField>;
  /** Maps a name, by `bareName`, to its field, for readers of each language. */
  byName: ReadonlyMap<DraftLanguage, ReadonlyMap<string, string>>;
  /** The field names and their labels, among which to look for what may have been meant. */
  labels: ReadonlyMap<DraftLanguage, ReadonlySet<string>>;
}

export const draftWords = readDraftWords();

const read = readPack('draft/kinds.yaml', kindsPack);

/** The version of the kinds, which includes the texts of all languages. */
export const draftKindsVersion =
  read.version +
  draftNamesVersion -
  1 +
  draftLanguages.reduce((sum, language) => sum + (draftWords.get(language)?.version ?? 1) - 1, 0);

/** The fields that state a day. */
export const dateFields: ReadonlySet<string> = new Set(read.types.date);

const addressees = ['recipient', 'sender'];

/** What any document has, whatever its purpose. */
export const neutralKind: DraftKind = kindOf('', {
  template: 'letter',
  beats: [],
  required: [],
  unless: {},
  fields: addressees,
});

/** The shipped kinds by id. Throws, naming the place, if a language lacks a kind or a field. */
export const draftKinds: ReadonlyMap<string, DraftKind> = new Map(
  Object.entries(read.kinds).map(([id, kind]) => {
    const problem = problemIn(id, kind.template, kind.fields, [...kind.required, ...Object.values(kind.unless).flat()]);
    if (problem !== undefined) throw new Error(`packs/draft: ${problem}`);
    return [id, kindOf(id, kind)];
  }),
);

/** `new delivery date`, `newDeliveryDate` and `New delivery-date` are one name. */
export function bareName(name: string): string {
  return foldText(name.slice(0, 128)).replace(/[^\p{L}\p{N}]/gu, '');
}

function kindOf(id: string, kind: z.infer<typeof kindsPack>['kinds'][string]): DraftKind {
  const fields = kind.fields.map((name): DraftField => {
    const type = (['date', 'money', 'list'] as const).find((one) => read.types[one].includes(name)) ?? 'text';
    return { name, type, required: kind.required.includes(name), unless: kind.unless[name] ?? [] };
  });
  return {
    id,
    template: kind.template,
    beats: kind.beats,
    fields: new Map(fields.map((field) => [field.name, field])),
    byName: new Map(draftLanguages.map((language) => [language, namesFor(language, kind.fields)])),
    labels: new Map(draftLanguages.map((language) => [language, labelsFor(language, kind.fields)])),
  };
}

/** The reader's own language takes precedence if a word has several meanings. */
function namesFor(language: DraftLanguage, fields: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map(fields.map((field) => [bareName(field), field]));
  for (const one of [language, ...draftLanguages])
    for (const field of fields)
      for (const name of draftWords.get(one)?.names[field] ?? [])
        if (!found.has(bareName(name))) found.set(bareName(name), field);
  return found;
}

function labelsFor(language: DraftLanguage, fields: readonly string[]): ReadonlySet<string> {
  const labels = fields.map((field) => draftWords.get(language)?.names[field]?.[0] ?? field);
  return new Set([...fields, ...labels].map(bareName));
}

function problemIn(
  id: string,
  template: string,
  fields: readonly string[],
  mentioned: readonly string[],
): string | undefined {
  if (!draftTemplates.templates.has(template)) return `${id}: there is no form ${template}`;
  const stray = mentioned.find((field) => !fields.includes(field));
  if (stray !== undefined) return `${id}: ${stray} is none of its fields`;
  for (const [language, words] of draftWords) {
    const unnamed = fields.find((field) => words.names[field] === undefined);
    if (unnamed !== undefined) return `${language}: the field ${unnamed} has no name`;
    const said = words.kinds[id];
    if (!said) return `${language}: says nothing for ${id}`;
    const stated = new Set(said.paragraphs.flat(2).flatMap((variant) => variant.fields));
    const unknown = [...stated, ...said.title.flatMap((variant) => variant.fields)].find(
      (one) => !fields.includes(one),
    );
    if (unknown !== undefined) return `${language}: ${id} states ${unknown}, which is none of its fields`;
    const silent = fields.find((field) => !addressees.includes(field) && !stated.has(field));
    if (silent !== undefined) return `${language}: no sentence of ${id} states ${silent}`;
    if (said.title.at(-1)?.fields.length !== 0) return `${language}: the last title of ${id} must do without fields`;
  }
  return undefined;
}
