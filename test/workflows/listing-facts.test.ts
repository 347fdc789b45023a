// What words beside a value make of it.
import { describe, expect, it, test } from 'vitest';
import { ScoreListingRequestSchema } from '../../src/gen/intelligence/workflow/v1/readiness_pb.ts';
import { readinessFamily } from '../../src/workflows/families/readiness.ts';
import { saysWhen } from '../../src/workflows/families/says-when.ts';
import { readFacts } from '../../src/workflows/listing/facts.ts';
import { withShortWords } from '../../src/workflows/listing/plain-text.ts';
import { ask } from './ask.ts';

const read = (category: string, description: string) =>
  ask(readinessFamily, ScoreListingRequestSchema, { listing: { title: 'Offer', description, category } });
const factOf = (category: string, description: string, fact: string) =>
  read(category, description).facts.find(({ name }) => name === fact)?.value;

describe('facts in prose', () => {
  it.each([
    ['Cars', 'Air conditioning automatic, manual gearbox, petrol, 2014.', 'transmission', 'manual'],
    ['Autos', 'Klimaautomatik und Schaltgetriebe, Benzin, 2014.', 'transmission', 'manual'],
    ['Autos', 'Golf 6, Reifen 2024, Sommerreifen von 2023, DOT 2022.', 'year', undefined],
    ['Cars', 'Golf, tyres from 2024, 2023 winter tyres, registered 2012.', 'year', '2012'],
    ['Coches', 'Golf, neumáticos de 2024, batería 2023.', 'year', undefined],
    ['Voitures', 'Golf, pneus 2024, freins de 2023.', 'year', undefined],
    ['Handys', 'Xiaomi 12 in schwarz, 256 GB, wie neu.', 'model', 'Xiaomi 12'],
    ['Handys', 'Xiaomi 12 in schwarz, 256 GB, wie neu.', 'screenInch', undefined],
    ['Handys', 'Xiaomi 12 256 GB', 'storageGb', '256'],
    ['Phones', 'Phone without any scratches.', 'condition', undefined],
    ['Autos', 'Diesel, 8-Gang-Automatik, 2019.', 'transmission', 'automatic'],
    ['Autos', '2021 gekauft, habe ihn gern, Erstzulassung 2015, 80.000 km.', 'year', '2015'],
    [
      'Voitures',
      'Révision faite à 60 000 km en mars, aujourd’hui le compteur affiche 71 500 km.',
      'mileageKm',
      '71500',
    ],
    ['Pisos', 'Cocina de 9 m2, superficie total 74 m2, en alquiler.', 'areaSqm', '74'],
    ['Houses for sale', 'Three bedrooms in a lovely location by the park, 110 sqm. Freehold.', 'offer', 'sale'],
    ['Laptops', 'Used laptop with 16GB of memory and a 512GB drive.', 'storageGb', '512'],
    ['Laptops', 'Used laptop with 16GB of memory and a 512GB drive.', 'ramGb', '16'],
    ['Electronics', 'Headphones, not like new, the pads are worn, but they work.', 'condition', 'used'],
    ['Jobs', 'Packer, £300 joining bonus, £12.50 per hour, 40 hours a week, permanent.', 'salaryMin', '12.5'],
    ['Jobs', 'Cook, 25 hours per week on site, permanent, £12 an hour. Apply online.', 'remote', undefined],
    ['Stellen', 'Empfang, Vollzeit, unbefristet, 2.300 Euro brutto, leider kein Homeoffice.', 'remote', undefined],
    ['Stellen', 'Buchhaltung, Vollzeit, unbefristet, zwei Tage Homeoffice pro Woche.', 'remote', 'hybrid'],
  ])('of %s: %s (%s is %s)', (category, description, fact, value) => {
    expect(factOf(category, description, fact)).toBe(value);
  });

  it.each([
    ['Jobs', 'Nurse, 36 hours per week in shifts of 12 hours, permanent, £15 an hour.'],
    ['Flats to rent', 'Flat on the 4th floor, 50 sqm, bike store on the ground floor, £800 pcm.'],
  ])('of %s do not contradict each other: %s', (category, description) => {
    expect(read(category, description).blockers.filter(({ check }) => check.startsWith('contradiction'))).toEqual([]);
  });
});

test('a word without end is read in parts', () => {
  const word = 'a'.repeat(19_000);
  const { facts } = readFacts(`${word} gmbh, 40 hours`, {}, 'jobs');
  expect(facts.map(({ name }) => name)).toEqual(['hoursPerWeek', 'employer']);
  expect(facts.map(({ quote }) => quote.length).every((length) => length < 300)).toBe(true);
  const plain = `${word} and ${'b'.repeat(63)}`;
  const short = withShortWords(plain);
  expect(short).toHaveLength(plain.length);
  expect(short.split(' ').every(({ length }) => length < 64)).toBe(true);
  expect(short.endsWith(` and ${'b'.repeat(63)}`)).toBe(true);
});

