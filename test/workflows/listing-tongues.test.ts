// Facts as sellers in four countries write them: local names of attributes, abbreviations, dates and numbers.
import { describe, expect, it } from 'vitest';
import { ScoreListingRequestSchema } from '../../src/gen/intelligence/workflow/v1/readiness_pb.ts';
import { readinessFamily } from '../../src/workflows/families/readiness.ts';
import { ask } from './ask.ts';

const facts = (category: string, title: string, description: string, attributes: Record<string, unknown> = {}) => {
  const reply = ask(readinessFamily, ScoreListingRequestSchema, {
    listing: { title, description, category, attributes },
  });
  return Object.fromEntries(reply.facts.map(({ name, value }) => [name, value]));
};

describe('a vehicle', () => {
  it.each([
    ['Skoda Octavia Combi 2.0 TDI DSG', { make: 'Skoda', model: 'Octavia' }],
    ['Peugeot 208 1.6 BlueHDi', { make: 'Peugeot', model: '208', engineLitres: '1.6' }],
    ['Peugeot 2008 Allure', { model: '2008' }],
    ['Mercedes C 220 d T-Modell', { make: 'Mercedes-Benz', model: 'C 220 d' }],
    ['Golf 7 in gutem Zustand', { make: 'Volkswagen', model: 'Golf' }],
    ['2019 Ford Transit Custom 2.0 EcoBlue', { make: 'Ford', model: 'Transit Custom', engineLitres: '2' }],
    ['Tesla Model 3 Long Range', { make: 'Tesla', model: 'Model 3' }],
    ['Toyota von privat', { make: 'Toyota', model: undefined }],
    ['Renault 2015 diesel', { make: 'Renault', model: undefined }],
  ])('is named by make and model: %s', (title, expected) => {
    expect(facts('Cars', title, 'In use every day, well kept.')).toMatchObject(
      Object.fromEntries(Object.entries(expected).filter(([, value]) => value !== undefined)),
    );
    if ('model' in expected && expected.model === undefined)
      expect(facts('Cars', title, 'In use every day.')).not.toHaveProperty('model');
  });

  it.each([
    ['aus zweiter Hand, 5-Gang Schaltung, 5-türig', { owners: '2', transmission: 'manual', doors: '5' }],
    ['unico dueño, cambio manual de 6 velocidades, 5 puertas', { owners: '1', transmission: 'manual', doors: '5' }],
    ['1ère main, 3 places, boîte manuelle', { owners: '1', seats: '3', transmission: 'manual' }],
    ['7 seats, 6 speed auto, SOH 94 %', { seats: '7', transmission: 'automatic', batteryHealthPercent: '94' }],
    ['HU 04/27, EZ 09/1998', { inspectionUntil: '2027-04', firstRegistration: '1998-09' }],
    ['Erstzulassung 12.03.2018', { firstRegistration: '2018-03-12', year: '2018' }],
    ['Garantie bis 06/2027, Zweitbesitz', { warrantyUntil: '2027-06', owners: '2' }],
    ['1ère immatriculation 09/2019', { firstRegistration: '2019-09' }],
    ['ITV en vigor hasta el 14 de mayo de 2027', { inspectionUntil: '2027-05-14' }],
  ])('says in prose: %s', (description, expected) => {
    expect(facts('Autos', 'Ford Focus', description)).toMatchObject(expected);
  });

  it.each([
    ['Gasta 4,2 l en ciudad', 'engineLitres'],
    ['Das Auto läuft gut', 'transmission'],
    ["With the owner's manual", 'transmission'],
    ['Electric windows and mirrors', 'fuel'],
    ['Elektrische Fensterheber', 'fuel'],
    ['Steuerkette wurde 2021 gemacht', 'year'],
    ['Anzahlung 1.500 €', 'price'],
  ])('does not say by "%s" its %s', (description, fact) => {
    expect(facts('Autos', 'Ford Focus', description)).not.toHaveProperty(fact);
  });

  it('has attributes of local names, with units in brackets or in the value', () => {
    expect(
      facts('Autos', 'Ford Focus', 'Gut gepflegt.', {
        'Laufleistung (km)': '89.450',
        Erstzulassung: '09/2011',
        HU: '03/2027',
        Leistung: '110 PS',
        Türen: '5',
        Farbe: 'Anthrazit',
        Modell: 'Focus Turnier',
      }),
    ).toMatchObject({
      ...{ mileageKm: '89450', firstRegistration: '2011-09', year: '2011', inspectionUntil: '2027-03' },
      ...{ powerHp: '110', doors: '5', colour: 'grey', model: 'Focus Turnier' },
    });
    expect(facts('Autos', 'Ford Focus', 'Gut.', { Leistung: '110 PS' })).not.toHaveProperty('powerKw');
    expect(facts('Voitures', 'Zoe', 'Bien.', { boîte: 'Automatique', énergie: 'Électrique' })).toMatchObject({
      transmission: 'automatic',
      fuel: 'electric',
    });
  });
});

