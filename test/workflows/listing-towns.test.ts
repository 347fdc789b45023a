// Towns that are known by name say where a thing is, also without a word for a place.
import { describe, expect, it } from 'vitest';
import { ScoreListingRequestSchema } from '../../src/gen/intelligence/workflow/v1/readiness_pb.ts';
import { readinessFamily } from '../../src/workflows/families/readiness.ts';
import { readFacts } from '../../src/workflows/listing/facts.ts';
import type { Kind } from '../../src/workflows/listing/patterns/pattern.ts';
import { ask } from './ask.ts';

const placeIn = (kind: Kind, text: string) => readFacts(text, {}, kind).facts.find(({ name }) => name === 'location');

describe('a known town', () => {
  it.each<[Kind, string, string | undefined]>([
    // After a preposition.
    ['jobs', 'Weekend barista\nA coffee house is looking for a barista in York. 16 hours a week.', 'York'],
    ['jobs', 'Aushilfe\nBäckerei Hollmann GmbH in Bremen sucht eine Aushilfe.', 'Bremen'],
    ['jobs', 'Repartidor\nBuscamos repartidor para fines de semana en Rosario, medio tiempo.', 'Rosario'],
    ['jobs', 'Apprenti\nLa boulangerie Maison Perrin à Annecy recrute un apprenti.', 'Annecy'],
    ['property', 'Double room\nLarge room in Bristol BS5, all bills included.', 'Bristol'],
    ['jobs', 'Koch\nArbeit in Teilzeit, in Festanstellung.', undefined],
    ['vehicles', 'Audi A3\nIn Hamburg gekauft, Winterreifen in Ordnung.', undefined],
    ['vehicles', 'Audi A3\nBought in Leeds, never let me down.', undefined],
    ['property', 'Studio flat\n20 minutes from the sea.', undefined],
    // On its own, between commas and the like.
    ['jobs', 'Ausbildung\nElektro Sanders GmbH & Co. KG, Oldenburg. Beginn 01.08.', 'Oldenburg'],
    ['vehicles', 'Touring caravan\nNo leaks. £4,995 ono, Skegness', 'Skegness'],
    ['services', 'Cours de piano\n30 €/h, premier cours offert. Namur et environs', 'Namur'],
    ['vehicles', 'Roller\nPreis 750 €, 6020 Innsbruck', '6020 Innsbruck'],
    ['vehicles', 'Wohnwagen\nPreis 750 €, Koeln.', 'Koeln'],
    ['vehicles', 'Roller\nPreis 750 €, Leipzig-Plagwitz.', 'Leipzig-Plagwitz'],
    ['vehicles', 'Seat, Toledo, Benzin\nGut gepflegt.', undefined],
    ['generic', 'Guitarra\nMuy buen estado. 380 €. Oviedo', 'Oviedo'],
    ['furniture', 'Armoire\nDémontable. 250 € à débattre, Caen', 'Caen'],
    ['generic', 'Tickets for the final\nTwo seats. London. Transfer by app.', undefined],
    ['generic', 'Road atlas\nWith plans of London, Berlin and Madrid on big pages.', undefined],
    // A word for a place comes first.
    ['services', 'Plumber, Derby\nBased in Sheffield.', 'Sheffield'],
    ['vehicles', 'Transit\nNo VAT. Located Doncaster', 'Doncaster'],
    ['vehicles', 'Motorboot\nLiegt am Bodensee in Kressbronn.', 'Kressbronn'],
    ['services', 'Plumber\nCovering Nottingham and surrounding areas.', 'Nottingham'],
    ['services', 'Limpieza\nMínimo 3 horas. Zona Vallecas y centro de Madrid', 'Vallecas'],
  ])('of %s: %s', (kind, text, place) => expect(placeIn(kind, text)?.value).toBe(place));
});

it('serves the area that the text names', () => {
  const { ready, blockers } = ask(readinessFamily, ScoreListingRequestSchema, {
    listing: {
      title: 'Local plumber, no call out charge',
      description: 'Gas Safe registered plumber. Leaks, taps, toilets, boilers. £55 per hour. Covering Nottingham.',
      price: 55,
      currency: 'GBP',
    },
  });
  expect(blockers).toEqual([]);
  expect(ready).toBe(true);
});
