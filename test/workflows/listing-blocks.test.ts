// What stops a listing that says next to nothing, and what does not stop one that is in order.
import { describe, expect, it } from 'vitest';
import { ScoreListingRequestSchema } from '../../src/gen/intelligence/workflow/v1/readiness_pb.ts';
import { readinessFamily } from '../../src/workflows/families/readiness.ts';
import { ask } from './ask.ts';

const score = (listing: Record<string, unknown>) => ask(readinessFamily, ScoreListingRequestSchema, { listing });

describe('a job by its category alone', () => {
  const job = {
    title: 'Great opportunity!!',
    description: 'For hungry people who want to be their own boss. DM me now.',
  };

  it('has to say what a job says, since it needs no price', () => {
    const { kind, ready, blockers } = score({ ...job, category: 'Jobs' });
    expect(kind).toBe('jobs');
    expect(ready).toBe(false);
    expect(blockers.map(({ check }) => check)).toEqual(
      expect.arrayContaining(['employer-given', 'workplace-given', 'terms-given']),
    );
  });

  it('is no worse for the category when it has a price', () => {
    const thing = {
      title: 'Wooden sign with gold letters',
      description: 'Painted by hand, two metres long, in good condition, ready to hang up in an office or a hall.',
      ...{ price: 60, currency: 'EUR', location: 'Graz', images: [{ url: 'https://img.example/1.jpg' }] },
    };
    expect(score(thing).ready).toBe(true);
    expect(score({ ...thing, category: 'Jobs' }).ready).toBe(true);
  });
});

it.each([
  ['tel', 'a vendre urgent', true],
  ['Sofa', 'Zu verkaufen', true],
  ['iPhone 12 128 GB', 'Wie neu.', false],
  ['Sofa', 'Sehr guter Zustand, 200 x 90 cm, aus Leder.', false],
])('"%s: %s" says too little: %s', (title, description, isThin) => {
  const checks = score({ title, description, price: 100, currency: 'EUR' }).blockers.map(({ check }) => check);
  expect(checks.includes('description-says-something')).toBe(isThin);
});

describe('a service about homes is no home', () => {
  it.each([
    [
      'Entrümpelung in Mittelfranken',
      'Wir räumen Wohnungen, Keller und Dachböden besenrein. Danach ein Festpreisangebot.',
      'Entrümpelung',
    ],
    ['Limpieza de pisos y casas', 'Limpiamos pisos, casas y portales, con presupuesto sin compromiso.', 'Limpieza'],
    ['Débarras de maisons', 'Nous débarrassons maisons, caves et appartements, devis gratuit.', 'Débarras'],
    ['House clearance', 'We clear houses, flats and garages, fully insured, free quotes.', 'House clearance'],
  ])('%s', (title, description, category) => {
    const { kind, blockers } = score({ title, description, category, location: 'Here' });
    expect(kind).toBe('services');
    expect(blockers).toEqual([]);
  });

  it('nor is work at home, or in an office', () => {
    expect(
      score({ title: 'Bürokraft gesucht', description: 'Teilzeit für unser Büro, 20 Std.', category: 'Büro' }).kind,
    ).toBe('jobs');
    expect(
      score({ title: 'Gana desde casa', description: 'Ingresos sin experiencia.', category: 'Teletrabajo' }).kind,
    ).toBe('jobs');
  });
});

it.each([
  ['Lenovo ThinkPad T14', 'Guter Zustand, 512 GB. Privatverkauf, keine Rücknahme.', 'Notebooks'],
  ['Appartement T3', 'T3 de 68 m2. Loyer 980 € par mois charges comprises, dépôt de garantie 900 €.', 'Locations'],
])('the terms of a private seller or a landlord are no fraud: %s', (title, description, category) => {
  const { findings, ready } = score({
    ...{ title, description, category, price: 385, currency: 'EUR', location: 'Jena' },
    images: [{ url: 'https://img.example/1.jpg' }],
  });
  expect(findings.filter(({ severity }) => severity === 'high')).toEqual([]);
  expect(ready).toBe(true);
});
