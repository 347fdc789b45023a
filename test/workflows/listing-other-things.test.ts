// Caravans, bicycles, animals and gifts are judged as what they are.
import { expect, it } from 'vitest';
import { ScoreListingRequestSchema } from '../../src/gen/intelligence/workflow/v1/readiness_pb.ts';
import { readinessFamily } from '../../src/workflows/families/readiness.ts';
import { ask } from './ask.ts';

const score = (title: string, description: string, category = '') =>
  ask(readinessFamily, ScoreListingRequestSchema, {
    listing: {
      title,
      description,
      category,
      images: [{ url: 'https://img.example/1.jpg' }],
      price: 450,
      currency: 'EUR',
    },
  });
const factOf = (reply: ReturnType<typeof score>, fact: string) => reply.facts.find(({ name }) => name === fact)?.value;

it('a French caravan has no odometer and no motor, and none is a car of the same name', () => {
  const caravane = score(
    'Caravane Caravelair Antarès 406',
    'De 2010, 4 couchages, auvent, très bon état. À retirer à Limoges.',
  );
  expect([caravane.kind, caravane.blockers]).toEqual(['vehicles', []]);
  expect(factOf(caravane, 'make')).toBe('Caravelair');
  const swift = score(
    'Swift Challenger 480 caravan',
    '2014, two berth, full awning, no damp. Collection from Preston.',
  );
  expect([factOf(swift, 'make'), factOf(swift, 'model'), swift.blockers]).toEqual(['Swift', 'Challenger', []]);
  expect(factOf(score('Suzuki Swift 1.2', 'Petrol, manual, 2014, 60,000 miles.'), 'make')).toBe('Suzuki');
});

it('what is given away in Spanish is no shelf', () => {
  const regalo = score('Regalo gatitos', 'Dos gatitos de dos meses, desparasitados. Recogida en Murcia.', 'Mascotas');
  expect([regalo.kind, regalo.blockers]).toEqual(['generic', []]);
  expect(score('Regal aus Eiche', '180 x 90 cm, guter Zustand. Abholung in Graz.').kind).toBe('furniture');
  expect(score('Regale, zwei Stück', '180 x 90 cm, guter Zustand. Abholung in Graz.').kind).toBe('furniture');
});

it.each([
  ['E-Bike Kalkhoff Endeavour 5', '2021, 500 Wh Akku, 4.200 km, Inspektion neu.', undefined],
  ['Rennrad Canyon', 'Kette neu, Reifen neu, guter Zustand.', 'good'],
  ['Rennrad Canyon', 'Nie gefahren, neu.', 'new'],
  ['Vélo de route', 'Chaîne neuve, bon état.', 'good'],
])('a new part makes no thing new: %s, %s', (title, description, condition) => {
  expect(factOf(score(title, description), 'condition')).toBe(condition);
});

it('puppies are sold vaccinated and microchipped', () => {
  const text = 'Five puppies born 12 October, vaccinated, microchipped, both parents can be seen. Viewing in Ludlow.';
  expect(score('Labrador puppies, KC registered', text).findings).toEqual([]);
});

it('a place may have its land behind it', () => {
  const boat = score('Segelboot Dehler 28', 'Von 1986, 8,50 m lang. Liegeplatz Neustadt in Holstein.');
  expect(factOf(boat, 'location')).toBe('Neustadt in Holstein');
});
