// What a thing cannot have is not asked for: land has no energy rating, and a caravan no gears.
import { expect, it } from 'vitest';
import { ScoreListingRequestSchema } from '../../src/gen/intelligence/workflow/v1/readiness_pb.ts';
import { readinessFamily } from '../../src/workflows/families/readiness.ts';
import { ask } from './ask.ts';

const outcomeOf = (check: string, title: string, description: string) =>
  ask(readinessFamily, ScoreListingRequestSchema, {
    listing: { title, description, location: 'Linz', images: [{ url: 'https://img.example/1.jpg' }] },
  }).basis?.checks.find((one) => one.id === check)?.outcome;

it.each([
  ['energy-given', 'Baugrundstück voll erschlossen', 'Grundstück mit 1.200 m², Kaufpreis 148.000 €.', 'skipped'],
  ['energy-given', 'Lock-up garage to rent', 'Dry single garage, available now, £75 per month.', 'skipped'],
  ['energy-given', 'Haus mit Garage', 'Haus mit 120 m² und 5 Zimmern, Garten, Kaufpreis 348.000 €.', 'failed'],
  ['energy-given', 'Piso con plaza de garaje', 'Piso de 85 m2, 3 habitaciones, 950 € al mes.', 'failed'],
  ['transmission-given', 'Hobby De Luxe Wohnwagen', 'Erstzulassung 2012, TÜV bis 8/2027, 11.500 €.', 'skipped'],
  ['transmission-given', 'VW ID.3 Pro', 'Baujahr 2021, 41 tkm, 58 kWh Akku, Elektro, 19.500 €.', 'skipped'],
  ['transmission-given', 'VW Golf 7', 'Baujahr 2017, 84 tkm, Diesel, 13.900 €.', 'failed'],
])('%s of %s', (check, title, description, outcome) => {
  expect(outcomeOf(check, title, description)).toBe(outcome);
});
