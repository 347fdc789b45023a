import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ScoreListingRequestSchema } from '../../src/gen/intelligence/workflow/v1/readiness_pb.ts';
import { ScoreBusinessReadinessRequestSchema } from '../../src/gen/intelligence/workflow/v1/scoring_pb.ts';
import { readinessFamily } from '../../src/workflows/families/readiness.ts';
import { scoringFamily } from '../../src/workflows/families/scoring.ts';
import { ask } from './ask.ts';

// Ten thousand of each, from a seed; a busy machine may take its time.
const runs = { seed: 22, numRuns: 10_000 };
const patience = 600_000;

const things = [
  ['Opel Corsa 1.2 Benziner', 'Scheckheft gepflegt, Garagenwagen, Winterreifen dabei, Nichtraucher, aus Hamburg.'],
  [
    'Solid oak dining table for six',
    'Made by a carpenter in Graz, 180 x 90 cm, good condition, one light scratch on a long side.',
  ],
  [
    'Piso luminoso en el centro',
    'Dos dormitorios, 68 m2, tercera planta con ascensor, cerca del mercado y de la estación.',
  ],
  [
    'iPhone 13 128 GB',
    'Bought with invoice, box and cable are included, the screen has never been repaired by anybody.',
  ],
  [
    'Cuisinier recherché',
    'Cuisine de saison pour soixante couverts, service du soir, logement possible, équipe de cinq.',
  ],
  ['Maths lessons', 'Patient teacher with much experience, lessons at home or in a library of your choice.'],
  ['Winter jacket', 'Warm and light, with a hood and two pockets, washed and ready to wear for the cold months.'],
] as const;
const extras = {
  price: 420,
  currency: 'EUR',
  location: 'Graz',
  contact: 'Through the site',
  images: ['a', 'b', 'c'].map((name) => ({
    url: `https://img.example/${name}.jpg`,
    caption: 'The thing',
    width: 1600,
  })),
} as const;
const attributes = {
  condition: 'good',
  mileage: 61400,
  year: 2018,
  fuel: 'petrol',
  area: 68,
  rooms: 3,
  size: 'M',
  employer: 'Hotel Post',
  contract: 'permanent',
  model: 'XY12',
};
const categories = [
  'Cars',
  'Gebrauchtwagen',
  'Furniture',
  'Wohnung mieten',
  'Phones',
  'Jobs',
  'Services',
  'Ropa',
  'Other',
  'Sport',
];

it('a true fact more never lowers a listing’s score, nor takes its readiness, and no category does', {
  timeout: patience,
}, () => {
  const listing = fc.record({
    thing: fc.constantFrom(...things),
    given: fc.subarray(Object.keys(extras) as (keyof typeof extras)[]),
    known: fc.subarray(Object.keys(attributes) as (keyof typeof attributes)[]),
    more: fc.constantFrom(...Object.keys(extras), ...Object.keys(attributes)),
    category: fc.constantFrom(...categories),
    step: fc.constantFrom('category', 'fact'),
  });
  let readyOnes = 0;
  fc.assert(
    fc.property(listing, ({ thing: [title, description], given, known, more, category, step }) => {
      const make = (names: readonly string[], facts: readonly string[], of: string) => ({
        title,
        description,
        ...Object.fromEntries(Object.entries(extras).filter(([name]) => names.includes(name))),
        attributes: Object.fromEntries(Object.entries(attributes).filter(([name]) => facts.includes(name))),
        category: of,
      });
      const judge = (json: unknown) => ask(readinessFamily, ScoreListingRequestSchema, { listing: json });
      const before = judge(make(given, known, step === 'category' ? '' : category));
      const after =
        step === 'category'
          ? judge(make(given, known, category))
          : judge(make([...given, more], [...known, more], category));
      const isContradiction = after.blockers.some(({ check }) => /^(contradiction|impossible)-/.test(check));
      if (isContradiction) return;
      // A price without its currency asks for one; the two belong together.
      if (step === 'fact' && more === 'price' && !given.includes('currency')) return;
      if (before.ready) readyOnes++;
      expect(after.readinessScore).toBeGreaterThanOrEqual(before.readinessScore);
      if (before.ready) expect(after.ready).toBe(true);
      if (!after.ready) expect(after.nextBestAction).not.toMatch(/publish/i);
    }),
    runs,
  );
  expect(readyOnes).toBeGreaterThan(500);
});

it('a better value never lowers a scorecard’s score or rating, and the best answer more neither', {
  timeout: patience,
}, () => {
  const indicators = ['a', 'b', 'c', 'registered'];
  const card = fc.record({
    weights: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 4, maxLength: 4 }),
    values: fc.array(fc.option(fc.integer({ min: 0, max: 10 })), { minLength: 4, maxLength: 4 }),
    at: fc.nat(3),
    by: fc.integer({ min: 1, max: 10 }),
  });
  const rank = (rating: string) => ['', 'E', 'D', 'C', 'B', 'A'].indexOf(rating);
  let rated = 0;
  fc.assert(
    fc.property(card, ({ weights, values, at, by }) => {
      const judge = (known: readonly (number | null)[]) =>
        ask(scoringFamily, ScoreBusinessReadinessRequestSchema, {
          metrics: Object.fromEntries(
            indicators.flatMap((name, index) => (known[index] == null ? [] : [[name, known[index]]])),
          ),
          customScorecard: {
            name: 'c',
            dimensions: [0, 2].map((from) => ({
              name: `d${from}`,
              weight: from + 1,
              indicators: indicators.slice(from, from + 2).map((name, index) => ({
                name,
                weight: weights[from + index],
                curve: [
                  { value: 0, score: 0 },
                  { value: 10, score: 100 },
                ],
              })),
            })),
          },
        });
      const was = values[at] ?? null;
      const better = values.map((value, index) =>
        index === at ? (was === null ? 10 : Math.min(10, was + by)) : value,
      );
      const [before, after] = [judge(values), judge(better)];
      expect(after.overallScore).toBeGreaterThanOrEqual(before.overallScore);
      if (before.rating === '') return;
      rated++;
      expect(rank(after.rating)).toBeGreaterThanOrEqual(rank(before.rating));
    }),
    runs,
  );
  expect(rated).toBeGreaterThan(1000);
});
