// What jobs, homes and services ask of people and promise them, in the words of small advertisements.
import { describe, expect, it } from 'vitest';
import { ScoreListingRequestSchema } from '../../src/gen/intelligence/workflow/v1/readiness_pb.ts';
import { readinessFamily } from '../../src/workflows/families/readiness.ts';
import { readFacts } from '../../src/workflows/listing/facts.ts';
import type { Kind } from '../../src/workflows/listing/patterns/pattern.ts';
import { ask } from './ask.ts';

describe('what is said', () => {
  it.each<[Kind, string, string, string | undefined]>([
    ['jobs', 'workload', 'Repartidor\nMedio tiempo, 20 horas semanales.', 'part-time'],
    ['jobs', 'contract', 'Repartidor\nContrato por tiempo indeterminado.', 'permanent'],
    ['jobs', 'contract', 'Apprenti boulanger\nEn CAP, dès septembre 2027.', 'apprenticeship'],
    ['jobs', 'contract', 'Lehrstelle als Koch\nAb August.', 'apprenticeship'],
    ['jobs', 'contract', 'Aprendiz de carpintero\nTaller pequeño.', 'apprenticeship'],
    ['jobs', 'durationMonths', 'Boulanger\nContrat d’apprentissage 24 mois.', '24'],
    ['jobs', 'startDate', 'Boulanger\nCAP dès septembre 2027.', '2027-09'],
    ['jobs', 'employer', 'Apprenti\nLa boulangerie Maison Perrin à Annecy recrute.', 'boulangerie Maison Perrin'],
    ['jobs', 'employer', 'Camarera\nBar La Esquina S.L. necesita camarera.', 'Bar La Esquina S.L.'],
    ['property', 'deposit', 'Double room\n£650 pcm, £600 deposit.', '600'],
    ['property', 'deposit', 'Habitación\n400 € al mes, 300 € de fianza.', '300'],
    ['property', 'minimumStayMonths', 'Double room\nMin stay 6 months.', '6'],
    ['property', 'offer', 'Ferienwohnung am Meer\nCHF 140.- pro Nacht.', 'holiday let'],
    ['property', 'offer', 'Gîte 6 personnes\n750 € la semaine.', 'holiday let'],
    ['property', 'offer', 'Ferienwohnung am Meer zu verkaufen\n240.000 €.', 'sale'],
    ['property', 'offer', 'Apartamento turístico en venta\n240.000 €.', 'sale'],
    ['services', 'minimumHours', 'Plumber\n£55 per hour, min 1 hour.', '1'],
    ['services', 'liabilityCover', 'Plumber\n£2m public liability.', '2000000'],
    ['services', 'liabilityCover', 'Maler\n3 Mio. € Haftpflicht.', '3000000'],
    ['vehicles', 'engineLitres', 'Motorboot\nMercruiser 3.0 135 PS.', '3'],
  ])('%s: %s of %s', (kind, name, text, value) =>
    expect(readFacts(text, {}, kind).facts.find((fact) => fact.name === name)?.value).toBe(value),
  );
});

describe('people are not chosen by age, sex or origin', () => {
  const blocks = (description: string) =>
    ask(readinessFamily, ScoreListingRequestSchema, {
      listing: { title: 'Job', description, category: 'Jobs', location: 'Murcia' },
    }).blockers.some(({ check }) => check === 'fair-hiring');

  it.each([
    'Necesita chica de 20 a 35 años, española, para el bar.',
    'Buscamos camarera española para el turno de noche.',
    'Wir suchen eine Verkäuferin im Alter von 18 bis 30 Jahren für den Laden.',
    'Junge Verkäuferin für den Laden gesucht, gern ab sofort.',
    'Deutsche Putzfrau für zwei Tage in der Woche gesucht.',
    'Nous cherchons une serveuse de 20 à 35 ans pour la saison.',
    'Cherche vendeuse française pour la boutique du port.',
    'Looking for a girl aged 18 to 30 for our front desk.',
    'British applicants only, for shifts on our farm.',
  ])('%s', (description) => expect(blocks(description)).toBe(true));

  it.each([
    'Cocinera con 10 a 15 años de experiencia en comida española.',
    'Camarera con español fluido para el turno de noche.',
    'Betreuung von Kindern zwischen 3 und 6 Jahren, deutsche Schule.',
    'Animateur pour enfants de 6 à 12 ans, cuisine française.',
    'Receptionist, 20 to 30 hours a week, permanent.',
    'You support young adults aged 18 to 25 on their way to work.',
  ])('%s', (description) => expect(blocks(description)).toBe(false));
});
