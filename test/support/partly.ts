import { expect } from 'vitest';

/** Matches a reply that contains what is shown; its lists may have more. */
export function partly(shown: unknown): unknown {
  if (Array.isArray(shown)) return shown.length === 0 ? [] : expect.arrayContaining(shown.map((item) => partly(item)));
  if (typeof shown !== 'object' || shown === null) return shown;
  return expect.objectContaining(
    Object.fromEntries(Object.entries(shown).map(([name, value]) => [name, partly(value)])),
  );
}
