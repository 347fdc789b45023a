// What sellers heard of their listings' facts: names with ß, numbers in words, decimals, units, and facts that nobody stated.
import { describe, expect, it } from 'vitest';
import { CheckProfileRequestSchema } from '../../src/gen/intelligence/workflow/v1/guidance_pb.ts';
import { ScoreListingRequestSchema } from '../../src/gen/intelligence/workflow/v1/readiness_pb.ts';
import { guidanceFamily } from '../../src/workflows/families/guidance.ts';
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

describe('two values in different units', () => {
  it.each([
    ['Diesel, 98k miles.', { 'Mileage (km)': '98 000' }, 'contradiction-mileage'],
    ['Diesel, 98.000 km.', { 'Mileage (miles)': 98_000 }, 'contradiction-mileage'],
    ['Diesel.', { kW: 184, PS: 184 }, 'contradiction-powerkw'],
    ['Diesel, 184 kW (184 PS).', {}, 'contradiction-powerkw'],
    ['Diesel, 150 PS.', { kW: 184 }, 'contradiction-powerkw'],
  ])('contradict each other: %s %o', (description, attributes, check) => {
    expect(contradictions('vehicles', 'Golf', description, attributes)).toEqual([check]);
  });

  it.each([
    ['Diesel, 61k miles.', { 'Mileage (km)': '98 000' }],
    ['Diesel, 98k miles.', { Mileage: '98 000' }],
    ['Diesel, 157,700 km.', { mileageMiles: 98_000 }],
    ['Diesel, 184 kW (250 PS).', { kW: 184 }],
    ['Diesel, 150 hp.', { kW: 110 }],
    ['Plug-in hybrid, 80 kW, 150 PS.', { fuel: 'hybrid' }],
    ['Electric, charges with 50 kW.', { hp: 204 }],
  ])('agree, or are of two things: %s %o', (description, attributes) => {
    expect(contradictions('vehicles', 'Golf', description, attributes)).toEqual([]);
  });
});

describe('what nobody stated', () => {
  it.each([
    ['offer', 'property', 'Piso de noventa y dos metros', 'Ventanas nuevas, ventilado.'],
    ['offer', 'property', 'Appartement', 'Écrire à mon employeur : employer@exemple.fr, inventes.'],
    ['model', 'electronics', 'Fridge 5ft 9in', 'Tall fridge.'],
    ['screenInch', 'electronics', 'Fridge 5ft 9in', 'Tall fridge, 5 feet 9 inches.'],
    ['startDate', 'jobs', 'Cook', 'Start asap, apply by 15 January 2027.'],
    ['startDate', 'jobs', 'Koch', 'Beginn sofort, Bewerbung bis 15.01.2027.'],
    ['availableFrom', 'property', 'Flat', 'Available from 31/02/2027.'],
  ])('is no %s of %s: %s %s', (fact, policy, title, description) => {
    expect(factOf(fact, policy, title, description)).toBeUndefined();
  });

  it.each([
    ['offer', 'property', 'Piso en venta', '', 'sale'],
    ['offer', 'property', 'Venta de piso', '', 'sale'],
    ['offer', 'property', 'Maison', 'Vente urgente.', 'sale'],
    ['screenInch', 'electronics', 'TV', 'A 55 inch screen.', '55'],
    ['startDate', 'jobs', 'Cook', 'Start on 15 January 2027, apply by mail.', '2027-01-15'],
    ['startDate', 'jobs', 'Cook', 'Apply by mail. Starting 1 March 2027.', '2027-03-01'],
    ['availableFrom', 'property', 'Flat', 'Available from 29/02/2028.', '2028-02-29'],
    ['plotArea', 'property', 'Maison', '110 m² sur terrain de 500 m².', '500 m²'],
    ['plotArea', 'property', 'Haus', 'Haus mit 500 m² Grundstück.', '500 m²'],
    ['make', 'vehicles', 'Hymer B544', '', 'Hymer'],
    ['make', 'vehicles', 'B 200 CDI', '', 'Mercedes-Benz'],
    ['salaryPeriod', 'jobs', 'Carer', 'That is £14.27 per hour, £27,456 per annum.', 'hour'],
  ])('leaves %s of %s as it is: %s %s', (fact, policy, title, description, value) => {
    expect(factOf(fact, policy, title, description)).toBe(value);
  });

  it.each([
    ['salaryPeriod', 'jobs', 'That is £14.27 per hour, £27,456 per annum.', { salary: 27_456 }, 'year'],
    ['salaryPeriod', 'jobs', 'That is £14.27 per hour.', { salary: '27456 per annum' }, 'year'],
    ['salaryPeriod', 'jobs', 'That is £14.27 per hour.', { salary: 14.27 }, 'hour'],
    ['startDate', 'jobs', '', { startDate: '31/02/2027' }, undefined],
    ['startDate', 'jobs', '', { startDate: 'ab sofort' }, 'ab sofort'],
    ['rooms', 'property', '', { Zimmer: 'drei' }, '3'],
    ['rooms', 'property', '', { Zimmer: 'nach Absprache' }, undefined],
  ])('is no %s of a field of %s: %s %o', (fact, policy, description, attributes, value) => {
    expect(factOf(fact, policy, 'Angebot', description, attributes)).toBe(value);
  });
});

describe('a boat', () => {
  const needsMileage = (title: string, description: string) =>
    score('vehicles', title, description).blockers.some(({ check }) => check === 'mileage-given');

  it('counts hours instead of miles', () => {
    expect(factOf('operatingHours', 'vehicles', 'Quicksilver 505', 'Petrol, 250 engine hours.')).toBe('250');
    for (const [title, description] of [
      ['Quicksilver 505', 'Petrol, 250 engine hours.'],
      ['Quicksilver 505', 'Benzin, 250 Betriebsstunden.'],
      ['Quicksilver 505', 'Gasolina, 250 horas de motor.'],
      ['Quicksilver 505', 'Essence, 250 heures moteur.'],
      ['Motorboot Quicksilver', 'Benzin.'],
    ] as const)
      expect([description, needsMileage(title, description)]).toEqual([description, false]);
    expect(needsMileage('Golf', 'Large boot, call within 250 hours.')).toBe(true);
  });
});

describe('a number in a form', () => {
  const problemWith = (value: string, kind = 'number') =>
    ask(guidanceFamily, CheckProfileRequestSchema, {
      form: { name: 'own', fields: [{ name: 'value', kind, label: 'Value' }] },
      values: { value },
    }).fields.map(({ status, message }) => [status, message])[0];

  it.each(['54k', '55K', '120 tkm', '54 tsd', '78.5', '-2k'])('may be %s', (value) => {
    expect(problemWith(value)?.[0]).toBe('ok');
  });

  it.each([
    ['78,5 m²', '“m²”'],
    ['78.5 m2', '“m2”'],
    ['120 km/h', '“km/h”'],
    ['54 kg', '“kg”'],
    ['54 zł', '“zł”'],
  ])('is told to leave out the whole unit of %s', (value, unit) => {
    expect(problemWith(value)).toEqual(['invalid', expect.stringContaining(unit)]);
  });
});
