import { describe, expect, it } from 'vitest';
import { factPatterns } from '../../src/workflows/listing/fact-patterns.ts';
import { faultOfFact, proposableFacts, valueOfFact } from '../../src/workflows/listing/proposed-facts.ts';

const text =
  'Golf Variant, erst 90 Tkm gelaufen, Baujahr war 2016, läuft mit Super. Umkreis 200 km. Wartung alle 30.000 km. ' +
  'Mide 82 metros cuadrados, jardín de 400 metros cuadrados, y tiene tres habitaciones. Taille 42, 180 x 90 cm.';
const fault = (fact: string, value: string, quote: string) => faultOfFact(text, { fact, value, quote });

describe('a fact that a model reads from a text', () => {
  it.each([
    ['mileageKm', '90000', 'erst 90 Tkm gelaufen', '90000'],
    ['mileageKm', '90 Tkm', 'erst 90 Tkm gelaufen', '90000'],
    ['year', '2016', 'Baujahr war 2016', '2016'],
    ['fuel', 'Super', 'läuft mit Super', 'Super'],
    ['fuel', 'super', 'LÄUFT MIT SUPER', 'super'],
    ['areaSqm', '82', '82 metros cuadrados', '82'],
    ['rooms', '3', 'tres habitaciones', '3'],
    ['size', '42', 'Taille 42', '42'],
    ['dimensions', '180', '180 x 90 cm', '180'],
  ])('counts when the text bears it out: %s %s', (fact, value, quote, stated) => {
    expect(fault(fact, value, quote)).toBeUndefined();
    expect(valueOfFact({ fact, value, quote })).toBe(stated);
  });

  it.each([
    ['mileageKm', '90000', 'erst 90 Tkm gefahren', 'quote'],
    ['mileageKm', '9000', 'erst 90 Tkm gelaufen', 'value'],
    ['mileageKm', '90', 'erst 90 Tkm gelaufen', 'value'],
    ['mileageKm', '200', 'Umkreis 200 km', 'doubtful'],
    ['mileageKm', '30000', 'Wartung alle 30.000 km', 'doubtful'],
    ['mileageKm', '2016', 'Baujahr war 2016', 'doubtful'],
    ['year', '90', 'Baujahr war 2016', 'value'],
    ['year', '42', 'Taille 42', 'doubtful'],
    ['fuel', 'Diesel', 'läuft mit Super', 'value'],
    ['fuel', 'Golf', 'Golf Variant', 'doubtful'],
    ['fuel', 'Sup', 'läuft mit Super', 'value'],
    ['areaSqm', '400', 'jardín de 400 metros cuadrados', 'doubtful'],
    ['rooms', '82', '82 metros cuadrados', 'doubtful'],
    ['model', 'Golf', 'Golf Variant', 'doubtful'],
    ['constructor', 'Golf', 'Golf Variant', 'doubtful'],
  ])('does not count otherwise: %s %s in "%s"', (fact, value, quote, reason) => {
    expect(fault(fact, value, quote)).toBe(reason);
  });

  it('is one that the rules know', () => {
    const known = new Set(factPatterns.map(({ fact }) => fact));
    for (const kind of ['vehicles', 'property', 'electronics', 'jobs', 'furniture', 'fashion'] as const) {
      expect(proposableFacts(kind).length).toBeGreaterThan(0);
      for (const fact of proposableFacts(kind)) expect(known).toContain(fact);
    }
  });
});
