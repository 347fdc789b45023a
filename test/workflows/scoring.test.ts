import { describe, expect, it } from 'vitest';
import { ScoreBusinessReadinessRequestSchema } from '../../src/gen/intelligence/workflow/v1/scoring_pb.ts';
import { scorecards, scoringFamily } from '../../src/workflows/families/scoring.ts';
import { ratingOf, scoreAt } from '../../src/workflows/families/scoring-measure.ts';
import { ask, prepare, refusedFields } from './ask.ts';

const score = (json: unknown) => ask(scoringFamily, ScoreBusinessReadinessRequestSchema, json);
const refused = (json: unknown) => refusedFields(prepare(scoringFamily, ScoreBusinessReadinessRequestSchema, json));

const card = {
  name: 'two sides',
  dimensions: [
    {
      name: 'money',
      weight: 3,
      indicators: [
        {
          name: 'cash',
          weight: 1,
          curve: [
            { value: 0, score: 0 },
            { value: 10, score: 100 },
          ],
        },
      ],
    },
    {
      name: 'people',
      weight: 1,
      indicators: [
        { name: 'team', weight: 3, choices: { whole: 100, partial: 40 }, action: 'Fill the team.' },
        {
          name: 'training',
          weight: 1,
          curve: [
            { value: 0, score: 20 },
            { value: 4, score: 100 },
          ],
        },
      ],
    },
  ],
};

describe('the shipped scorecard', () => {
  const [shipped] = [...scorecards.values()];

  it('has six dimensions and at least 30 indicators', () => {
    expect(shipped?.dimensions).toHaveLength(6);
    expect(shipped?.dimensions.flatMap(({ indicators }) => indicators).length).toBeGreaterThanOrEqual(30);
  });

  for (const example of shipped?.examples ?? [])
    it(example.name, () => expect(score(example.input)).toMatchObject(example.expect));
});

