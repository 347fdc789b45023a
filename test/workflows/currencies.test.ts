// Money in any currency of ISO 4217, with its sign, its code or both, and in its hundredths.
import { describe, expect, it } from 'vitest';
import { WriteDecisionMemoRequestSchema } from '../../src/gen/intelligence/workflow/v1/decision_pb.ts';
import { ScoreBusinessReadinessRequestSchema } from '../../src/gen/intelligence/workflow/v1/scoring_pb.ts';
import { decisionFamily } from '../../src/workflows/families/decision.ts';
import { readQuantity } from '../../src/workflows/families/quantity.ts';
import { scoringFamily } from '../../src/workflows/families/scoring.ts';
import { ask, prepare, refusedFields } from './ask.ts';

describe('a sum of money', () => {
  it.each([
    ['MXN 1,850', 'mxn', '1850', 1],
    ['1.850 mxn', 'mxn', '1850', 1],
    ['$1,250,000 MXN', 'mxn', '1,250,000', 1],
    ['MXN 4.5 millones', 'mxn', '4.5', 1_000_000],
    ['$4.5 millones MXN', 'mxn', '4.5', 1_000_000],
    ['€ 300 EUR', 'eur', '300', 1],
    ['US$ 95', 'usd', '95', 1],
    ['R$ 120', 'brl', '120', 1],
    ['45 kPLN', 'pln', '45', 1_000],
    ['1 200 zł', 'pln', '1 200', 1],
    ['12 ALL', 'all', '12', 1],
  ])('is read: %s', (text, measure, number, times) => {
    expect(readQuantity(text)).toMatchObject({ measure, number, times });
  });

  it.each(['12 all', '3 cup', '5 top', '30 Sek.', '$5 EUR', '£300 MXN', '20 kgs'])('is not %s', (text) => {
    expect(readQuantity(text)?.measure ?? 'mass').toBe('mass');
  });

  it.each([
    ['$98 per month', 'usd/year', 12],
    ['£38,400 per year', 'gbp/year', 1],
    ['95 mil MXN al mes', 'mxn/year', 12],
    ['31,2 ct/kWh', 'eur/energy', 0.01],
  ])('with a period or a thing after its sign is read: %s', (text, measure, factor) => {
    expect(readQuantity(text)).toMatchObject({ measure, factor });
  });
});

describe('a decision', () => {
  const cheaper = (first: unknown, second: unknown, name = 'price', more: object = {}) =>
    ask(decisionFamily, WriteDecisionMemoRequestSchema, {
      question: 'Which offer?',
      options: [
        { name: 'First', attributes: { [name]: first } },
        { name: 'Second', attributes: { [name]: second } },
      ],
      criteria: [{ name }],
      ...more,
    });

  it.each([
    ['price', '£4,200 per month', '£38,400 per year', 'Second'],
    ['price', '$98 per month', '$310 per quarter', 'First'],
    ['alquiler', '95 mil MXN al mes', '78,000 MXN al mes', 'Second'],
    ['unit price', '31,2 ct/kWh', '0,29 €/kWh', 'Second'],
    ['price', '95 pence', '£0.90', 'Second'],
    ['salary expectation', '£34k', '£38,000 a year', 'First'],
    ['rent', '900 €', '850 €/month', 'Second'],
  ])('compares %s of %s and %s', (name, first, second, winner) => {
    const reply = cheaper(first, second, name);
    expect(reply.recommendation?.option).toBe(winner);
    expect(reply.missingFacts).toEqual([]);
  });

  it.each([
    ['price', 'MXN 1,850', 'USD 95'],
    // Once, or every year: of a price nobody knows, and a rent of a year would be another amount.
    ['price', '£34k', '£38,000 a year'],
    ['rent', '900 €', '9.600 €/Jahr'],
    ['rent', '900 €', '85 €/day'],
  ])('does not compare %s of %s and %s', (name, first, second) => {
    expect(cheaper(first, second, name).recommendation?.option).toBe('');
  });

  it.each(['none', 'free of charge', 'kostenlos', 'sin copago', 'ohne Gebühr', 'inclus'])(
    'takes “%s” among amounts of money for 0, and says so',
    (word) => {
      const reply = cheaper('5 €', word, 'fee', { locale: 'en' });
      expect(reply.recommendation?.option).toBe('Second');
      expect(reply.assumptions).toContain(`“${word}” at fee counts as 0.`);
      expect(reply.missingFacts).toEqual([]);
    },
  );

  it.each([
    ['£300', 'high'],
    ['£300', 'very low'],
    ['12 days', 'kostenlos'],
    ['£300', 'no idea'],
    ['£300', 'kein Angebot'],
    [40, 'good'],
  ])('does not take a word among amounts for a mark: %s and %s', (first, second) => {
    const reply = cheaper(first, second, 'cost');
    expect(reply.missingFacts).toEqual(['cost of Second']);
  });

  it('reads square feet as who writes them does', () => {
    const reply = cheaper('2,000 sq ft', '1,900 sq ft', 'floor space');
    expect(reply.ranking.map(({ criteria }) => criteria[0]?.value)).toEqual([2000, 1900]);
  });
});

describe('a scorecard', () => {
  const card = (label: string) => ({
    name: 'sales',
    dimensions: [
      {
        name: 'sales',
        indicators: [
          {
            name: 'sales',
            label,
            curve: [
              { value: 0, score: 0 },
              { value: 10_000_000, score: 100 },
            ],
          },
        ],
      },
    ],
  });
  const request = (label: string, sales: unknown) => ({
    customScorecard: card(label),
    metrics: { sales },
    locale: 'es-MX',
  });

  it.each([
    ['Ventas anuales en MXN', 'MXN 4.5 millones', 45],
    ['Ventas anuales en MXN', '$4,500,000', 45],
    ['Ventas anuales en MXN', '4.5 millones MXN', 45],
    ['Revenue in EUR', '9,000,000 ct', 0.9],
    ['Revenue in EUR', '100,000 € per month', undefined],
    ['Annual revenue in EUR', '100,000 € per month', 12],
  ])('in %s takes %s', (label, sales, score) => {
    const result = prepare(scoringFamily, ScoreBusinessReadinessRequestSchema, request(label, sales));
    if (score === undefined) expect(refusedFields(result)).toEqual(['metrics.sales']);
    else
      expect(ask(scoringFamily, ScoreBusinessReadinessRequestSchema, request(label, sales)).overallScore).toBe(score);
  });

  it.each([
    ['Ventas anuales en MXN', '220 mil USD'],
    ['Ventas anuales en EUR', '$ 5,000,000'],
    ['Ventas anuales en MXN', '4 millones COP'],
  ])('in %s refuses %s', (label, sales) => {
    const result = prepare(scoringFamily, ScoreBusinessReadinessRequestSchema, request(label, sales));
    expect(refusedFields(result)).toEqual(['metrics.sales']);
  });
});
