// Short texts as people send them, in four languages: advertisements, family, forms, letters, and the frauds that use the same words.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CheckRiskRequestSchema } from '../../../src/gen/intelligence/workflow/v1/risk_pb.ts';
import { riskFamily } from '../../../src/workflows/families/risk.ts';
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
