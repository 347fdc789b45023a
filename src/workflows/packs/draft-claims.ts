import { z } from 'zod';
import { type DraftLanguage, draftLanguages } from './draft-language.ts';
import { readPack } from './read.ts';

const text = z.string().min(1);
const byLanguage = z.strictObject({ en: text, de: text, es: text, fr: text });
const claimsPack = z.strictObject({
  version: z.number().int().min(1),
  dates: byLanguage,
  numbers: byLanguage,
  promises: byLanguage,
  accusations: byLanguage,
});

export const claimKinds = ['dates', 'numbers', 'promises', 'accusations'] as const;
export type ClaimKind = (typeof claimKinds)[number];

/** Word prefixes, for folded text, that signal a claim in a language. */
export const claimWords: ReadonlyMap<DraftLanguage, Readonly<Record<ClaimKind, RegExp>>> = (() => {
  const pack = readPack('draft/claims.yaml', claimsPack);
  const patternsOf = (language: DraftLanguage) =>
    Object.fromEntries(claimKinds.map((kind) => [kind, patternOf(pack[kind][language])])) as Record<ClaimKind, RegExp>;
  return new Map(draftLanguages.map((language) => [language, patternsOf(language)]));
})();

function patternOf(beginnings: string): RegExp {
  const words = beginnings.split(',').map((word) => asPattern(word.trimStart()));
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.join('|')})`, 'gu');
}

/** A trailing blank means the end of the word. */
function asPattern(beginning: string): string {
  const escaped = beginning.trimEnd().replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return beginning.endsWith(' ') ? `${escaped}(?![\\p{L}\\p{N}])` : escaped;
}
