import { describe, expect, test } from 'vitest';
import { WriteDecisionMemoRequestSchema } from '../../src/gen/intelligence/workflow/v1/decision_pb.ts';
import { CheckRiskRequestSchema } from '../../src/gen/intelligence/workflow/v1/risk_pb.ts';
import { ScoreBusinessReadinessRequestSchema } from '../../src/gen/intelligence/workflow/v1/scoring_pb.ts';
import { decisionFamily } from '../../src/workflows/families/decision.ts';
import { riskFamily } from '../../src/workflows/families/risk.ts';
import { scoringFamily } from '../../src/workflows/families/scoring.ts';
import { ask } from './ask.ts';

const findingsOf = (text: string) => ask(riskFamily, CheckRiskRequestSchema, { text, assist: 'off' }).findings;

describe('numbers as word processors and web pages write them', () => {
  test.each(['\u00a0', '\u202f', '\u2009', '\u2013', ' ', '-'])(
    'a card number is found with %j between its groups',
    (blank) => {
      const card = ['4111', '1111', '1111', '1111'].join(blank);
      const [found] = findingsOf(`Please charge ${card} today, thank you.`).filter(({ phrase }) => phrase === card);
      expect(found?.severity).toBe('high');
    },
  );

  test('an account number is found with narrow blanks', () => {
    const iban = 'DE89 3704 0044 0532 0130 00'.replaceAll(' ', '\u202f');
    expect(findingsOf(`Mein Konto ist ${iban}, danke.`).map(({ phrase }) => phrase)).toContain(iban);
  });
});

test.each([
  ['My SSN 123-45-6789 is here, what do you make of it?', '123-45-6789'],
  ['The password is hunter-two-secret, keep it for later.', 'hunter-two-secret'],
])('what hyphens join is found whole: %s', (text, whole) => {
  const phrases = findingsOf(text).map(({ phrase }) => phrase);
  expect(phrases.some((phrase) => phrase.endsWith(whole))).toBe(true);
});

describe('numbers as large as numbers can be', () => {
  test('are ranked', () => {
    const { ranking } = ask(decisionFamily, WriteDecisionMemoRequestSchema, {
      question: 'Which one?',
      assist: 'off',
      options: [
        { name: 'good', attributes: { profit: 5 } },
        { name: 'huge', attributes: { profit: 1e308 } },
        { name: 'low', attributes: { profit: -1e308 } },
      ],
      criteria: [{ name: 'profit' }],
    });
    expect(ranking.map(({ option, score }) => [option, score])).toEqual([
      ['huge', 100],
      ['good', 50],
      ['low', 0],
    ]);
  });

  test('are scored', () => {
    const curve = [
      { value: -1e308, score: 0 },
      { value: 1e308, score: 100 },
    ];
    const customScorecard = {
      name: 'c',
      dimensions: [{ name: 'd', indicators: [{ name: 'i', curve, min: -1.5e308 }] }],
    };
    const reply = ask(scoringFamily, ScoreBusinessReadinessRequestSchema, {
      ...{ assist: 'off', customScorecard, metrics: { i: 1e308 } },
    });
    expect(reply.overallScore).toBe(100);
  });
});
