// What a seller denies, and shorter ways to say what a thing has.
import { expect, it } from 'vitest';
import { ScoreListingRequestSchema } from '../../src/gen/intelligence/workflow/v1/readiness_pb.ts';
import { readinessFamily } from '../../src/workflows/families/readiness.ts';
import { ask } from './ask.ts';

const factsOf = (category: string, description: string) =>
  Object.fromEntries(
    ask(readinessFamily, ScoreListingRequestSchema, {
      listing: { title: 'For sale', description, category },
    }).facts.map(({ name, value }) => [name, value]),
  );

it.each([
  ['vehicle', 'Seat Ibiza 2018 diésel, único dueño, nunca accidentado', { accidentFree: 'true' }],
  ['vehicle', 'Seat Ibiza, nunca ha tenido un accidente', { accidentFree: 'true' }],
  ['vehicle', 'Seat Ibiza accidentado, para piezas', { accidentFree: 'false' }],
  ['vehicle', 'Opel Corsa, hatte nie einen Unfall', { accidentFree: 'true' }],
  ['vehicle', 'Ford Focus, never been in an accident', { accidentFree: 'true' }],
  ['vehicle', "Peugeot 208, n'a jamais eu d'accident", { accidentFree: 'true' }],
  ['property', 'Maison 5 pièces à Nantes, 349 000 € FAI', { offer: 'sale', price: '349000' }],
  ['electronics', 'ThinkPad T14, 16 GB RAM, 512er SSD', { ramGb: '16', storageGb: '512' }],
])('%s: %s', (category, description, expected) => {
  expect(factsOf(category, description)).toMatchObject(expected);
});
