// Numbers in text, as people write them in four languages.
import { describe, expect, it } from 'vitest';
import { ScoreBusinessReadinessRequestSchema } from '../../src/gen/intelligence/workflow/v1/scoring_pb.ts';
import { scoringFamily } from '../../src/workflows/families/scoring.ts';
import { ask, prepare } from './ask.ts';

const score = (json: object) => ask(scoringFamily, ScoreBusinessReadinessRequestSchema, json);

function violations(json: object) {
  const result = prepare(scoringFamily, ScoreBusinessReadinessRequestSchema, json);
  return result.ok || result.failure.kind !== 'invalid_argument' ? [] : result.failure.violations;
}

/** A scorecard whose score is a tenth of the number. */
const tenth = (name: string, label: string, most = 1000) => ({
  customScorecard: {
    name: 'own',
    dimensions: [
      {
        name: 'all',
        indicators: [
          {
            name,
            label,
            curve: [
              { value: 0, score: 0 },
              { value: most, score: 100 },
            ],
          },
        ],
      },
    ],
  },
});

const scoreOf = (name: string, value: unknown, locale = '') =>
  score({ locale, metrics: { [name]: value } })
    .dimensions.flatMap(({ drivers }) => drivers)
    .find(({ indicator }) => indicator === name)?.score;

describe('a number in text', () => {
  it.each([
    [
      'grossMarginPercent',
      41,
      ['41', '41 %', '41%', '41 percent', '41 Prozent', '41 por ciento', '41 pour cent', 'ca. 41 %'],
    ],
    ['grossMarginPercent', 41.5, ['41,5 %', '41.5 %', '41,50']],
    ['grossMarginPercent', -5, ['-5 %', '\u22125 %', '- 5 %']],
    ['cashRunwayMonths', 14, ['14 months', '14 Monate', '14 meses', '14 mois', 'about 14 months', 'etwa 14 Monate']],
    ['cashRunwayMonths', 12, ['1 year', '1 Jahr', '1 año', '1 an', '4 quarters', '12,0 Monate']],
    ['receivablesDays', 28, ['4 weeks', '4 Wochen', '4 semanas', '4 semaines', '28 Tage', '28 jours']],
    ['debtToEquity', 0.6, ['0,6', '0.6', '60 %', '0,6:1']],
    ['customerCount', 12, ['12 customers', '12 paying customers', '12 Kunden', '12 clientes', '12 clients']],
    ['customerCount', 1234, ['1 234', "1'234", '1.234', '1,234', '1.234 Kunden']],
    ['trainingDays', 5, ['5 days per year', '5 Tage pro Jahr', '5 jours par an']],
    ['revenueGrowthPercent', 12, ['12 % p.a.', '12 % per year']],
    ['systemUptimePercent', 99.995, ['99.995 %', '99,995 %']],
  ])('is read: %s as %d', (name, value, texts) => {
    for (const text of texts) expect([text, scoreOf(name, text)]).toEqual([text, scoreOf(name, value)]);
  });

  it.each([
    ['Revenue a year, EUR', 1_000_000, '€ 350k', 35],
    ['Revenue a year, EUR', 1_000_000, '350.000 €', 35],
    ['Revenue a year, EUR', 1_000_000, '30k € a month', 36],
    ['Revenue a year', 10_000_000, '1.2 million', 12],
    ['Revenue a year', 10_000_000, '1,2 Mio.', 12],
    ['Revenue a year', 10_000_000, '1.2M', 12],
    ['Umsatz in TEUR', 1000, '€ 350k', 35],
    ['Revenue, thousand EUR', 1000, '€ 350k', 35],
    ['Jahresumsatz in Mio. Euro', 10, '3,5 Mio. €', 35],
    ['Ratio of orders to target', 10, '3x', 30],
    ['Head count', 100, '9 people', 9],
    ['Mitarbeiter im Betrieb', 100, '9 Personen', 9],
    ['Growth of sales, %', 100, '+ 25 %', 25],
    ['Average review, stars out of 5', 5, '4,5', 90],
    ['Average review, stars out of 5', 5, '4.5/5', 90],
    ['Bewertung (0-5)', 5, '4,5 von 5', 90],
    ['Years in business', 10, '18 months', 15],
    ['Ancienneté, années', 10, '4 ans', 40],
    ['Hours to a first answer', 48, '90 min', 3.1],
    ['Share of deliveries on time', 1, '96 %', 96],
  ])('is in the unit of its indicator: %s, %d, %s', (label, most, text, expected) => {
    const reply = score({ ...tenth('one', label, most), metrics: { one: text } });
    expect(reply.overallScore).toBe(expected);
  });

  it('is read as the locale writes it, or as the texts beside it', () => {
    const card = tenth('revenue', 'Revenue', 10_000);
    const read = (revenue: string, locale: string) => score({ ...card, metrics: { revenue }, locale }).overallScore;
    expect([read('1.500', 'de-AT'), read('1,500', 'en-GB'), read('1.500', 'es-MX')]).toEqual([15, 15, 0]);
    expect(scoreOf('debtToEquity', '1,500', 'de')).toBe(scoreOf('debtToEquity', 1.5));
    const beside = score({ metrics: { debtToEquity: '1,500', grossMarginPercent: '41,5' } });
    expect(beside.dimensions[0]?.drivers.find(({ indicator }) => indicator === 'debtToEquity')?.score).toBe(65);
  });

  it('is unknown, and not zero, where nothing is said', () => {
    for (const text of ['', ' ', 'n/a', 'unknown', 'unbekannt', 'weiß nicht', 'no lo sé', 'je ne sais pas', '?'])
      expect([text, score({ metrics: { grossMarginPercent: text } }).coverage]).toEqual([text, 0]);
  });
});

