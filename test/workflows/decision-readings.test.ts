// Values, limits and names of criteria as people write them, and what the reply then asks for.
import { describe, expect, it } from 'vitest';
import { WriteDecisionMemoRequestSchema } from '../../src/gen/intelligence/workflow/v1/decision_pb.ts';
import { ScoreBusinessReadinessRequestSchema } from '../../src/gen/intelligence/workflow/v1/scoring_pb.ts';
import { decisionFamily } from '../../src/workflows/families/decision.ts';
import { scoringFamily } from '../../src/workflows/families/scoring.ts';
import { ask } from './ask.ts';

const compare = (name: string, values: readonly unknown[], more: object = {}) =>
  ask(decisionFamily, WriteDecisionMemoRequestSchema, {
    question: 'Which one do we take?',
    options: values.map((value, at) => ({ name: `${at + 1}`, attributes: { [name]: value } })),
    criteria: [{ name }],
    locale: 'en',
    ...more,
  });

describe('a time in two units', () => {
  it.each([
    [
      ['50 min', '1,5 Std.', '1 h 20 min'],
      ['1', '3', '2'],
    ],
    [
      ['1h20', '75 min', '2 h'],
      ['2', '1', '3'],
    ],
    [
      ['1 Std. 30 Min.', '100 min'],
      ['1', '2'],
    ],
    [
      ['2 horas y 5 minutos', '2 h 10'],
      ['1', '2'],
    ],
  ])('is compared with others: %j', (values, order) => {
    const reply = compare('travel time', values);
    expect(reply.missingFacts).toEqual([]);
    expect(reply.ranking.map(({ option }) => option)).toEqual(order);
  });

  it('may be of years and months', () => {
    const reply = compare('warranty', ['2 years 6 months', '29 months', '2 ans et 7 mois']);
    expect(reply.ranking.map(({ option }) => option)).toEqual(['3', '1', '2']);
  });

  it.each(['1 h 75 min', '1 h 20 kg', '2 years 15', '2 rooms 3 beds'])('is not %s', (value) => {
    expect(compare('travel time', ['50 min', value]).missingFacts).toEqual(['travel time of 2']);
  });
});

it('takes more of what is rated out of 5 for better, unless it is a burden', () => {
  const unsure = 'neither its name nor the request says so';
  const rated = compare('access', ['2 of 5', '4 of 5']);
  expect(rated.recommendation?.option).toBe('2');
  expect(JSON.stringify(rated.assumptions)).not.toContain(unsure);
  expect(compare('noise', ['2 of 5', '4 of 5']).recommendation?.option).toBe('1');
  expect(JSON.stringify(compare('complexity', ['2 of 5', '4 of 5']).assumptions)).toContain(unsure);
  expect(JSON.stringify(compare('access', [2, 4]).assumptions)).toContain(unsure);
});

it.each([
  ['costo anual', 1, 2, '1'],
  ['copago', 1, 2, '1'],
  ['Zuzahlung', 1, 2, '1'],
  ['reste à charge', 1, 2, '1'],
  ['time to launch', '3 weeks', '9 months', '1'],
  ['distance to port', '1 km', '5 km', '1'],
  ['Entfernung zum Hafen', '1 km', '5 km', '1'],
  ['heures gagnées par mois', '6 heures', '9 heures', '2'],
  ['gesparte Stunden', '6 Std.', '9 Std.', '2'],
  ['horas ahorradas', '6 horas', '9 horas', '2'],
])('knows which of %s is better', (name, first, second, winner) => {
  const reply = compare(name, [first, second]);
  expect(reply.recommendation?.option).toBe(winner);
  expect(reply.nextBestAction).toBe(`Choose ${winner}.`);
});

it('asks for what is only announced, and does not call it a wrong number', () => {
  const reply = compare('fee', ['£3,200', 'TBC', '£4,000']);
  expect(reply.nextBestAction).toBe('Find out: fee of 2.');
  expect(JSON.stringify(reply.assumptions)).not.toContain('TBC');
});

it('has a minus before the sign of money', () => {
  expect(compare('profit', ['-$40,000', '$12,000', '$-50,000']).ranking.map(({ option }) => option)).toEqual([
    '2',
    '1',
    '3',
  ]);
  expect(compare('price', ['-$40,000', '$12,000']).nextBestAction).toContain('cannot be');
});

it('has a limit of money for the period of most options', () => {
  const limited = (value: unknown, prices: readonly string[]) =>
    compare('price', prices, { constraints: [{ attribute: 'price', operator: '<=', value }] });
  const monthly = ['$40/month', '$70/month', '$1,500/year'];
  expect(limited('$75', monthly).eliminated.map(({ option }) => option)).toEqual(['3']);
  expect(limited('$75', ['$40', '$70', '$125']).eliminated.map(({ option }) => option)).toEqual(['3']);
  // Of another currency, or where no period is that of most, it is not known.
  expect(limited('€75', monthly).eliminated).toHaveLength(3);
  expect(limited('$75', ['$40/month', '$1,500/year']).recommendation?.option).toBe('');
});

it('knows no growth of revenue below -100 %', () => {
  const told = (metrics: object, customScorecard?: object) =>
    ask(scoringFamily, ScoreBusinessReadinessRequestSchema, {
      metrics,
      ...(customScorecard && { customScorecard }),
    }).impossibleValues;
  expect(told({ revenueGrowthPercent: -150 })).toMatchObject([{ field: 'metrics.revenueGrowthPercent' }]);
  expect(told({ revenueGrowthPercent: -100 })).toEqual([]);
  const own = (label: string) => ({
    name: 'own',
    dimensions: [
      {
        name: 'one',
        indicators: [
          {
            name: 'it',
            label,
            curve: [
              { value: -50, score: 0 },
              { value: 50, score: 100 },
            ],
          },
        ],
      },
    ],
  });
  expect(told({ it: -150 }, own('Umsatzwachstum in Prozent'))).toHaveLength(1);
  // A profit may turn into a larger loss.
  expect(told({ it: -150 }, own('Profit growth in percent'))).toEqual([]);
});
