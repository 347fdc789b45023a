// Listings as people write them on classifieds sites, in short sentences, with a boat's, a plot's or a pet's own words.
import { describe, expect, it } from 'vitest';
import { ScoreListingRequestSchema } from '../../src/gen/intelligence/workflow/v1/readiness_pb.ts';
import { CheckRiskRequestSchema } from '../../src/gen/intelligence/workflow/v1/risk_pb.ts';
import { readinessFamily } from '../../src/workflows/families/readiness.ts';
import { riskFamily } from '../../src/workflows/families/risk.ts';
import { readFacts } from '../../src/workflows/listing/facts.ts';
import type { Kind } from '../../src/workflows/listing/patterns/pattern.ts';
import { ask } from './ask.ts';

const factIn = (kind: Kind, name: string, text: string) =>
  readFacts(text, {}, kind).facts.find((fact) => fact.name === name);

const score = (listing: object) =>
  ask(readinessFamily, ScoreListingRequestSchema, {
    listing: { images: [{ url: 'https://img.example/1.jpg' }], ...listing },
  });

describe('what prose states of a thing', () => {
  it.each<[Kind, string, string, string | undefined]>([
    // What the sentence before says is of something else.
    ['vehicles', 'mileageKm', 'Seat Ibiza\nVendo por cambio de coche. 71.000 km, gasolina.', '71000'],
    ['vehicles', 'mileageKm', 'Skoda Fabia\nInspektion neu. 88.000 km.', '88000'],
    ['vehicles', 'mileageKm', 'Renault Zoe\nAutonomie max. 300 km.', undefined],
    ['vehicles', 'mileageKm', 'Renault Zoe\nReichweite ca. 300 km im Sommer.', undefined],
    ['vehicles', 'year', 'Kawasaki Ninja 650, 72 plate\nSports tourer.', '2022'],
    ['vehicles', 'year', 'Vauxhall Vivaro\n19 reg, diesel.', '2019'],
    ['vehicles', 'year', 'Vauxhall Vivaro\nPrivate plate not included.', undefined],
    ['vehicles', 'owners', 'Mazda CX-5\nUn solo dueño.', '1'],
    ['vehicles', 'make', 'Voilier Gib Sea 28\nMoteur Volvo diesel.', undefined],
    ['vehicles', 'make', 'Volvo V60 mit neuem Motor\nDiesel.', 'Volvo'],
    ['vehicles', 'fuel', 'Peugeot 208\nNafta, 45.000 km.', 'petrol'],
    ['vehicles', 'fuel', 'Chevrolet Spark\nMotor a bencina.', 'petrol'],
    ['vehicles', 'transmission', 'Peugeot 3008\n1.6 PureTech, EAT8.', 'automatic'],
    ['vehicles', 'transmission', 'Citroën C4 BVA\n1.2 essence.', 'automatic'],
    ['vehicles', 'transmission', 'Citroën C4 BVM6\n1.2 essence.', 'manual'],
    ['vehicles', 'accidentFree', 'Audi A3\nKein Unfall, Scheckheft.', 'true'],
    ['vehicles', 'accidentFree', 'Peugeot 3008\nPremière main, aucun accident.', 'true'],
    ['vehicles', 'accidentFree', 'VW Golf\nLeider ein Unfallschaden vorne.', 'false'],
    ['vehicles', 'colour', 'Camping-car\n4 places carte grise.', undefined],
    ['vehicles', 'colour', 'Camping-car\nCarrosserie grise.', 'grey'],
    ['vehicles', 'operatingHours', 'Bateau Zodiac\nMoteur Yamaha 70 cv de 2016, 240 heures.', '240'],
    ['vehicles', 'operatingHours', 'Velero Puma 29\nMotor Yanmar diésel 18 cv con 900 horas.', '900'],
    ['vehicles', 'operatingHours', 'Motorboot\nMotor wird alle 100 Stunden gewartet.', undefined],
    ['vehicles', 'operatingHours', 'Velero\nDisponible las 24 horas.', undefined],
    ['vehicles', 'fuel', 'Chevrolet Aveo\nVidrios eléctricos, motor 1.6 gasolina.', 'petrol'],
    ['vehicles', 'transmission', 'Velero Puma 29\nPiloto automático, placa solar.', undefined],
    ['property', 'areaSqm', 'Maison de ville\nCourette 25 m2, maison de 110 m2.', '110'],
    ['property', 'bedrooms', 'Departamento\n2 recámaras, 1 baño.', '2'],
    ['property', 'petsAllowed', 'Departamento\nNo mascotas.', 'false'],
    ['property', 'plotArea', 'Vendo terreno en Chascomús 600 mts\nEscritura.', '600 m²'],
    ['property', 'plotArea', 'Vendo\nLote de 20 x 30, luz en la puerta.', '20 x 30 m'],
    ['generic', 'price', 'Tickets\nFace value £48.50 each.', undefined],
    ['generic', 'price', 'Sammlung 2 Euro Gedenkmünzen\n84 Stück.', undefined],
    ['generic', 'price', 'Welpen\n400 € Anzahlung reserviert einen. 1.300 €.', '1300'],
    ['services', 'pricePerHour', 'Nachhilfe\nCHF 38 pro Stunde.', '38'],
    ['generic', 'price', 'Colección de 2 € conmemorativas\nPido 90 €.', '90'],
    ['furniture', 'dimensions', 'Regal\n147x147x39 cm.', '147x147x39'],
    ['furniture', 'condition', 'Oak table\nSome ring marks on the top. Good used condition.', 'good'],
    ['furniture', 'condition', 'Oak table\nSome ring marks on the top.', 'used'],
    ['generic', 'condition', 'Drill\nUsed for one kitchen, then stored, so very good condition.', 'very good'],
    ['generic', 'condition', 'Drill\nUsed for one kitchen.', 'used'],
    ['electronics', 'brand', 'DeWalt drill\nWith two batteries.', 'DeWalt'],
    ['electronics', 'model', 'Sony Bravia OLED tv\nXR-55A80J, with stand.', 'XR-55A80J'],
    ['services', 'liabilityCover', 'Umzüge\nVersichert bis 3 Mio. €.', '3000000'],
    ['jobs', 'employer', 'Chef\nThe Bay Horse, Ripon are looking for a chef.', 'Bay Horse'],
  ])('%s %s: %s', (kind, name, text, value) => {
    expect(factIn(kind, name, text)?.value).toBe(value);
  });

  it('quotes the whole sum that is paid by the month', () => {
    expect(factIn('jobs', 'salaryPeriod', 'Serveur\n2 100 € brut/mois.')).toMatchObject({
      value: 'month',
      quote: '2 100 € brut/mois',
    });
  });
});

