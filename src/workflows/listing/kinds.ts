import { z } from 'zod';
import { readPack } from '../packs/read.ts';
import type { Kind } from './fact-patterns.ts';
import { plainText } from './plain-text.ts';

const kindWords = z.record(
  z.enum(['vehicles', 'property', 'electronics', 'jobs', 'services', 'furniture', 'fashion']),
  z.strictObject({ category: z.array(z.string()), text: z.array(z.string()) }),
);

const words = Object.entries(readPack('listing/kinds.yaml', kindWords)).map(([kind, { category, text }]) => ({
  kind: kind as Kind,
  category: patternOf(category),
  // What categories are called is said of things as well.
  text: patternOf([...new Set([...category, ...text])]),
}));

function patternOf(list: readonly string[]): RegExp {
  const parts = list.map((word) =>
    word.endsWith('.')
      ? `${word.slice(0, -1).replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![a-z0-9])`
      : word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'),
  );
  return new RegExp(`(?<![a-z])(?:${parts.join('|')})`, 'g');
}

const titleCounts = 3;
const categoryCounts = 4;
const least = 2;

/** What a listing is of, by its words; a category counts as much as some of them. `generic` when too few speak for any. */
export function kindOf(title: string, description: string, category: string): Kind {
  const [plainTitle, plainDescription, plainCategory] = [title, description, category].map(plainText) as [
    string,
    string,
    string,
  ];
  let best: Kind = 'generic';
  let most = 0;
  for (const { kind, category: categories, text } of words) {
    const named = plainCategory !== '' && plainCategory.match(categories) !== null;
    const points =
      distinct(plainTitle, text) * titleCounts + distinct(plainDescription, text) + (named ? categoryCounts : 0);
    if (points > most) [best, most] = [kind, points];
  }
  return most >= least ? best : 'generic';
}

function distinct(text: string, pattern: RegExp): number {
  return new Set(text.match(pattern) ?? []).size;
}
