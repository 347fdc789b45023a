// Percentages that were given as fractions: 0.96 for 96 %.
import { describe, expect, it } from 'vitest';
import { ScoreBusinessReadinessRequestSchema } from '../../src/gen/intelligence/workflow/v1/scoring_pb.ts';
import { scorecards, scoringFamily } from '../../src/workflows/families/scoring.ts';
import { ask } from './ask.ts';

const score = (json: object) => ask(scoringFamily, ScoreBusinessReadinessRequestSchema, json);

const own = (name: string, label: string, values: readonly number[], value: number) =>
  score({
    customScorecard: {
      name: 'own',
      dimensions: [
        {
          name: 'all',
          indicators: [{ name, label, curve: values.map((one, at) => ({ value: one, score: at === 0 ? 0 : 100 })) }],
        },
      ],
    },
    metrics: { [name]: value },
  });

describe('a percentage that looks like a fraction', () => {
  it('is told, and is no point for or against', () => {
    const metrics = {
      onTimeDeliveryPercent: 0.96,
      retentionPercent: 0.9,
      keyRolesFilledPercent: 1,
      systemUptimePercent: 0.999,
      largestCustomerPercent: 0.45,
      grossMarginPercent: 0.4,
    };
    const { impossibleValues, overallScore, coverage, nextBestAction } = score({ metrics });
    expect(impossibleValues.map(({ field }) => field.replace('metrics.', '')).sort()).toEqual(
      Object.keys(metrics).sort(),
    );
    expect(impossibleValues).toContainEqual({
      field: 'metrics.onTimeDeliveryPercent',
      message: 'Deliveries in time in percent: 0.96 looks like a fraction; give 96 for 96 %.',
    });
    expect(impossibleValues.map(({ message }) => message).join()).toMatch(/give 100 for 100 %.*give 99.9 for 99.9 %/);
    expect([overallScore, coverage]).toEqual([0, 0]);
    expect(nextBestAction).toMatch(/^Correct this value: .*looks like a fraction/);
  });

  it.each([
    ['de', '0,96 sieht nach einem Bruchteil aus; für 96 % geben Sie 96 an.'],
    ['es', '0,96 parece una fracción; indique 96 para un 96 %.'],
    ['fr', '0,96 semble être une fraction ; indiquez 96 pour 96 %.'],
  ])('is told in the reader’s language (%s)', (locale, words) => {
    const { impossibleValues } = score({ locale, metrics: { onTimeDeliveryPercent: 0.96 } });
    expect(impossibleValues[0]?.message).toContain(words);
  });

  it.each([
    ['termintreueProzent', 'Pünktliche Lieferungen', [70, 98], 0.97],
    ['puntualidad', 'Porcentaje de entregas a tiempo', [70, 98], 0.97],
    ['ponctualite', 'Pourcentage de livraisons à l’heure', [70, 98], 0.97],
    ['bruttomarge', 'Bruttomarge in Prozent', [0, 20, 60], 0.4],
  ])('is told in scorecards of one’s own: %s', (name, label, values, value) => {
    expect(own(name, label, values, value).impossibleValues).toHaveLength(1);
  });

  it.each([
    ['defectPercent', 'Defective, %', [0, 5, 10], 0.4],
    ['churnPercent', 'Customers who leave, churn in percent', [5, 30], 0.8],
    ['fluktuationProzent', 'Fluktuation in Prozent', [5, 30], 0.8],
    ['tasaDeDevoluciones', 'Tasa de devoluciones', [5, 30], 0.8],
    ['tauxDAbsenteisme', 'Taux d’absentéisme', [5, 30], 0.8],
    ['revenueGrowthPercent', 'Growth in percent', [0, 15, 40], 0.5],
    ['netMarginPercent', 'Net margin in percent', [0, 10, 20], 0.8],
    ['shareOnTime', 'Share of deliveries on time', [0.7, 1], 0.9],
    ['smallPercent', 'Orders changed by phone, in percent', [0, 1, 10], 0.5],
    ['debtToEquity', 'Debt divided by equity', [0, 5], 0.5],
    ['onTimePercent', 'Deliveries on time, %', [70, 98], 0],
    ['onTimePercent', 'Deliveries on time, %', [5, 98], 1],
  ])('is none where such values are usual: %s', (name, label, values, value) => {
    expect(own(name, label, values, value).impossibleValues).toEqual([]);
  });
});

const best = {
  metrics: Object.fromEntries(
    shipped().flatMap(({ name, curve }) => {
      const [top] = curve.toSorted((a, b) => b.score - a.score);
      return top ? [[name, top.value]] : [];
    }),
  ),
  answers: Object.fromEntries(
    shipped().flatMap(({ name, choices }) => {
      const [top] = Object.entries(choices).sort(([, a], [, b]) => b - a);
      return top ? [[name, top[0]]] : [];
    }),
  ),
};

function shipped() {
  return [...scorecards.values()].flatMap(({ dimensions }) => dimensions.flatMap((one) => one.indicators));
}

describe('a scorecard’s words', () => {
  it('gives a dimension of which little is known no rating', () => {
    const { dimensions } = score({
      metrics: { receivablesDays: 10 },
      answers: { registered: 'yes', taxesPaid: 'yes' },
    });
    const ratings = dimensions.filter(({ score }) => score !== undefined).map(({ name, rating }) => [name, rating]);
    expect(ratings).toEqual([
      ['finance', ''],
      ['compliance', 'A'],
    ]);
  });

  it('has a space before a French semicolon', () => {
    expect(score({ locale: 'fr', metrics: {} }).nextBestAction).toMatch(/^\S.* ; .* ; .*\.$/);
    expect(score({ locale: 'es', metrics: {} }).nextBestAction).not.toContain(' ;');
  });

  it.each([
    ['en', 'everything hangs', 'much hangs'],
    ['de', 'alles abhängt', 'vieles abhängt'],
    ['es', 'depende todo', 'depende mucho'],
    ['fr', 'dont tout dépend', 'dont beaucoup dépend'],
  ])('says how much hangs on one person (%s)', (locale, high, medium) => {
    const action = (founderDependence: string) =>
      score({ locale, metrics: best.metrics, answers: { ...best.answers, founderDependence } }).nextBestAction;
    expect(action('high')).toContain(high);
    expect(action('medium')).toContain(medium);
  });
});

it('a percentage with its sign is none, however small', () => {
  const { impossibleValues, coverage } = score({
    metrics: { onTimeDeliveryPercent: 0.97, multiFactorPercent: '0,5 %', singleSupplierPercent: '0.5 percent' },
  });
  expect(impossibleValues.map(({ field }) => field)).toEqual(['metrics.onTimeDeliveryPercent']);
  expect(coverage).toBeGreaterThan(0);
});
