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
    ['property', 'Office to let', 'Bright, near the station, £15 a day hot desk, fast internet and coffee.'],
    ['property', 'Hot desk in a coworking space', 'Fast internet, coffee and a phone box, £15 a day.'],
    ['property', 'Workshop space to let', 'Power and water, 40 sqm, £30 a day.'],
    ['property', 'Büro zu vermieten', 'Helles Büro, 20 m², 25 € pro Tag.'],
    ['property', 'Seminarraum zu vermieten', 'Für 20 Personen, 45 m², 180 € pro Tag.'],
    ['property', 'Se alquila oficina por días', 'Luminosa, de 18 m2 en el centro, 20 € al día, wifi incluido.'],
    ['property', 'Bureau à louer à la journée', 'De 15 m² au centre de Lyon, 25 € par jour, wifi inclus.'],
    ['property', 'Location salle de réunion', 'Pour 12 personnes, 40 m², 120 € la journée.'],
    ['furniture', 'Office chair for rent', 'Ergonomic office chair, £3 a day, deposit £20.'],
    ['furniture', 'Standing desk to rent', 'Electric standing desk, 140 x 70 cm, £5 a day.'],
    ['furniture', 'Location bureau assis-debout', 'Bureau électrique, 120 x 60 cm, 5 € par jour.'],
    ['electronics', 'Office printer for hire', 'Laser printer, £10 a day.'],
    ['vehicles', 'VW Polo, ex rental', '2021 Polo, 34,000 miles, petrol, manual, £9,500.'],
  ])('but this is %s: %s', (kind, title, description) => {
    expect(score(title, description).kind).toBe(kind);
  });

  it('a desk in a shared office needs no area of its own', () => {
    const blockersOf = (description: string) => score('Office to let', description).blockers.map(({ check }) => check);
    expect(blockersOf('Bright, near the station, £15 a day hot desk, fast internet and coffee.')).toEqual([]);
    expect(blockersOf('Bright, near the station, £60 a day, fast internet and coffee.')).toEqual(['area-given']);
  });
});
