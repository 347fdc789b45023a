// The year that stands beside a vehicle's name is its own, whatever else has a year.
import { describe, expect, it } from 'vitest';
import { readFacts } from '../../src/workflows/listing/facts.ts';

const yearOf = (description: string) =>
  readFacts(`Offer\n${description}`, {}, 'vehicles').facts.find(({ name }) => name === 'year')?.value;

describe('the year of a vehicle', () => {
  it.each([
    ['Moto Yamaha MT-07 de 2020, 14.300 km.', '2020'],
    ['Motor revisado. Yamaha MT-07 del 2020.', '2020'],
    ['ITV hasta 2027, Yamaha MT-07 de 2020, 14.300 km.', '2020'],
    ['Moto Honda CB500F año 2019, siempre en garaje.', '2019'],
    ['TÜV neu, Golf 7 Variant von 2017, 84.000 km.', '2017'],
    ['Neue Reifen, Golf von 2017.', '2017'],
    ['CT ok, Clio de 2018, 45 000 km.', '2018'],
    ['Pneus neufs, Clio 4 de 2018.', '2018'],
    ['Long MOT! 2016 Ford Fiesta, 54,000 miles.', '2016'],
    ['New brakes. Ford Transit Custom from 2016.', '2016'],
    ['New Beetle von 2002, 120.000 km.', '2002'],
    ['Wartburg von 1986, fahrbereit.', '1986'],
  ])('%s', (description, year) => {
    expect(yearOf(description)).toBe(year);
  });

  it.each([
    'Golf, Reifen von 2023.',
    'Golf Reifen von 2023.',
    'Yamaha, neumáticos de 2024, batería de 2023.',
    'Yamaha neumáticos de 2024.',
    'Clio, pneus de 2024.',
    'Ford Fiesta, MOT until May 2027.',
    'Fiesta with new tyres from 2024.',
    'Clutch done in 2023. Ford Fiesta, 54,000 miles.',
    'Golf, TÜV bis 2027.',
  ])('but not in: %s', (description) => {
    expect(yearOf(description)).toBeUndefined();
  });
});