describe('a text that is no number for certain', () => {
  it.each([
    ['debtToEquity', '1.234', 'can mean 1234 or 1.234'],
    ['grossMarginPercent', '40-45 %', 'is a range'],
    ['grossMarginPercent', 'between 40 and 45', 'is a range'],
    ['cashRunwayMonths', 'more than 6', 'is a range, a limit'],
    ['cashRunwayMonths', '> 6', 'is a range, a limit'],
    ['cashRunwayMonths', '6+', 'is a range, a limit'],
    ['trainingDays', '40 hours', 'unit that does not fit'],
    ['trainingDays', '1 week', 'unit that does not fit'],
    ['receivablesDays', '72 hours', 'unit that does not fit'],
    ['customerCount', '12 of 30', 'more than one number'],
    ['grossMarginPercent', '41 €', 'unit that does not fit'],
    ['cashRunwayMonths', '14 m', 'unit that does not fit'],
    ['cashRunwayMonths', '14 %', 'unit that does not fit'],
    ['revenueGrowthPercent', '2 % per month', 'unit that does not fit'],
    ['cashRunwayMonths', 'fourteen', 'has to be a number in digits, for example 6'],
    ['cashRunwayMonths', true, 'has to be a number in digits'],
    ['cashRunwayMonths', '0x10', 'more than one number'],
  ])('is refused: %s, %s', (name, value, why) => {
    const [refused, ...others] = violations({ metrics: { [name]: value } });
    expect([refused?.field, others]).toEqual([`metrics.${name}`, []]);
    expect(refused?.description).toContain(why);
  });

  it.each([
    ['Revenue a year, EUR', '$ 350k'],
    ['Umsatz in Mio. und Tsd. Euro', '€ 350k'],
    ['Revenue, thousand EUR', '350k'],
    ['Runway', '14 months'],
    ['Average review, stars out of 5', '4.6 out of 10'],
  ])('is not taken for another unit: %s, %s', (label, text) => {
    expect(violations({ ...tenth('one', label), metrics: { one: text } })).toHaveLength(1);
  });

  it('is ambiguous where the texts and the locale write differently', () => {
    const request = { metrics: { debtToEquity: '1.234', grossMarginPercent: '41,5' }, locale: 'en' };
    expect(violations(request).map(({ field }) => field)).toEqual(['metrics.debtToEquity']);
  });

  it('is named with all others, whatever they are', () => {
    const request = {
      metrics: { cashRunwayMonths: 'viele', grossMarginPercent: '40-50 %', customerCount: '12 Liter' },
      answers: { goalsReviewed: 'manchmal', registered: 'ja' },
      locale: 'de',
    };
    expect(violations(request).map(({ field }) => field)).toEqual([
      'metrics.cashRunwayMonths',
      'metrics.grossMarginPercent',
      'metrics.customerCount',
      'answers.goalsReviewed',
    ]);
    expect(violations(request)[2]?.description).toContain('Zahlende Kunden');
  });
});

describe('numbers as companies send them', () => {
  const one = (label: string, value: unknown, most = 1000) =>
    score({ ...tenth('one', label, most), metrics: { one: value } }).dimensions[0]?.drivers[0]?.score;

  it('may be in the unit that the label is called by', () => {
    expect(one('Hectáreas certificadas', '80 ha')).toBe(8);
    expect(one('Toneladas recogidas', '80 t')).toBe(8);
    expect(one('Kilomètres parcourus', '80 km')).toBe(8);
    expect(one('Milch je Kuh in Litern', '80 l')).toBe(8);
  });

  it('may be of the most that there is', () => {
    expect(one('Bewertung (Sterne)', '4,5 von 5', 5)).toBe(90);
    expect(one('Days with a log in the last 30', '27 of 30', 30)).toBe(90);
    expect(violations({ ...tenth('one', 'Days with a log', 30), metrics: { one: '27 of 31' } })).toHaveLength(1);
  });

  it.each(['NC', 'ND', 'n.c.', 'kA', 'NA'])('may be said to be unknown in short: %s', (value) => {
    expect(score({ metrics: { grossMarginPercent: value } }).coverage).toBe(0);
  });

  it('are no money where two numbers are divided', () => {
    expect(violations({ metrics: { debtToEquity: '$1.2m' } }).map(({ field }) => field)).toEqual([
      'metrics.debtToEquity',
    ]);
  });

  it('of a range are advised by one of them', () => {
    expect(violations({ metrics: { receivablesDays: 'between 30 and 45' } })[0]?.description).toContain(
      'give one number, for example 30',
    );
  });

  it.each([
    ['fr', 0, '0 point '],
    ['fr', 20, '2 points '],
    ['de', 10, '1 Punkt '],
    ['es', 10, '1 punto '],
    ['en', 10, '1 point;'],
  ])('are one or several points: %s %d', (locale, value, part) => {
    const { dimensions } = score({ ...tenth('one', 'Was zählt'), locale, metrics: { one: value } });
    expect(dimensions[0]?.drivers[0]?.message).toContain(part);
  });
});
