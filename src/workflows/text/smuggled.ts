import type { Place } from './cards.ts';

const mayBe = /[\ufe00-\ufe0f\udb40]/;
// Tags spell the region of a flag, at most six; selectors of variants stand alone.
const smuggled =
  /(?<![\u{1f3f4}\u{e0020}-\u{e007e}])[\u{e0020}-\u{e007e}]+|(?<=\u{1f3f4}[\u{e0020}-\u{e007e}]{6})[\u{e0020}-\u{e007e}]+|[\u{e0100}-\u{e01ef}]{2,}|[\ufe00-\ufe0f]{4,}/gu;
const max = 200;

/** Finds characters that show nothing and spell something, which a model may read: tags, and selectors of variants. At most 200. */
export function smuggledIn(text: string): Place[] {
  if (!mayBe.test(text)) return [];
  const found: Place[] = [];
  for (const { index, 0: characters } of text.matchAll(smuggled)) {
    if (found.length >= max) break;
    found.push({ start: index, end: index + characters.length });
  }
  return found;
}
