// Marks and facts that were false: of makers' names, of postage, of private sellers.
import { describe, expect, it } from 'vitest';
import { ScoreListingRequestSchema } from '../../src/gen/intelligence/workflow/v1/readiness_pb.ts';
import { readinessFamily } from '../../src/workflows/families/readiness.ts';
import { ask } from './ask.ts';

const score = (title: string, description: string, category: string, price = 320, currency = 'EUR') =>
  ask(readinessFamily, ScoreListingRequestSchema, {
    listing: {
      ...{ title, description, category, price, currency, location: 'Graz' },
      images: [{ url: 'https://img.example/1.jpg' }],
    },
  });
const factOf = (reply: ReturnType<typeof score>, name: string) => reply.facts.find((one) => one.name === name)?.value;

describe('capital letters of names and units are no shouting', () => {
  it.each([
    ['BMW 320d 2015', 'passed'],
    ['2018 Audi A4 2.0 TDI', 'passed'],
    ['PS5 DIGITAL 825 GB', 'passed'],
    ['VENDO COCHE BARATO', 'failed'],
    ['BEST DEAL EVER, BUY NOW', 'failed'],
    ['SOFA GÜNSTIG ZU VERKAUFEN', 'failed'],
  ])('%s: %s', (title, outcome) => {
    const { basis } = score(title, 'In good condition, ready to be collected.', '');
    expect(basis?.checks.find(({ id }) => id === 'title-not-shouting')?.outcome).toBe(outcome);
  });
});

it.each([
  ['Verkäufer (m/w/d)', 'Für unsere Filiale suchen wir einen Verkäufer in Vollzeit, unbefristet, zum Beraten.'],
  ['Cook', 'We are looking for a cook, full time. Cooking lunch and dinner for sixty guests.'],
  ['Cocinero', 'Buscamos un cocinero para nuestro equipo, jornada completa, contrato indefinido.'],
  ['Cuisinier', 'Nous cherchons un cuisinier pour notre salle, temps plein, CDI, le midi seulement.'],
])('"our branch" names no employer, but is enough: %s', (title, description) => {
  const reply = score(title, description, 'Jobs');
  expect(factOf(reply, 'employer')).toBeUndefined();
  expect(reply.blockers).toEqual([]);
});

it.each([
  ['Very good condition. £6 postage, or collect from Leeds.', 'Phones'],
  ['Very good condition. Postage is £6.', 'Phones'],
  ['Guter Zustand. 6 € Versand, oder Abholung.', 'Handys'],
  ['Guter Zustand. Porto: 6 Euro.', 'Handys'],
  ['Buen estado. Gastos de envío 6 €.', 'Móviles'],
  ['Bon état. Frais de port 6 €.', 'Téléphones'],
  ['Bon état. Ajoutez 6 € de frais de port, colis suivi.', 'Téléphones'],
])('postage is no price: %s', (description, category) => {
  const reply = score('iPhone 13 128 GB', description, category);
  expect(factOf(reply, 'price')).toBeUndefined();
  expect(reply.findings.filter(({ category }) => category === 'advance_fee')).toEqual([]);
});

it.each([
  ['Lederjacke Gr. 50', 'Zweimal getragen, sehr guter Zustand.', 'very good'],
  ['Jacket size M', 'Worn twice, very good condition.', 'very good'],
  ['Chaqueta talla M', 'Usada dos veces, muy buen estado.', 'very good'],
  ['Veste taille M', "D'occasion, très bon état.", 'very good'],
  ['Jacke Gr. 50', 'Zweimal getragen, mit einem Fleck.', 'used'],
])('what is said of the condition counts more than that it was used: %s: %s', (title, description, condition) => {
  expect(factOf(score(title, description, 'Fashion'), 'condition')).toBe(condition);
});

it.each(['Guter Zustand. Privatverkauf, keine Rücknahme.', 'Good condition, size M. Private sale, no returns.'])(
  'a private seller takes nothing back: %s',
  (description) => {
    expect(score('Jacke Gr. 50', description, 'Fashion').findings).toEqual([]);
  },
);

it.each([
  ['Room in Leeds', 'Double room, 12 sqm, full time student, let from May. No DSS, apply now.', 'Rooms'],
  ['Waitress', 'Waitress wanted, women only, full time, 12 per hour. Apply.', 'Jobs'],
])('words of every room and job are no marks of discrimination: %s', (title, description, category) => {
  const text = `${title}\n${description}`;
  const marks = score(title, description, category).findings.map(({ start, end }) => text.slice(start, end));
  expect(marks.length).toBeGreaterThan(0);
  expect(marks.filter((mark) => /^(?:apply|full time|let|flat|per hour)$/i.test(mark))).toEqual([]);
});

it('still marks a dealer who takes nothing back', () => {
  expect(score('Jacket size M', 'Our shop has more. Good condition, no returns.', 'Fashion').findings).not.toEqual([]);
});

it.each([
  ['Damenfahrrad 28 Zoll', 1_800_000, 'EUR', true],
  ['Trek mountain bike', 1_800_000, 'GBP', true],
  ['Vélo de ville', 1_800_000, 'EUR', true],
  ['Bicicleta de paseo', 1_800_000, 'EUR', true],
  ['Bicicleta de paseo', 1_800_000, 'COP', false],
  ['Damenfahrrad 28 Zoll', 1_800, 'EUR', false],
])('%s for %s %s is impossible: %s', (title, price, currency, isImpossible) => {
  const { blockers } = score(title, 'Seven gears, good condition, new tyres.', 'Sport', price, currency);
  expect(blockers.some(({ check }) => check === 'impossible-price')).toBe(isImpossible);
});

it.each([
  ['Kittens', 'Vaccinated, chipped, with their mother until twelve weeks. £450 each.', undefined],
  ['Labrador puppy', 'Chipped and wormed, ready to leave on Saturday. £900.', undefined],
  ['China cup', 'Blue flowers, slightly chipped at the rim. £3.', 'used'],
])('animals are chipped by a vet, and cups otherwise: %s', (title, description, condition) => {
  expect(factOf(score(title, description, ''), 'condition')).toBe(condition);
});
