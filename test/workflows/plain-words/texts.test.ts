// Short texts as people send them, in four languages: advertisements, family, forms, letters, and the frauds that use the same words.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CheckRiskRequestSchema } from '../../../src/gen/intelligence/workflow/v1/risk_pb.ts';
import { riskFamily } from '../../../src/workflows/families/risk.ts';
import { signLanguages } from '../../../src/workflows/packs/sign-pack.ts';
import { ask } from '../ask.ts';

const linesOf = (name: string) =>
  readFileSync(new URL(name, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '');
const levelOf = (text: string) => ask(riskFamily, CheckRiskRequestSchema, { text }).riskLevel;

it('finds nothing grave in what is harmless', () => {
  const raised = linesOf('harmless.txt').filter((text) => !['low', 'unknown'].includes(levelOf(text)));
  expect(raised).toEqual([]);
});

it('finds what is harmful', () => {
  const missed = linesOf('harmful.txt').filter((text) => ['low', 'unknown'].includes(levelOf(text)));
  expect(missed).toEqual([]);
});

it.each([
  ['we remove bad reviews and write you 5-star ones, 20 each', 'high'],
  ['Wir entfernen schlechte Bewertungen und schreiben Ihnen 5-Sterne-Bewertungen.', 'high'],
  ['I will kill you tonight 😂', 'medium'],
  ['I will kill you tonight', 'critical'],
])('rates %s %s', (text, level) => {
  expect(levelOf(text)).toBe(level);
});

it('never lets a lesser sign of the same kind take from a graver one', () => {
  expect(levelOf('I know where you live.')).toBe('high');
  expect(levelOf('I will kill you 😂 I know where you live.')).toBe('high');
});

it.each([
  ['Hello', 'en'],
  ['ok, merci !', 'fr'],
  ['Servus', 'de'],
  ['hola', 'es'],
])('hears what language a short text is in: %s', (text, language) => {
  const { riskLevel, assessment } = ask(riskFamily, CheckRiskRequestSchema, { text });
  expect(assessment?.languages).toEqual([language]);
  expect(riskLevel).toBe('low');
});

it('says of a name and a measure that they are in no language, and looks at them in all', () => {
  const { riskLevel, assessment } = ask(riskFamily, CheckRiskRequestSchema, { text: 'iPhone 13 128GB' });
  expect(riskLevel).toBe('unknown');
  expect(assessment).toMatchObject({ languages: [], coverage: 0, notAssessed: [] });
  expect(assessment?.packs.filter((pack) => pack.startsWith('risk/signs/'))).toHaveLength(signLanguages.length);
});