describe('months', () => {
  const names = {
    '01': 'January, Jan, Januar, Jan., Jänner, Jaenner, enero, ene, ene., janvier, janv.',
    '02': 'February, Feb, Feb., Februar, Feber, febrero, feb., février, févr., fév., fevrier',
    '03': 'March, Mar, Mar., März, Maerz, MÄRZ, Mrz, Mrz., marzo, mars, Mär.',
    '04': 'April, Apr, Apr., abril, abr., avril, avr.',
    '05': 'May, Mai, mayo, may.',
    '06': 'June, Jun, Jun., Juni, Juno, junio, juin',
    '07': 'July, Jul, Jul., Juli, julio, juillet, juil.',
    '08': 'August, Aug, Aug., agosto, ago., août, aout',
    '09': 'September, Sept, Sept., Sep., septiembre, setiembre, set., septembre',
    '10': 'October, Oct., Oktober, Okt., octubre, octobre',
    '11': 'November, Nov, Nov., noviembre, novembre',
    '12': 'December, Dec, Dezember, Dez., diciembre, dic., décembre, déc.',
  };
  it.each(Object.entries(names).flatMap(([month, words]) => words.split(', ').map((word) => [word, month] as const)))(
    '%s is month %s, in prose and in a field',
    (word, month) => {
      const { facts } = readFacts(`Golf\nEZ ${word} 2019, TÜV bis 3. ${word} 2028.`, {}, 'vehicles');
      const factIn = (name: string) => facts.find((fact) => fact.name === name)?.value;
      expect(factIn('firstRegistration')).toBe(`2019-${month}`);
      expect(factIn('inspectionUntil')).toBe(`2028-${month}-03`);
      const field = readFacts('Golf', { Erstzulassung: `${word} 2019` }, 'vehicles').facts;
      expect(field.find(({ name }) => name === 'firstRegistration')?.value).toBe(`2019-${month}`);
      // "Set" is an English word.
      if (!/^set/.test(word)) expect(saysWhen(`in ${word}`)).toBe(true);
    },
  );

  it.each(['EZ Marke 2019', 'registered Decorated 2019', 'matriculado Marca 2019', 'immatriculée Aventure 2019'])(
    'are not seen in other words: %s',
    (text) => {
      const { facts } = readFacts(`Golf\n${text}`, {}, 'vehicles');
      expect(facts.some(({ name }) => name === 'firstRegistration')).toBe(false);
    },
  );
});

describe('a field whose name or value states a unit', () => {
  const ofField = (category: string, name: string, value: unknown) => {
    const { facts, unusedFields } = ask(readinessFamily, ScoreListingRequestSchema, {
      listing: { title: 'Offer', category, attributes: { [name]: value } },
    });
    const read = facts.filter(({ source }) => source === 'field').map((fact) => `${fact.name} ${fact.value}`);
    return { read: read.filter((fact) => !fact.startsWith('offer')), unusedFields };
  };

  it.each([
    ['Autos', 'Laufleistung (km)', '90.000', 'mileageKm 90000'],
    ['Autos', 'LAUFLEISTUNG [TKM]', 90, 'mileageKm 90000'],
    ['Autos', 'Laufleistung in km', 90_000, 'mileageKm 90000'],
    ['Cars', 'Mileage (miles)', 50_000, 'mileageMiles 50000'],
    ['Cars', 'mileage_miles', '50,000', 'mileageMiles 50000'],
    ['Cars', 'mileageMiles', 50_000, 'mileageMiles 50000'],
    ['Cars', 'Mileage', '50,000 miles', 'mileageMiles 50000'],
    ['Cars', 'Mileage', '80k km', 'mileageKm 80000'],
    ['Autos', 'Leistung (PS)', 110, 'powerHp 110'],
    ['Coches', 'Potencia (CV)', 110, 'powerHp 110'],
    ['Voitures', 'Puissance (kW)', 81, 'powerKw 81'],
    ['Voitures', 'Kilométrage (km)', '90 000', 'mileageKm 90000'],
    ['Coches', 'Kilómetros (millas)', 40_000, 'mileageMiles 40000'],
    ['Wohnungen', 'Wohnfläche (m²)', '72,5', 'areaSqm 72.5'],
    ['Flats', 'Floor area (sq ft)', 850, 'areaSqft 850'],
    ['Flats', 'Area', '850 sq ft', 'areaSqft 850'],
    ['Pisos', 'Superficie en m2', 90, 'areaSqm 90'],
    ['Möbel', 'Höhe (mm)', 1200, 'heightCm 120'],
    ['Furniture', 'Height (in)', 40, 'heightCm 101.6'],
    ['Muebles', 'Peso (g)', 900, 'weightKg 0.9'],
    ['Laptops', 'Storage (TB)', 2, 'storageGb 2000'],
  ])('of %s, %s: %s is %s, and not called unused', (category, name, value, fact) => {
    const { read, unusedFields } = ofField(category, name, value);
    expect(read.filter((one) => !one.startsWith('dimensions'))).toEqual([fact]);
    expect(unusedFields).toEqual([]);
  });

  it('takes both mileages where two fields state them', () => {
    const { facts } = readFacts('Golf', { 'Laufleistung (km)': '90.000', 'Mileage (miles)': 55_900 }, 'vehicles');
    const read = facts.filter(({ source }) => source === 'field').map((fact) => `${fact.name} ${fact.value}`);
    expect(read.sort()).toEqual(['mileageKm 90000', 'mileageMiles 55900']);
  });

  it.each([
    ['Wohnungen', 'Größe (cm)', 80],
    ['Wohnungen', 'Größe', '80 cm'],
    ['Autos', 'Motor', '110 PS'],
  ])('is not taken for another measure: of %s, %s: %s', (category, name, value) => {
    const { read } = ofField(category, name, value);
    expect(read.filter((fact) => /^(?:areaSqm|engineLitres)/.test(fact))).toEqual([]);
  });

  it('has no unit in a word that only looks like one', () => {
    expect(ofField('Jobs', 'salary_to', 37_796).read).toEqual(['salaryMax 37796']);
  });

  it('is called unused where its unit is of something else', () => {
    expect(ofField('Wohnungen', 'Fläche (PS)', 80).unusedFields).toMatchObject([
      { field: 'listing.attributes.Fläche (PS)' },
    ]);
  });
});