describe('money', () => {
  const car = { title: 'Peugeot 208 Allure 2019', description: 'Nafta, 45.000 km, 5 puertas.', location: 'Córdoba' };
  const checks = (listing: object) => score(listing).blockers.map(({ check }) => check);

  it('takes a price that is usual in pesos for possible, and not in euros', () => {
    expect(checks({ ...car, price: 16_500_000, currency: 'ARS' })).toEqual([]);
    expect(checks({ ...car, price: 16_500_000, currency: 'EUR' })).toEqual(['impossible-price']);
    expect(checks({ ...car, price: 160_000_000_000, currency: 'ARS' })).toEqual(['impossible-price']);
  });

  it('takes a dollar sign for the currency of the listing', () => {
    const currencyOf = (currency: string, description: string) =>
      score({ ...car, description, price: 128_000, currency }).facts.find(({ name }) => name === 'currency')?.value;
    expect(currencyOf('MXN', 'Precio $128,000 a tratar.')).toBeUndefined();
    expect(currencyOf('MXN', 'Precio US$ 7,000 a tratar.')).toBe('USD');
    expect(currencyOf('', 'Precio $128,000 a tratar.')).toBe('USD');
  });

  it.each([
    [142, 'Bj. 2017, 96 TKM. 14.200 EUR.', ['contradiction-price']],
    [14.2, 'Bj. 2017, 96 TKM. 14.200 EUR.', ['contradiction-price']],
    [14_200, 'Bj. 2017, 96 TKM. 14.200 EUR.', []],
    [142, 'Bj. 2017, 96 TKM. NP 14.200 EUR.', []],
  ])('%d is a slip if the text asks for it with its thousands: %s', (price, description, expected) => {
    const blockers = checks({ title: 'Audi A3, Benzin', description, price, currency: 'EUR', location: 'Ulm' });
    expect(blockers.filter((check) => check.startsWith('contradiction'))).toEqual(expected);
  });

  it('takes spares only for no new device', () => {
    const laptop = { title: 'Dell XPS 13', description: 'Listed as spares only, the hinge is snapped.', price: 350 };
    expect(checks({ ...laptop, attributes: { condition: 'new' } })).toContain('contradiction-condition');
  });

  it('takes an area far smaller than the home for a part of it', () => {
    const home = { description: 'Séjour lumineux, alcôve de 20 m2, 4 chambres.', price: 245_000, currency: 'EUR' };
    expect(checks({ ...home, title: 'Maison à vendre 110 m2', location: 'Brest' })).toEqual([]);
    const other = { ...home, description: 'Maison de 80 m2, 4 chambres.' };
    expect(checks({ ...other, title: 'Maison à vendre 110 m2', location: 'Brest' })).toEqual(['contradiction-areasqm']);
  });
});