describe('a home', () => {
  it.each([
    [
      'Mietwohnungen',
      '2 ZKB, 58 m², KM 690 € + 160 € NK, Kaution 2.070 €. Frei ab 01.02.2027. Bj. 1974.',
      {
        ...{ rooms: '2', rentPerMonth: '690', deposit: '2070', availableFrom: '2027-02-01', yearBuilt: '1974' },
        offer: 'rent',
      },
    ],
    [
      'WG-Zimmer',
      'Möbliert, 340 € warm, ab 1.1.2027 frei, mindestens 6 Monate, keine Haustiere.',
      {
        ...{ furnished: 'true', rentPerMonth: '340', availableFrom: '2027-01-01', minimumStayMonths: '6' },
        petsAllowed: 'false',
      },
    ],
    [
      'Pisos en venta',
      '3 hab. dobles, finca de 1930. Calificación energética D.',
      {
        ...{ bedrooms: '3', yearBuilt: '1930', energyClass: 'D', offer: 'sale' },
      },
    ],
    [
      'Alquiler de pisos',
      'Amueblado, fianza 900 €, disponible desde el 1 de enero de 2027.',
      {
        ...{ furnished: 'true', deposit: '900', availableFrom: '2027-01-01', offer: 'rent' },
      },
    ],
    [
      'Locations',
      'T3 non meublé, dépôt de garantie 900 €. Libre le 15/01/2027. Construit en 1986.',
      {
        ...{ rooms: '3', furnished: 'false', deposit: '900', availableFrom: '2027-01-15', yearBuilt: '1986' },
      },
    ],
    [
      'Property to rent',
      'Built 1934, unfurnished, deposit £1,325, available from 1st February 2027.',
      {
        ...{ yearBuilt: '1934', furnished: 'false', deposit: '1325', availableFrom: '2027-02-01' },
      },
    ],
  ])('in %s says: %s', (category, description, expected) => {
    expect(facts(category, 'Flat', description)).toMatchObject(expected);
  });

  // It is 22 November 2026.
  it.each([
    ['ab 1.4.', '2027-04-01'],
    ['Frei ab 01.04.', '2027-04-01'],
    ['Frei ab 01.04 in Graz', '2027-04-01'],
    ['Frei ab 1. Dezember', '2026-12-01'],
    ['Frei ab 1.11.', '2026-11-01'],
    ['Available from 1st April', '2027-04-01'],
    ['Available from May', '2027-05'],
    ['Disponible desde el 1 de abril', '2027-04-01'],
    ['Libre à partir du 1er avril', '2027-04-01'],
    ['Libre à partir du 1/4.', '2027-04-01'],
    ['Frei ab 02.2027', '2027-02'],
    ['Available from 1.5 miles to the station', undefined],
    ['Available 24/7, pets may be considered', undefined],
    ['Ab 2.5 Zimmer', undefined],
    ['Bewerbungen bis 1.4.', undefined],
  ])('is free from a day without its year: %s', (description, date) => {
    expect(facts('Mietwohnungen', 'Wohnung', description).availableFrom).toBe(date);
  });

  it('does not say when it is free by until when somebody may apply', () => {
    expect(facts('Mietwohnungen', 'Wohnung', 'Bewerbungen bis 01.02.2027.')).not.toHaveProperty('availableFrom');
    expect(facts('Häuser zum Kauf', 'Haus', 'Hausgeld 290 €.')).not.toHaveProperty('price');
  });
});

