// Wordings that customers met: each says what was given, in the reader's language.
import { describe, expect, it } from 'vitest';
import { ScoreListingRequestSchema } from '../../src/gen/intelligence/workflow/v1/readiness_pb.ts';
import { readinessFamily } from '../../src/workflows/families/readiness.ts';
import { ask } from './ask.ts';

const told = (locale: string, category: string, description: string, attributes: Record<string, unknown>) =>
  ask(readinessFamily, ScoreListingRequestSchema, {
    locale,
    listing: { title: 'Pixel 7', description, category, attributes },
  })
    .blockers.filter(({ check }) => check.startsWith('contradiction-'))
    .map(({ message }) => message);

describe('a contradiction of condition', () => {
  it.each([
    ['en', 'New', 'Sold for parts.', 'The field gives the condition as new, the text as broken.'],
    ['de', 'Neu', 'Geht leider nicht mehr an.', 'Der Zustand ist laut Feld neu, laut Text defekt.'],
    ['es', 'Nuevo', 'No enciende.', 'Estado según el campo: nuevo; según el texto: averiado.'],
    ['fr', 'Neuf', "Il ne s'allume plus.", 'État selon le champ : neuf ; selon le texte : en panne.'],
    ['en', 'Good', 'It does not turn on.', 'The field gives the condition as good, the text as broken.'],
    ['en', 'for parts', 'In very good condition.', 'The field gives the condition as broken, the text as very good.'],
    [
      'de',
      'defekt',
      'Das Handy ist neuwertig, sehr guter Zustand.',
      'Der Zustand ist laut Feld defekt, laut Text sehr gut.',
    ],
    ['es', 'averiado', 'Está en buen estado.', 'Estado según el campo: averiado; según el texto: bueno.'],
    ['fr', 'en panne', 'Il est en bon état.', 'État selon le champ : en panne ; selon le texte : bon.'],
    ['en', 'New', 'Used daily for three years.', 'The field gives the condition as new, the text as used.'],
  ])('is told as it was given (%s, %s: %s)', (locale, condition, description, message) => {
    expect(told(locale, 'Phones', description, { condition })).toEqual([message]);
  });

  it.each([
    ['New', 'Brand new, sealed.'],
    ['Good', 'Good condition, used for two years.'],
    ['for parts', 'Sold for parts, the display is broken.'],
    ['Like new', 'Like new, no scratches.'],
    ['Used', 'It does not turn on.'],
  ])('is none where both say the same (%s: %s)', (condition, description) => {
    expect(told('en', 'Phones', description, { condition })).toEqual([]);
  });
});

describe('a value of a field', () => {
  it.each([
    ['de', 'Autos', 'Schöner Wagen. Diesel, 110 PS.', { fuel: 'petrol' }, 'Benzin und „Diesel“'],
    ['es', 'Coches', 'Motor diésel de 110 CV.', { fuel: 'petrol' }, 'gasolina y «diésel»'],
    ['fr', 'Voitures', 'Moteur diesel de 110 ch.', { fuel: 'petrol' }, 'essence et « diesel »'],
    ['en', 'Cars', 'A diesel with 110 bhp.', { fuel: 'Benzin' }, 'petrol, and "diesel"'],
    ['fr', 'Locations', 'Appartement meublé, 40 m².', { furnished: false }, 'non meublé et « meublé »'],
    ['de', 'Wohnungen', 'Wohnung, möbliert, 40 m².', { furnished: false }, 'unmöbliert und „möbliert“'],
    ['es', 'Pisos', 'Piso amueblado, 40 m².', { furnished: false }, 'sin amueblar y «amueblado»'],
    ['de', 'Autos', 'Mit Automatik.', { gearbox: 'manual' }, 'Schaltgetriebe und „Automatik“'],
    ['fr', 'Voitures', 'Boîte automatique.', { gearbox: 'manual' }, 'manuelle et « automatique »'],
    ['de', 'Autos', 'Unfallfrei.', { accidentFree: false }, 'nicht unfallfrei und „Unfallfrei“'],
    ['es', 'Empleo', 'Jornada completa.', { workload: 'part-time' }, 'jornada parcial y «Jornada completa»'],
  ])('is told in words of the reply (%s, %s: %s %o)', (locale, category, description, attributes, words) => {
    expect(told(locale, category, description, attributes).join()).toContain(words);
  });

  it('that is a number stays as it is', () => {
    expect(told('de', 'Autos', 'Baujahr 2012, Diesel.', { year: '2016' }).join()).toContain('2016 und „Baujahr 2012“');
  });
});
