import { readDraftSigns } from '../packs/draft-signs.ts';
import type { Spotted } from './spotted.ts';

/** By language: the signs that a document threatens or accuses somebody. */
export const draftSigns = readDraftSigns();

const harmful: ReadonlySet<string> = new Set(['threat', 'hate', 'harassment']);

/**
 * What a draft says is sent in the writer's name, so a threat or an insult that is high in a text to be judged is critical here.
 * Weaker signs stay as they are: they are often wrong.
 */
export function asInDrafts(spotted: readonly Spotted[]): Spotted[] {
  return spotted.map((one) =>
    one.entry.severity === 'high' && harmful.has(one.entry.category)
      ? { ...one, entry: { ...one.entry, severity: 'critical' } }
      : one,
  );
}