describe('business scoring', () => {
  it('is the weighted mean, worked by hand', () => {
    // money: cash 4 of 10 = 40. people: team 40 x 3/4 + training (20 + 2/4 x 80 = 60) x 1/4 = 45. Overall 40 x 3/4 + 45 / 4 = 41.25.
    const reply = score({ customScorecard: card, metrics: { cash: 4, training: 2 }, answers: { team: 'Partial' } });
    expect(reply).toMatchObject({
      overallScore: 41.3,
      rating: 'D',
      riskLevel: 'high',
      coverage: 1,
      confidence: 1,
      missingFacts: [],
    });
    expect(reply.dimensions.map(({ score }) => score)).toEqual([40, 45]);
    expect(reply.dimensions[0]?.drivers[0]).toMatchObject({ indicator: 'cash', effect: -7.5 });
  });

  it.each([
    ['en', 'Taxes are paid', 'Tax matters'],
    ['de', 'Bezahlte Steuern', 'Tax matters'],
    ['es', 'Impuestos pagados', 'Tax matters'],
    ['fr', 'Impôts payés', 'Tax matters'],
  ])('says the names of a scorecard without labels in words (%s)', (locale, taxes, dimension) => {
    const named = {
      name: 'own',
      dimensions: [
        {
          name: 'tax_matters',
          indicators: [
            { name: 'taxesPaid', choices: { yes: 100, no: 0 } },
            {
              name: 'lateFilings',
              label: 'Filed late',
              curve: [
                { value: 0, score: 100 },
                { value: 9, score: 0 },
              ],
            },
            {
              name: 'auditScore',
              curve: [
                { value: 0, score: 0 },
                { value: 9, score: 100 },
              ],
            },
          ],
        },
      ],
    };
    const reply = score({ customScorecard: named, answers: { taxesPaid: 'yes' }, locale });
    expect(reply.dimensions[0]).toMatchObject({ label: dimension, drivers: [{ label: taxes }] });
    expect(reply.missingFacts).toEqual(['Filed late', 'Audit score']);
    expect(reply.nextBestAction).not.toMatch(/taxesPaid|auditScore/);
  });

  it('leaves out what is not known, and says how much that is', () => {
    const reply = score({ customScorecard: card, metrics: { training: 4 } });
    // Only training is known: 100; it is a quarter of a quarter of all weight.
    expect(reply).toMatchObject({
      overallScore: 100,
      coverage: 0.063,
      missingFacts: ['cash', 'team'],
      rating: '',
      riskLevel: 'unknown',
      nextBestAction: 'Find out and state: cash; team.',
    });
    expect(reply.confidence).toBeLessThan(0.1);
    expect(reply.dimensions[0]?.score).toBeUndefined();
  });

  it('never falls when an indicator gets better, nor leaves 0-100', () => {
    let before = -1;
    for (let cash = 0; cash <= 15; cash++) {
      const { overallScore } = score({
        customScorecard: card,
        metrics: { cash, training: 1 },
        answers: { team: 'whole' },
      });
      expect(overallScore).toBeGreaterThanOrEqual(before);
      expect(overallScore).toBeLessThanOrEqual(100);
      before = overallScore;
    }
  });

  it('reads a curve between, before and after its points', () => {
    const curve = [
      { value: 2, score: 50 },
      { value: 0, score: 100 },
      { value: 6, score: 0 },
    ];
    expect([-1, 0, 1, 2, 4, 6, 99].map((value) => scoreAt(curve, value))).toEqual([100, 100, 75, 50, 25, 0, 0]);
  });

  it('rates by the documented cuts', () => {
    expect([85, 84.9, 70, 69.9, 55, 54.9, 40, 39.9].map(ratingOf).join('')).toBe('ABBCCDDE');
  });

  it('takes true and false for yes and no', () => {
    expect(score({ answers: { registered: true } }).dimensions[4]?.score).toBe(100);
    expect(score({ answers: { registered: false } }).dimensions[4]?.score).toBe(0);
  });

  it('gives no rating where less than half is known', () => {
    expect(score({ answers: { registered: true } })).toMatchObject({
      rating: '',
      riskLevel: 'unknown',
      coverage: 0.038,
    });
  });

  it('caps the rating at closed gates, of its own scorecard or by common names', () => {
    const own = (gates: object[], registered: boolean) =>
      score({
        customScorecard: {
          name: 'c',
          gates,
          dimensions: [
            {
              name: 'd',
              indicators: [
                { name: 'registered', weight: 1, choices: { true: 100, false: 0 }, action: 'Register first.' },
                {
                  name: 'margin',
                  weight: 9,
                  curve: [
                    { value: 0, score: 0 },
                    { value: 10, score: 100 },
                  ],
                },
              ],
            },
          ],
        },
        metrics: { margin: 10 },
        answers: { registered },
      });
    expect(own([], true)).toMatchObject({ rating: 'A', caps: [] });
    expect(own([], false)).toMatchObject({
      overallScore: 90,
      rating: 'D',
      riskLevel: 'high',
      nextBestAction: 'Register first.',
    });
    expect(own([{ indicator: 'registered', rating: 'E' }], false)).toMatchObject({
      rating: 'E',
      riskLevel: 'critical',
    });
    expect(own([{ indicator: 'margin', below: 10 }], false).rating).toBe('A');
  });

  it('advises what is left to do after an answer, not what is done', () => {
    const next = (answers: object, locale = 'en') => score({ answers, metrics: {}, locale }).nextBestAction;
    expect(next({ registered: 'pending' })).toBe('See the registration of the business through.');
    expect(next({ taxesPaid: 'no' })).toMatch(/^Pay the taxes that are due/);
    expect(next({ taxesPaid: 'no' }, 'de')).toMatch(/^Zahlen Sie die fälligen Steuern/);
    expect(next({ registered: 'no' }, 'fr')).toBe('Faites immatriculer l’entreprise.');
  });

  it('does not advise where an indicator is good already', () => {
    const { nextBestAction } = score({
      customScorecard: {
        name: 'one',
        dimensions: [
          { name: 'd', indicators: [{ name: 'books', action: 'Close them.', choices: { monthly: 90, none: 0 } }] },
        ],
      },
      answers: { books: 'monthly' },
    });
    expect(nextBestAction).not.toBe('Close them.');
  });

  it('takes a yes or no in the four languages', () => {
    for (const [yes, no] of [
      ['ja', 'nein'],
      ['Sí', 'no'],
      ['oui', 'non'],
      ['yes', 'no'],
    ]) {
      expect(score({ answers: { registered: yes } }).caps).toEqual([]);
      expect(score({ answers: { registered: no } }).caps).toHaveLength(1);
    }
  });

  it('takes what cannot be for a finding, not for points', () => {
    const reply = score({ metrics: { debtToEquity: -2, retentionPercent: 140, grossMarginPercent: -5 } });
    expect(reply.impossibleValues).toEqual([
      { field: 'metrics.debtToEquity', message: 'Debt divided by equity cannot be below 0.' },
      { field: 'metrics.retentionPercent', message: 'Customers who stay for a year in percent cannot be above 100.' },
    ]);
    expect(reply.dimensions[0]?.score).toBe(0);
  });

  it('tells the names that it does not know', () => {
    expect(score({ metrics: { debtEquity: 1 }, answers: { registred: 'yes' } }).unusedFields).toEqual([
      { field: 'metrics.debtEquity', nearest: 'debtToEquity' },
      { field: 'answers.registred', nearest: 'registered' },
    ]);
  });

  it('refuses numbers and answers that mean nothing, and curves that are none', () => {
    expect(refused({ metrics: { cashRunwayMonths: 'many' } })).toEqual(['metrics.cashRunwayMonths']);
    expect(refused({ answers: { backups: 'perhaps' } })).toEqual(['answers.backups']);
    expect(refused({ scorecard: 'nope' })).toEqual(['scorecard']);
    const indicators = [{ name: 'x', curve: [{ value: 1, score: 1 }] }];
    expect(refused({ customScorecard: { name: 'c', dimensions: [{ name: 'd', indicators }] } })).toEqual([
      'customScorecard.dimensions[0].indicators[0].curve',
    ]);
  });
});
