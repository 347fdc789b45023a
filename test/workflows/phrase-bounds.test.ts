import { expect, test } from 'vitest';
import { atOnce } from '../../src/base/slices.ts';
import { fold } from '../../src/base/text/fold.ts';
import { indexPhrases } from '../../src/workflows/text/phrases.ts';

const unit = '中文';
const prefixes = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ phrase: unit.repeat(100).slice(0, index + 2), entry: index }));

test('where words end in a text without blanks counts for what it costs, once for each place', () => {
  const index = indexPhrases(prefixes(30));
  const text = fold(unit.repeat(100));
  const taken = (steps: number) => {
    const bounds = { max: 1_000_000, steps };
    const { isWhole } = atOnce(index.search(text, bounds));
    return { isWhole, taken: steps - bounds.steps };
  };
  const first = taken(1_000_000);
  const second = taken(1_000_000);
  expect([first.isWhole, second.isWhole]).toEqual([true, true]);
  // The places between two characters where a phrase may begin or end, the same ones for all phrases.
  expect(first.taken - second.taken).toBe(198 * 600);
});

test('phrases and a text that were made to be alike end a search at its bound', () => {
  const bounds = { max: 1_000_000, steps: 120_000 };
  const { isWhole } = atOnce(indexPhrases(prefixes(189)).search(fold(unit.repeat(50_000)), bounds));
  expect(isWhole).toBe(false);
  // One place may go over it, by what it alone takes.
  expect(bounds.steps).toBeGreaterThan(-190 * 602);
});
