// Yes and no as letters and signs, what is there and what is not, and figures that contradict each other.
import { describe, expect, it } from 'vitest';
import { WriteDecisionMemoRequestSchema } from '../../src/gen/intelligence/workflow/v1/decision_pb.ts';
import { ScoreBusinessReadinessRequestSchema } from '../../src/gen/intelligence/workflow/v1/scoring_pb.ts';
import { decisionFamily } from '../../src/workflows/families/decision.ts';
import { scoringFamily } from '../../src/workflows/families/scoring.ts';
import { ask, prepare, refusedFields } from './ask.ts';

describe('an answer of a scorecard', () => {
  const request = (choices: object, answer: unknown) => ({
    customScorecard: { name: 'card', dimensions: [{ name: 'one', indicators: [{ name: 'it', choices }] }] },
    answers: { it: answer },
  });
  const scoreOf = (choices: object, answer: unknown) =>
    ask(scoringFamily, ScoreBusinessReadinessRequestSchema, request(choices, answer)).dimensions[0]?.score;
  const isRefused = (choices: object, answer: unknown) =>
    refusedFields(prepare(scoringFamily, ScoreBusinessReadinessRequestSchema, request(choices, answer))).length > 0;
  const yesNo = { yes: 100, no: 10 };

  it('is yes or no as a letter, a sign, a digit or what is there', () => {
    for (const yes of ['y', 'Y', 'J', 's', 'O', '✓', '✅', 1, '1', 'vorhanden', 'liegt vor', 'in place', 'en place'])
      expect([yes, scoreOf(yesNo, yes)]).toEqual([yes, 100]);
    for (const no of ['n', 'N', '✗', '❌', 0, '0', 'nicht vorhanden', 'liegt nicht vor', 'absent', 'no existe'])
      expect([no, scoreOf(yesNo, no)]).toEqual([no, 10]);
    expect(scoreOf({ vorhanden: 80, fehlt: 0 }, 'ja')).toBe(80);
    expect(scoreOf({ vorhanden: 80, fehlt: 5 }, 'nicht vorhanden')).toBe(5);
    expect(scoreOf({ monthly: 70, never: 0 }, 'monatl.')).toBe(70);
    expect(scoreOf({ instalments: 55, no: 0 }, 'en parcialidades')).toBe(55);
  });

  it('is the choice of that letter or digit if there is one, and never a size', () => {
    expect(scoreOf({ S: 10, M: 20, L: 30 }, 's')).toBe(10);
    expect(scoreOf({ yes: 100, no: 0, n: 40 }, 'n')).toBe(40);
    expect(isRefused({ S: 10, M: 20, L: 30 }, 'ja')).toBe(true);
    expect(isRefused({ daily: 100, none: 0 }, 'y')).toBe(true);
  });

  it('is no digit where there are more than two choices', () => {
    expect(isRefused({ yes: 100, partly: 50, no: 0 }, 1)).toBe(true);
    expect(scoreOf({ 0: 5, 1: 60, 2: 100 }, 1)).toBe(60);
  });
});

describe('the number of customers and the share of the largest', () => {
  const told = (customerCount: unknown, largestCustomerPercent: unknown) =>
    ask(scoringFamily, ScoreBusinessReadinessRequestSchema, {
      metrics: { customerCount, largestCustomerPercent },
    }).impossibleValues;

  it.each([
    [1, 7],
    [0, 20],
    [4, 12],
    ['3 customers', '20 %'],
  ])('cannot be %s and %s %', (count, share) => {
    expect(told(count, share).map(({ field }) => field)).toEqual([
      'metrics.customerCount',
      'metrics.largestCustomerPercent',
    ]);
  });

  it('are told in words', () => {
    expect(told(4, 12)[0]?.message).toBe(
      'The number of paying customers (4) and the share of the largest (12 %) do not fit together.',
    );
  });

  it.each([
    [1, 100],
    [0, 0],
    [3, 33],
    [4, 25],
    [420, 7],
    [1200, 0],
  ])('may be %s and %s %', (count, share) => {
    expect(told(count, share)).toEqual([]);
  });
});

describe('a decision', () => {
  const options = (name: string, first: unknown, second: unknown, third?: unknown) =>
    [first, second, third].flatMap((value, at) =>
      value === undefined ? [] : [{ name: `${at + 1}`, attributes: { [name]: value, price: 100 + at } }],
    );
  const question = 'Which offer do we take?';

  it.each([
    ['y', 'n'],
    ['✓', '✗'],
    ['J', 'N'],
    ['Oui', 'non'],
  ])('has options that meet a yes or not: %s, %s', (yes, no) => {
    for (const value of [true, 'ja', 'y']) {
      const reply = ask(decisionFamily, WriteDecisionMemoRequestSchema, {
        question,
        options: options('insured', no, yes),
        criteria: [{ name: 'price' }],
        constraints: [{ attribute: 'insured', operator: '=', value }],
      });
      expect(reply.eliminated.map(({ option }) => option)).toEqual(['1']);
      expect(reply.recommendation?.option).toBe('2');
    }
  });

  it('ranks marks of schools and what is satisfactory between poor and good', () => {
    const reply = ask(decisionFamily, WriteDecisionMemoRequestSchema, {
      question,
      options: options('Qualität', 'befriedigend', 'gut', 'mangelhaft'),
      criteria: [{ name: 'Qualität' }],
    });
    expect(reply.ranking.map(({ option, score }) => [option, score])).toEqual([
      ['2', 100],
      ['1', 66.67],
      ['3', 0],
    ]);
  });

  it.each([
    ['cover', '$2M', '$1,000,000', '1'],
    ['Versicherungssumme', '3 Mio. €', '1 Mio. €', '1'],
    ['weight', '2.1 kg', '2.9 lb', '2'],
    ['Gewicht', '2,1 kg', '1900 g', '2'],
    ['payload', '1.1 t', '950 kg', '1'],
    ['weight limit', '110 kg', '95 kg', '1'],
  ])('takes the better of %s, %s and %s', (name, first, second, winner) => {
    const reply = ask(decisionFamily, WriteDecisionMemoRequestSchema, {
      question,
      options: options(name, first, second),
      criteria: [{ name }],
    });
    expect(reply.ranking[0]?.option).toBe(winner);
  });
});
