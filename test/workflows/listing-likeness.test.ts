// What looks like a thing of a kind and is none, or is one of which less is asked.
import { describe, expect, it } from 'vitest';
import { ScoreListingRequestSchema } from '../../src/gen/intelligence/workflow/v1/readiness_pb.ts';
import { readinessFamily } from '../../src/workflows/families/readiness.ts';
import { ask } from './ask.ts';

const score = (title: string, description: string, category = '') =>
  ask(readinessFamily, ScoreListingRequestSchema, {
    listing: {
      ...{ title, description, category, price: 60, currency: 'EUR', location: 'Graz' },
      images: [{ url: 'https://img.example/1.jpg' }],
    },
  });

describe('toys, models and parts', () => {
  it.each([
    ['Revell model car Porsche 911 1:24', 'Model kit of a Porsche 911, built once, with its box.', 'Toys'],
    ['Modellauto BMW M3 1:18 Minichamps', 'Stand nur in der Vitrine, alle Türen lassen sich öffnen.', 'Spielzeug'],
    ['Siku Traktor Spielzeug mit Anhänger', 'Mein Sohn hat damit gespielt, alle Räder drehen.', ''],
    ['Winterreifen 205/55 R16 für VW Golf, DOT 2019', 'Vier Winterreifen auf Felgen, 6 mm Profil.', 'Autoteile'],
    ['Front bumper BMW 3 Series E90', 'Front bumper for a BMW, black, all clips are there.', 'Car parts'],
    ['Voiture miniature Citroën 2CV Norev', 'Au 1/43, rouge, dans sa boîte.', ''],
    ['Coche de juguete teledirigido Ferrari', 'Con mando y cargador, mi hijo ya no lo usa.', ''],
  ])('are no vehicles: %s', (title, description, category) => {
    const { kind, blockers } = score(title, description, category);
    expect(kind).toBe('generic');
    expect(blockers).toEqual([]);
  });

  it('leave a car a car that has them', () => {
    const { kind, blockers } = score(
      'VW Golf 6 mit neuen Reifen',
      'VW Golf 6, Benzin, 98.000 km, Erstzulassung 2012, TÜV 03/2027. Schaltgetriebe, Kindersitz dabei.',
      'Autos',
    );
    expect(kind).toBe('vehicles');
    expect(blockers.map(({ check }) => check)).toEqual(['impossible-price']);
  });
});

describe('vehicles besides cars', () => {
  const blocking = (title: string, description: string) =>
    score(title, description, 'Motorcycles').blockers.map(({ check }) => check);

  it.each([
    ['Yamaha MT-07', 'Erstzulassung 04/2019, 18.500 km, 73 PS, TÜV bis 05/2027, unfallfrei.'],
    ['Honda CB500F 2018', 'Honda CB500F from 2018, 12,400 miles, MOT till June, never dropped.'],
    ['Kawasaki Z650', 'Kawasaki Z650, année 2020, 14 000 km, première main.'],
  ])('of a motorcycle no fuel is asked: %s', (title, description) => {
    expect(blocking(title, description)).not.toContain('fuel-given');
  });

  it('of a motorcycle the mileage is', () => {
    expect(blocking('Yamaha MT-07', 'Yamaha MT-07, Erstzulassung 04/2019, TÜV neu.')).toContain('mileage-given');
  });

  it('a trailer has neither fuel nor odometer', () => {
    const { blockers } = score('Westfalia trailer 750 kg', 'Trailer from 2015, new tyres, lights work.', 'Trailers');
    expect(blockers.map(({ check }) => check)).not.toContain('fuel-given');
    expect(blockers.map(({ check }) => check)).not.toContain('mileage-given');
  });
});

it('asks no storage of a washing machine', () => {
  const { basis } = score('Waschmaschine Bosch Serie 6', 'Bosch Serie 6, 8 kg, 1400 U/min, läuft einwandfrei.');
  expect(basis?.checks.find(({ id }) => id === 'storage-given')?.outcome).toBe('skipped');
});

it.each([
  'City bike, 7 gears, serviced in spring',
  'Sewing machine Singer, serviced last year',
  'Citybike frisch gewartet, Service neu',
  'Bicicleta revisada, servicio completo',
])('takes a thing that was serviced for no service: %s', (title) => {
  expect(score(title, 'Nice, ready to use. To be seen in the evening.').kind).toBe('generic');
});

it('takes repairs of bicycles for a service', () => {
  expect(score('Bike service and repairs', 'I fix your bike at home, 30 EUR per hour.', 'Services').kind).toBe(
    'services',
  );
});

describe('a category that contradicts the thing', () => {
  const misplaced = (title: string, description: string, category: string) => {
    const { basis, blockers, readinessScore, nextBestAction } = score(title, description, category);
    const found = basis?.checks.find(({ id }) => id === 'category-fits');
    return {
      message: found?.message,
      blocks: blockers.some(({ check }) => check === 'category-fits'),
      readinessScore,
      nextBestAction,
    };
  };

  it.each([
    [
      'VW Golf 7 1.6 TDI 2016',
      'Golf, 120.000 km, Schaltgetriebe, TÜV neu, unfallfrei.',
      'Autoteile',
      'ein ganzes Fahrzeug',
    ],
    [
      'Seat Ibiza 2015, ITV al día',
      'Vendo Seat Ibiza gasolina, cambio manual, 98.000 km.',
      'Piezas y recambios',
      'un vehículo entero',
    ],
    [
      '4 winter tyres for Golf 7',
      'Four winter tyres on steel rims, 6 mm left.',
      'Cars',
      'a part, an accessory or a toy',
    ],
    [
      'Jantes alu 17 pouces Peugeot 308',
      'Quatre jantes en bon état, pneus à changer.',
      'Voitures',
      'une pièce, un accessoire',
    ],
  ])('is told, and neither blocks nor costs points: %s', (title, description, category, words) => {
    const told = misplaced(title, description, category);
    expect(told.message).toContain(words);
    expect(told.blocks).toBe(false);
    const fitting = misplaced(title, description, 'Sonstiges');
    expect(fitting.message).toBeUndefined();
    expect(told.readinessScore).toBe(fitting.readinessScore);
  });

  it.each([
    ['VW Golf 7 1.6 TDI 2016', 'Golf, 120.000 km, Schaltgetriebe, TÜV neu.', 'Autos'],
    ['4 winter tyres for Golf 7', 'Four winter tyres on steel rims, 6 mm left.', 'Car parts'],
    ['VW Golf 6 mit neuen Reifen', 'Golf, Benzin, 98.000 km, Erstzulassung 2012, TÜV 03/2027.', 'Gebrauchtwagen'],
  ])('is none where it fits: %s', (title, description, category) => {
    expect(misplaced(title, description, category).message).toBeUndefined();
  });
});
