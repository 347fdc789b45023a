import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { kindOfPurpose } from '../../src/workflows/families/draft-purpose.ts';

interface Line {
  id: string;
  purpose: string;
  names: string[];
  /** Empty: of no kind. */
  kind: string;
}

const lines = readFileSync(new URL('./purposes/open.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Line);

const heard = lines.map(({ purpose, names, ...line }) => ({ ...line, heard: kindOfPurpose(purpose, names).id }));
const right = heard.filter((line) => line.kind !== '' && line.heard === line.kind);
const wrong = heard.filter((line) => line.heard !== '' && line.heard !== line.kind);

it('hears the kinds of most purposes that lack its usual words', () => {
  expect(right.length).toBeGreaterThanOrEqual(325);
});

// A wrong kind is worse than a neutral draft.
it('hears a wrong kind in few purposes', () => {
  expect(wrong.length).toBeLessThanOrEqual(4);
});
