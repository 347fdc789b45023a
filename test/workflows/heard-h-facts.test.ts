// What sellers heard of their listings' facts: names with ß, numbers in words, decimals, units, and facts that nobody stated.
import { describe, expect, it } from 'vitest';
import { ScoreListingRequestSchema } from '../../src/gen/intelligence/workflow/v1/readiness_pb.ts';
import { readinessFamily } from '../../src/workflows/families/readiness.ts';
import { listingFacts } from '../../src/workflows/listing/facts.ts';
import { wordsNumber } from '../../src/workflows/listing/number-words.ts';
import { ask } from './ask.ts';

const score = (policy: string, title: string, description = '', attributes: Record<string, unknown> = {}) =>
  ask(readinessFamily, ScoreListingRequestSchema, { policy, listing: { title, description, attributes } });

const factOf = (name: string, ...listing: Parameters<typeof score>) =>
  score(...listing).facts.find((fact) => fact.name === name)?.value;
const contradictions = (...listing: Parameters<typeof score>) =>
  score(...listing)
    .blockers.map(({ check }) => check)
    .filter((check) => /^(?:contradiction|impossible)/.test(check));

describe('names with ß', () => {
  it.each([
    ['fashion', 'Größe', '42,5', 'size', '42.5'],
    ['fashion', 'GRÖẞE', 'M', 'size', 'M'],
    ['property', 'Größe (m²)', 62, 'areaSqm', '62'],
    ['furniture', 'Maße', '90 x 200', 'dimensions', '90 x 200'],
    ['electronics', 'Displaygröße', '6,1 Zoll', 'screenInch', '6.1'],
  ])('of %s are read: %s %s', (policy, name, value, fact, read) => {
    expect(factOf(fact, policy, 'Angebot', '', { [name]: value })).toBe(read);
    expect(score(policy, 'Angebot', '', { [name]: value }).unusedFields).toEqual([]);
  });
});

describe('numbers in words', () => {
  it.each([
    ['fifty thousand', 50_000],
    ['fifty-two thousand five hundred', 52_500],
    ['one hundred and twenty thousand', 120_000],
    ['zweihunderttausend', 200_000],
    ['funfundachtzigtausend', 85_000],
    ['dreißigtausend', 30_000],
    ['siebzehntausenddreihundert', 17_300],
    ['doscientos mil', 200_000],
    ['noventa y dos mil', 92_000],
    ['deux cent mille', 200_000],
    ['quatre-vingt-dix mille', 90_000],
    ['cent vingt mille', 120_000],
    ['soixante et onze', 71],
    ['done fifty', Number.NaN],
    ['two three', Number.NaN],
    ['', Number.NaN],
  ])('are what they say: %s', (words, value) => {
    expect(wordsNumber(words)).toBe(value);
  });

  it.each([
    ['mileageMiles', 'It has done fifty thousand miles.', '50000'],
    ['mileageKm', 'Das Auto hat zweihunderttausend Kilometer.', '200000'],
    ['mileageKm', 'Gelaufen 200 tausend km.', '200000'],
    ['mileageKm', 'Tiene doscientos mil kilómetros.', '200000'],
    ['mileageKm', 'Elle a deux cent mille kilomètres.', '200000'],
    ['mileageKm', 'Elle a 120 mille km.', '120000'],
    ['mileageMiles', 'Just under sixty-one thousand miles.', '61000'],
    ['doors', 'Petrol, manual, five doors.', '5'],
    ['doors', 'Benziner, fünftürig.', '5'],
    ['doors', 'Gasolina, cinco puertas, manual.', '5'],
    ['doors', 'Essence, cinq portes.', '5'],
  ])('state %s: %s', (fact, text, value) => {
    expect(factOf(fact, 'vehicles', 'Golf', text)).toBe(value);
  });

  it('agree and disagree with fields as digits do', () => {
    expect(contradictions('vehicles', 'Golf', 'It has done fifty thousand miles.', { mileageMiles: 50_000 })).toEqual(
      [],
    );
    expect(contradictions('vehicles', 'Golf', 'Petrol, five doors.', { doors: 3 })).toEqual(['contradiction-doors']);
  });

  it.each([
    ['doors', 'Scratches on two doors, petrol.'],
    ['doors', 'Two doors have been repainted.'],
    ['doors', 'Zwei Türen neu lackiert.'],
    ['doors', 'The dealer is two doors down.'],
    ['doors', 'Les deux portes, côté droit, ont été repeintes.'],
    ['mileageMiles', 'Drove it one hundred miles yesterday.'],
    ['mileageMiles', 'Range of three thousand miles without a fault.'],
    ['mileageKm', 'Viele Kilometer, tausend Kilometer im Urlaub.'],
    ['mileageKm', 'A mil kilómetros de aquí.'],
    ['mileageMiles', 'Done many thousand miles.'],
  ])('state no %s in: %s', (fact, text) => {
    expect(factOf(fact, 'vehicles', 'Golf', text)).toBeUndefined();
  });
});

