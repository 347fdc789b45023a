import { z } from 'zod';
import { readPack } from '../packs/read.ts';
import { type MessageLanguage, messageLanguages } from '../packs/risk-messages.ts';
import { type SentenceName, sentenceValues } from './sentences.ts';

/** A sentence, or its singular and plural forms. */
export interface Sentence {
  one: string;
  other: string;
}
export type Catalogue = Readonly<Record<SentenceName, Sentence>>;

const text = z.string().min(1);
const sentence = z.union([text, z.strictObject({ one: text, other: text })]);
const pack = z.record(z.string(), z.record(z.string(), sentence));

/** The sentences of each language. Throws, naming the file and the sentence, if one is missing, unknown or has other values. */
export function readCatalogues(): ReadonlyMap<MessageLanguage, Catalogue> {
  return new Map(messageLanguages.map((language) => [language, readCatalogue(`sentences/${language}.yaml`)]));
}

function readCatalogue(file: string): Catalogue {
  const read = Object.entries(readPack(file, pack)).flatMap(([group, sentences]) =>
    Object.entries(sentences).map(([name, words]): [string, Sentence] => [
      `${group}.${name}`,
      typeof words === 'string' ? { one: words, other: words } : words,
    ]),
  );
  const found = new Map(read);
  for (const [name, { one, other }] of read) {
    const values: readonly string[] | undefined = sentenceValues[name as SentenceName];
    if (values === undefined) throw new Error(`packs/${file}: ${name} is not used`);
    for (const form of [one, other])
      if (placesIn(form).join() !== [...values].sort().join())
        throw new Error(`packs/${file}: ${name} has to have the values ${values.join(', ') || '(none)'}`);
  }
  const missing = Object.keys(sentenceValues).filter((name) => !found.has(name));
  if (missing.length > 0) throw new Error(`packs/${file}: ${missing.join(', ')} is missing`);
  return Object.fromEntries(found) as Record<SentenceName, Sentence>;
}

function placesIn(words: string): string[] {
  return [...new Set([...words.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string))].sort();
}