describe('what kind of thing it is', () => {
  const kindOf = (title: string, description: string) => score({ title, description }).kind;

  it.each([
    ['Westerly Centaur 26 bilge keel sailing yacht', 'Built 1974, sleeps six, lying ashore.', 'vehicles'],
    ['Fishing boat with outboard', 'Moored on the Wye, 120 engine hours, berths for two.', 'vehicles'],
    ['Day boat, Orkney Longliner', 'Mariner 30hp two stroke, trailer.', 'vehicles'],
    ['Spacious 3 bed semi in Stockport', 'Gas central heating, chain free.', 'property'],
    ['Single bed, semi new', 'Pine, with mattress.', 'furniture'],
    ['Rowing boat for children', 'With two oars.', 'generic'],
    ['Velero Puma 29', 'Eslora 8,75 m, motor Yanmar.', 'vehicles'],
    ['Bateau semi-rigide Zodiac Medline 500', 'Moteur Yamaha 70 cv, remorque freinée.', 'vehicles'],
    ['Motorboot Quicksilver 505', 'Liegeplatz kann übernommen werden.', 'vehicles'],
    ['Yamaha MT-07 ABS', 'Second owner, never dropped.', 'vehicles'],
    ['Vespa Primavera 125', 'Erst 3.900 km gelaufen.', 'vehicles'],
    ['Chevrolet Aveo LT', 'Llantas al 80%, a/c helado.', 'vehicles'],
    ['0.75 acre building plot', 'Mains water and electricity at the boundary.', 'property'],
    ['Vendo terreno 600 mts', 'Escritura inmediata, luz en la puerta.', 'property'],
    ['Bauplatz in ruhiger Lage', 'Voll erschlossen, 640 m².', 'property'],
    ['Terrain à bâtir', 'Viabilisé, hors lotissement.', 'property'],
    // The same names of other things.
    ['Yamaha P-45 Digitalpiano', 'Wenig gespielt, mit Ständer.', 'generic'],
    ['Oil painting of sailing boats', 'Framed, with a certificate.', 'generic'],
    ['Lit bateau merisier', 'Bon état, sommier inclus.', 'furniture'],
    ['Cocker spaniel pups', 'Dad is a local stud, £200 deposit secures one.', 'generic'],
    ['Kleiner Kater sucht Zuhause', 'Kommt aus gutem Haus, Anzahlung 100 €, Kaution keine.', 'generic'],
  ])('%s', (title, description, kind) => {
    expect(kindOf(title, description)).toBe(kind);
  });

  it('asks boats neither for a mileage nor for gears', () => {
    const { missingFacts } = score({ title: 'Westerly Centaur sailing yacht, built 1974', description: 'Sleeps six.' });
    expect(missingFacts).not.toContain('mileage');
    expect(missingFacts).not.toContain('transmission');
  });
});

it('takes the French for postage in short for no insult beside what is sold', () => {
  const title = 'Baskets Nike blanches';
  expect(score({ title, description: 'Comme neuves, pointure 42. 55€ fdp inclus.', price: 55 }).findings).toEqual([]);
  const { findings } = ask(riskFamily, CheckRiskRequestSchema, { text: 'Tu vas voir demain, espèce de fdp.' });
  expect(findings.map(({ category }) => category)).toContain('harassment');
});
