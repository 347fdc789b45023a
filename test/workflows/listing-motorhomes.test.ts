// A motorhome is its builder's, not that of the van below it.
import { describe, expect, it } from 'vitest';
import { readFacts } from '../../src/workflows/listing/facts.ts';

const factsOf = (title: string, description: string) =>
  Object.fromEntries(
    readFacts(`${title}\n${description}`, {}, 'vehicles').facts.map(({ name, value }) => [name, value]),
  );

describe('the make of a motorhome', () => {
  it.each([
    ['Swift Bolero 630EW 4 berth motorhome 2009', 'Fiat Ducato 2.3 diesel chassis, 41,000 miles.', 'Swift'],
    ['Wohnmobil Hymer B 544', 'Integriertes Wohnmobil auf Fiat Ducato 2.5 TDI, 187.000 km.', 'Hymer'],
    ['Fiat Ducato Hymer B 544 Wohnmobil', 'Bj. 1996, 187.000 km.', 'Hymer'],
    ['Camping-car Pilote Galaxy G740', 'Intégral sur Fiat Ducato 2.3 Multijet.', 'Pilote'],
    ['Autocaravana Ilusion XMK', 'Perfilada, chasis Ford Transit.', 'Ilusion'],
    ['Wohnwagen Hobby 560 KMF', 'Baujahr 2012.', 'Hobby'],
    ['2014 Lunar Clubman, 4 berth caravan', 'Motor mover fitted.', 'Lunar'],
    ['Wohnmobil, teilintegriert', 'Auf Ford Transit, Bj. 2005.', undefined],
    ['Motorhome, 6 berth', 'Built on a Mercedes Sprinter in 2006.', undefined],
    // A van that somebody has fitted out, and a word that names nobody.
    ['Wohnmobil Fiat Ducato Selbstausbau', 'Bj. 2008, Diesel.', 'Fiat'],
    ['VW T5 California camper van', '2.0 TDI, 2012.', 'Volkswagen'],
    ['Suzuki Swift 1.2', 'Petrol, 2014.', 'Suzuki'],
    ['VW Golf 7', 'Mein Hobby ist ein anderes. Auf Ford umgestiegen.', 'Volkswagen'],
    ['Ford Focus Turnier', 'Zog unseren Hymer Wohnwagen ohne Probleme.', 'Ford'],
  ])('%s. %s', (title, description, make) => {
    expect(factsOf(title, description).make).toBe(make);
  });

  it('has its own model beside it', () => {
    expect(factsOf('Swift Bolero 630EW motorhome', 'On a Fiat Ducato.').model).toBe('Bolero');
    expect(factsOf('Wohnmobil auf Fiat Ducato', 'Bj. 2005.').model).toBeUndefined();
  });
});
