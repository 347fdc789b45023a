// What is let is not always a home: tents, drills and vans are hired by the day, and ask for no area, rooms or first registration.
import { describe, expect, it } from 'vitest';
import { ScoreListingRequestSchema } from '../../src/gen/intelligence/workflow/v1/readiness_pb.ts';
import { readinessFamily } from '../../src/workflows/families/readiness.ts';
import { ask } from './ask.ts';

const score = (title: string, description: string) =>
  ask(readinessFamily, ScoreListingRequestSchema, {
    listing: { title, description, location: 'Linz', images: [{ url: 'https://img.example/1.jpg' }] },
  });

describe('things for hire', () => {
  it.each([
    ['Bohrmaschine zu vermieten', 'Hilti TE 30, 15 € pro Tag, 60 € pro Woche, Kaution 100 €. Abholung in Linz.', 15],
    ['Zelt zu vermieten', 'Partyzelt 3 x 6 m, ideal für Garten und Terrasse, 80 € pro Tag, Kaution 50 €.', 80],
    ['Alquiler de carpa para fiestas', 'Se alquila carpa de 6x3 metros. 180 € el fin de semana. Fianza de 100 €.', 180],
    ['Location tireuse à bière', 'Tireuse à louer pour vos fêtes, 60 € le week-end, caution 200 €.', 60],
    ['Carpet cleaner for rent', 'Strong machine, £25 per week, deposit £40. Pick up in Hove.', 25],
    [
      'Location camionnette 12 m³',
      'Renault Master diesel, 70 € la journée, 200 km inclus, caution 800 €. Permis B.',
      70,
    ],
    ['VW California for hire', '2021 camper, sleeps four, £110 per day, 200 miles a day included.', 110],
  ])('%s', (title, description, price) => {
    const { kind, blockers, facts } = score(title, description);
    expect({ kind, blockers }).toEqual({ kind: 'generic', blockers: [] });
    expect(facts).toContainEqual(expect.objectContaining({ name: 'price', value: String(price) }));
  });

  it.each([
    ['property', 'Haus zu vermieten', 'In ruhiger Lage, Garten, 1.200 € kalt, Kaution drei Monatsmieten.'],
    ['property', 'To let', '2 bed, close to the station, parking, £900 pcm, deposit of one month.'],
    ['property', 'Se alquila local', 'De 80 m2 en el centro, 600 € al mes, fianza de dos meses.'],
    ['property', 'Room to rent', 'Nice room in a quiet house, £120 per week, bills included, deposit £120.'],
    ['property', 'Lager zu vermieten', 'Trocken, 80 m², Zufahrt mit Lkw, 320 € monatlich.'],
    ['property', 'Ferienhaus an der Ostsee', 'Haus für 6 Personen, 110 € pro Tag, Garten, zwei Schlafzimmer.'],
    ['vehicles', 'VW Polo, ex rental', '2021 Polo, 34,000 miles, petrol, manual, £9,500.'],
  ])('but this is %s: %s', (kind, title, description) => {
    expect(score(title, description).kind).toBe(kind);
  });
});