it('no fact is ever a number that is none', () => {
  const pieces =
    'done|fifty|thousand|hundred|miles|km|.|,|-|1|000|0,825|1.2,3456|9.|€|k|tsd|mil|und|zwei|tausend|m²|kg|rooms|doors|five|per hour|£|GB|years of experience|from|deposit'.split(
      '|',
    );
  const numbers = new Set(
    listingFacts.filter(({ type, read }) => (type ?? read.type) === 'number').map((one) => one.fact),
  );
  let seed = 7;
  const next = (most: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % most;
  };
  for (let round = 0; round < 60; round++) {
    const text = Array.from({ length: 30 }, () => pieces[next(pieces.length)]).join(next(3) === 0 ? '' : ' ');
    const value = Array.from({ length: 4 }, () => pieces[next(pieces.length)]).join('');
    for (const policy of ['vehicles', 'property', 'electronics', 'jobs', 'services']) {
      const attributes = { mileage: value, rooms: value, storage: value, salary: value, hourlyRate: value };
      for (const fact of score(policy, text, text, attributes).facts)
        if (fact.source === 'text' && numbers.has(fact.name))
          expect([fact, Number(fact.value)]).not.toContain(Number.NaN);
        else expect(fact.value).not.toMatch(/NaN|Infinity/);
    }
  }
});

describe('three digits after a sign', () => {
  it.each([
    ['electronics', 'Storage (TB)', '0.825', 'storageGb', '825'],
    ['vehicles', 'Engine (l)', '1.598', 'engineLitres', '1.598'],
    ['vehicles', 'Motor (Liter)', '1,968', 'engineLitres', '1.968'],
    ['furniture', 'Gewicht (kg)', '0,750', 'weightKg', '0.75'],
    ['furniture', 'Peso', '0,750 kg', 'weightKg', '0.75'],
    ['furniture', 'Longueur (m)', '1,250', 'lengthCm', '125'],
    ['vehicles', 'Mileage (km)', '61.400', 'mileageKm', '61400'],
    ['vehicles', 'Kilometer', '98 000', 'mileageKm', '98000'],
    ['property', 'Grundfläche (m2)', '1.250', 'areaSqm', undefined],
    ['property', 'Fläche (m2)', '1.250', 'areaSqm', '1250'],
    ['electronics', 'Storage (GB)', '1.000', 'storageGb', '1000'],
    ['jobs', 'Gehalt', '54.000', 'salaryMin', '54000'],
  ])('of %s are read for what they are: %s %s', (policy, name, value, fact, read) => {
    expect(factOf(fact, policy, 'Angebot', '', { [name]: value })).toBe(read);
    expect(contradictions(policy, 'Angebot', '', { [name]: value })).toEqual([]);
  });
});

describe('units', () => {
  it.each([
    ['furniture', 'Length (ft)', 6, 'lengthCm', '182.88'],
    ['furniture', 'Length', '6 ft', 'lengthCm', '182.88'],
    ['furniture', 'Weight (st)', 6, 'weightKg', '38.1'],
    ['vehicles', 'Laufleistung (in Tsd. km)', 120, 'mileageKm', '120000'],
    ['vehicles', 'Kilometraje (miles de km)', 120, 'mileageKm', '120000'],
    ['vehicles', 'Kilométrage (en milliers de km)', 120, 'mileageKm', '120000'],
    ['vehicles', 'Mileage', '55k miles', 'mileageMiles', '55000'],
    ['electronics', 'Capacity (kg)', 8, 'capacityKg', '8'],
    ['electronics', 'Capacity', 8, 'capacityKg', '8'],
    ['property', 'Wohnfläche', '78,5 m2', 'areaSqm', '78.5'],
  ])('of %s are converted: %s %s', (policy, name, value, fact, read) => {
    expect(factOf(fact, policy, 'Angebot', '', { [name]: value })).toBe(read);
  });

  it.each([
    ['electronics', { 'Capacity (litres)': 256 }, 'capacityKg'],
    ['electronics', { capacity: '256 litres' }, 'capacityKg'],
    ['furniture', { 'Weight (ml)': 6 }, 'weightKg'],
    ['property', { 'Room size (m2)': 14 }, 'rooms'],
  ])('of something else state nothing, and the field is named: %s %o', (policy, attributes, fact) => {
    const { facts, unusedFields } = score(policy, 'Angebot', '', attributes);
    expect(facts.map(({ name }) => name)).not.toContain(fact);
    expect(unusedFields).toEqual([{ field: `listing.attributes.${Object.keys(attributes)[0]}`, nearest: '' }]);
  });
});