describe('a device', () => {
  it.each([
    ['Nintendo Switch OLED blanca', 'Switch OLED'],
    ['iPhone 12 de 64 GB', 'iPhone 12'],
    ['Canon EOS 80D mit 18-135mm', 'EOS 80D'],
    ['Lenovo ThinkPad T14 Gen 2', 'ThinkPad T14 Gen 2'],
    ['Portátil HP Pavilion 15-eg2005ns', 'Pavilion 15-eg2005ns'],
    ['iPhone 15 Pro Max 256GB', 'iPhone 15 Pro Max'],
    ['PS5 brand new', 'PS5'],
  ])('has a model as its seller writes it: %s', (title, model) => {
    expect(facts('Electronics', title, 'In good condition.').model).toBe(model);
  });

  it.each([
    ['Akkukapazität 87 %, gekauft im März 2022', { batteryHealthPercent: '87', purchased: '2022-03' }],
    ['Batería al 82 %, comprado en diciembre de 2024', { batteryHealthPercent: '82', purchased: '2024-12' }],
    ['Procesador i5-1235U, 60 Hz, pesa 1,7 kg', { processor: 'i5-1235U', refreshHz: '60', weightKg: '1.7' }],
    ['Ca. 21.000 Auslösungen, 24 Megapixel', { shutterCount: '21000', megapixels: '24' }],
    [
      'Waschmaschine 7 kg, Energieklasse A++, gekauft 11/2021',
      { capacityKg: '7', energyClass: 'A++', purchased: '2021-11' },
    ],
    ['H 85 x B 59,6 x T 63,6 cm', { heightCm: '85', widthCm: '59.6', depthCm: '63.6' }],
    ['H 84,5 x L 60 x P 61 cm', { heightCm: '84.5', widthCm: '60', depthCm: '61' }],
  ])('says in prose: %s', (description, expected) => {
    expect(facts('Electronics', 'Gerät', description)).toMatchObject(expected);
  });

  it('has choices in the words of its field', () => {
    const of = (zustand: string) => facts('Handys', 'iPhone 12', 'Mit Hülle.', { Zustand: zustand }).condition;
    expect(['Gut', 'Neu', 'Sehr gut', 'Defekt'].map(of)).toEqual(['good', 'new', 'very good', 'for parts']);
    expect(facts('Móviles', 'iPhone 12', 'Con funda.', { color: 'plata', estado: 'Nuevo' })).toMatchObject({
      colour: 'silver',
      condition: 'new',
    });
  });

  it.each([
    ['Zustand sehr gut, immer mit Hülle benutzt', 'very good'],
    ['Zustand: gut', 'good'],
    ['Console neuve, dans sa boîte', 'new'],
  ])('has the condition that comes after the word: %s', (description, condition) => {
    expect(facts('Electronics', 'PS4', description).condition).toBe(condition);
  });

  it('does not have the storage of a card', () => {
    expect(facts('Kameras', 'Canon EOS 80D', 'Mit 64-GB-Karte und Tasche.')).not.toHaveProperty('storageGb');
  });
});

describe('work', () => {
  it.each([
    [
      'Unbefristet, 3.400 - 3.900 € brutto im Monat, 30 Tage Urlaub, abgeschlossene Ausbildung. Eintritt zum 01.03.2027.',
      {
        ...{ contract: 'permanent', salaryMin: '3400', salaryMax: '3900', leaveDays: '30', startDate: '2027-03-01' },
        salaryPeriod: 'month',
      },
    ],
    [
      'Beginn 01.08.2027, Dauer 3 Jahre. Bewerbungsschluss: 31.03.2027.',
      {
        ...{ startDate: '2027-08-01', durationMonths: '36', applyBy: '2027-03-31' },
      },
    ],
    [
      '28.000 - 35.000 € brutos anuales, experiencia mínima de 1 año, 100 % remoto',
      {
        ...{ salaryMax: '35000', salaryPeriod: 'year', experienceYears: '1', remote: 'true' },
      },
    ],
    [
      'CDD de 6 mois, 12,50 € brut de l’heure, expérience de 1 an. Début le 04/01/2027',
      {
        ...{ contract: 'fixed-term', durationMonths: '6', salaryPeriod: 'hour', experienceYears: '1' },
        startDate: '2027-01-04',
      },
    ],
    ['Start 11 January 2027. Closing date 12 December 2026.', { startDate: '2027-01-11', applyBy: '2026-12-12' }],
  ])('says: %s', (description, expected) => {
    expect(facts('Jobs', 'Mitarbeiter gesucht', description)).toMatchObject(expected);
  });

  it('of a service has a price an hour, a least time and its insurance', () => {
    expect(facts('Servicios', 'Electricista', '35 €/hora, mínimo 2 horas, seguro de 600.000 €.')).toMatchObject({
      ...{ pricePerHour: '35', minimumHours: '2', liabilityCover: '600000' },
    });
    expect(facts('Trades', 'Gutter cleaning', 'From £65, public liability of £2 million.')).toMatchObject({
      ...{ priceFrom: '65', liabilityCover: '2000000' },
    });
  });

  it('begins on a day without its year', () => {
    expect(facts('Jobs', 'Koch gesucht', 'Ab 1.4., Vollzeit').startDate).toBe('2027-04-01');
    expect(facts('Jobs', 'Waiter', 'Starting 3rd January').startDate).toBe('2027-01-03');
  });

  it('is not remote because it is about a shop online', () => {
    expect(facts('Jobs', 'Développeur PHP', 'Notre boutique en ligne. CDI, deux jours de télétravail.').remote).toBe(
      'hybrid',
    );
    expect(facts('Nachhilfe', 'Mathe-Nachhilfe', 'Ich gebe Nachhilfe, auch online.').remote).toBe('true');
  });

  it('is of the kind that its category says, if nothing else does', () => {
    expect(facts('Ausbildung', 'Kaufmann gesucht', 'Farben und Tapeten verkaufen.').contract).toBe('apprenticeship');
    expect(facts('Teletrabajo', 'Se busca grabador', 'Salario 1.200 euros al mes.').remote).toBe('true');
  });
});
