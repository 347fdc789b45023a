// What cannot be true in a listing, and what only looks like it.
import { describe, expect, it } from 'vitest';
import { ScoreListingRequestSchema } from '../../src/gen/intelligence/workflow/v1/readiness_pb.ts';
import { readinessFamily } from '../../src/workflows/families/readiness.ts';
import { ask } from './ask.ts';

const blockers = (
  category: string,
  title: string,
  description: string,
  attributes: Record<string, unknown> = {},
  price?: number,
) =>
  ask(readinessFamily, ScoreListingRequestSchema, {
    listing: { title, description, category, attributes, ...(price === undefined ? {} : { price, currency: 'EUR' }) },
  })
    .blockers.map(({ check }) => check)
    .filter((check) => /^(?:contradiction|impossible|title-mash|description-mash)/.test(check));

describe('a field and the prose', () => {
  it.each([
    ['Autos', 'Ford Focus', 'Baujahr 2012, Diesel.', { Baujahr: '2016' }, 'contradiction-year'],
    ['Voitures', 'Dacia Duster', 'Moteur diesel de 110 ch.', { carburant: 'Essence' }, 'contradiction-fuel'],
    ['Coches', 'Kia Sportage', 'Cambio automático, 132 CV.', { cambio: 'Manual' }, 'contradiction-transmission'],
    ['Cars', 'Nissan Leaf', 'Fully electric, automatic.', { fuel: 'Petrol' }, 'contradiction-fuel'],
    ['Autos', 'Opel Astra', 'Unfallwagen mit Frontschaden.', { Unfallfrei: 'Ja' }, 'contradiction-accidentfree'],
    ['Cars', 'Ford Focus', 'Diesel, 150 bhp.', { hp: 95 }, 'contradiction-powerhp'],
    ['Pisos', 'Piso en venta', 'Con 2 baños y 4 dormitorios.', { dormitorios: 2 }, 'contradiction-bedrooms'],
    ['Wohnungen', 'Wohnung', 'Energieklasse F, 60 m².', { Energieklasse: 'B' }, 'contradiction-energyclass'],
    ['Locations', 'Appartement', 'Non meublé, 40 m².', { meublé: 'oui' }, 'contradiction-furnished'],
    ['Laptops', 'Dell XPS 13', '13 inch, 16 GB RAM.', { display: '15.6' }, 'contradiction-screeninch'],
    ['Jobs', 'Cook wanted', 'Full-time, permanent.', { workload: 'part-time' }, 'contradiction-workload'],
    ['Stellen', 'Koch gesucht', 'Befristet auf ein Jahr.', { Vertragsart: 'unbefristet' }, 'contradiction-contract'],
    [
      'Phones',
      'Pixel 7',
      'Screen is smashed and it will not turn on.',
      { condition: 'New' },
      'contradiction-condition',
    ],
    ['Handys', 'iPhone 12', 'Geht leider nicht mehr an.', { Zustand: 'Sehr gut' }, 'contradiction-condition'],
    ['Laptops', 'MacBook Pro 14', 'Used daily for three years.', { condition: 'New' }, 'contradiction-condition'],
  ])('of %s, %s contradict each other: %s %o', (category, title, description, attributes, check) => {
    expect(blockers(category, title, description, attributes)).toContain(check);
  });

  it('are told with both values, in the words of the reader', () => {
    const { blockers } = ask(readinessFamily, ScoreListingRequestSchema, {
      listing: {
        title: 'Dacia Duster',
        description: 'Moteur diesel.',
        category: 'Voitures',
        attributes: { fuel: 'petrol' },
      },
      locale: 'fr',
    });
    const found = blockers.find(({ check }) => check === 'contradiction-fuel');
    expect(found?.fact).toBe('carburant');
    expect(found?.message).toContain('essence');
    expect(found?.message).toContain('diesel');
  });

  it.each([
    ['Cars', 'Golf GTE', 'Petrol and electric, plug-in.', { fuel: 'plug-in hybrid' }],
    ['Cars', 'Golf', "Petrol, electric windows, owner's manual in the glovebox.", { transmission: 'automatic' }],
    ['Autos', 'Opel Astra', 'Autogas nachgerüstet.', { Kraftstoff: 'Benzin' }],
    ['Autos', 'Opel Astra', 'Modelljahr 2016, gepflegt.', { Erstzulassung: '11/2015' }],
    ['Autos', 'Opel Astra', 'Bremsen 2021 erneuert, Kupplung von 2022.', { Baujahr: 2012 }],
    ['Wohnungen', 'Wohnung', 'Kaltmiete 700 €, warm 890 €.', { Miete: 890 }],
    ['Stellen', 'Koch', 'Vollzeit, Teilzeit möglich.', { Arbeitszeit: 'Vollzeit' }],
    ['Phones', 'Pixel 7', 'Box is damaged, the phone is fine.', { condition: 'New' }],
    ['Cars', 'Golf', 'Two keepers from new.', { owners: 1 }],
  ])('of %s, %s do not: %s %o', (category, title, description, attributes) => {
    expect(blockers(category, title, description, attributes)).toEqual([]);
  });
});

it('a title and its description contradict each other, unless the description says the same as well', () => {
  expect(blockers('Wohnungen', '3-Zimmer-Wohnung', 'Schöne 2-Zimmer-Wohnung mit Balkon.')).toEqual([
    'contradiction-rooms',
  ]);
  expect(blockers('Wohnungen', '3-Zimmer-Wohnung', 'Die 3 Zimmer liegen ruhig, 2 Zimmer nach Süden.')).toEqual([]);
  expect(blockers('Autos', 'Golf Diesel', 'Sparsamer Benziner.')).toContain('contradiction-fuel');
});

describe('a number in words', () => {
  const rooms = (title: string, description: string) =>
    ask(readinessFamily, ScoreListingRequestSchema, {
      listing: { title, description, category: 'Property' },
      locale: 'en',
    })
      .blockers.filter(({ check }) => check.startsWith('contradiction'))
      .map(({ message }) => message);

  it.each([
    ['Two-bedroom flat to rent', 'A bright flat with 3 bedrooms.', 'Two-bedroom', '3 bedrooms'],
    ['Flat with two bedrooms', 'A flat with three bedrooms.', 'two bedrooms', 'three bedrooms'],
    ['Dreizimmerwohnung', 'Helle 2-Zimmer-Wohnung mit Balkon.', 'Dreizimmerwohnung', '2-Zimmer-Wohnung'],
    ['Piso de tres dormitorios', 'Piso luminoso de 2 dormitorios.', 'tres dormitorios', '2 dormitorios'],
    ['Appartement de trois pièces', 'Bel appartement de 2 pièces.', 'trois pièces', '2 pièces'],
  ])('contradicts another, and both are quoted: %s, %s', (title, description, one, other) => {
    expect(rooms(title, description)).toEqual([`Two values are given: ${one}, and "${other}".`]);
  });

  it.each([
    ['Two-bedroom flat', '2 bedrooms; with the loft 3 bedrooms.'],
    ['3-Zimmer-Wohnung', 'Drei Zimmer, davon 2 Zimmer nach Süden.'],
    ['Piso de 3 dormitorios', 'Tres dormitorios, 2 dormitorios dobles.'],
    ['Appartement de trois pièces', 'Ses 3 pièces sont claires, dont 2 pièces au sud.'],
    // No number at all.
    ['Studio to rent', 'Two rooms share the kitchen.'],
  ])('is repeated by digits, and digits by words; both are no contradiction: %s, %s', (title, description) => {
    expect(rooms(title, description)).toEqual([]);
  });
});

it('a contradiction is told once, in the words of the listing', () => {
  const { blockers } = ask(readinessFamily, ScoreListingRequestSchema, {
    listing: { title: 'Cook, 20 hours per week', description: '40 hours a week.', category: 'Jobs' },
    locale: 'en',
  });
  expect(blockers.filter(({ check }) => check === 'contradiction-hoursperweek')).toHaveLength(1);
  const price = ask(readinessFamily, ScoreListingRequestSchema, {
    listing: { title: 'Opel Corsa', description: 'Festpreis 8.900 €', category: 'Autos', price: 4300, currency: 'EUR' },
    locale: 'en',
  });
  expect(price.blockers.find(({ check }) => check === 'contradiction-price')?.message).toContain('"Festpreis 8.900"');
});

it('a phone has one storage, a computer may have two drives', () => {
  expect(blockers('Tablets', 'iPad 64GB', 'iPad, 256GB, space grey.', { storage: '64GB' })).toEqual([
    'contradiction-storagegb',
  ]);
  expect(blockers('Laptops', 'Dell XPS 512GB', 'SSD, and a drive of 1 TB.', { storage: '512GB' })).toEqual([]);
});

it('a price in prose is compared with the field, unless it is of something else', () => {
  expect(blockers('Autos', 'Opel Corsa', 'Preis 8.900 €.', {}, 4300)).toEqual(['contradiction-price']);
  expect(blockers('Autos', 'Opel Corsa', 'VB 4.500 €, Neupreis 18.900 €.', {}, 4300)).toEqual([]);
  expect(blockers('Möbel', 'Stühle', 'Preis 40 € pro Stück.', {}, 160)).toEqual([]);
});

it.each([
  'Preis: 12,50 € pro Stück.',
  'Preis: 1.200 Euro pro Stück.',
  'Preis: 12,50 € das Stück.',
  'price: £1,200 each',
  'Price: 12.50 per chair',
  'Precio: 12,50 € cada una.',
  'Precio: 1 200 € por silla.',
  'Prix : 12,50 € la pièce.',
  "Preis: 1'200 je Stuhl.",
])('does not take the price of each for the price of all: %s', (description) => {
  expect(blockers('Möbel', 'Stühle', description, {}, 75)).toEqual([]);
});

it.each(['Preis: 12,50 €.', 'price: £1,200', 'Precio: 1 200 €'])('reads the whole price: %s', (description) => {
  expect(blockers('Möbel', 'Stühle', description, {}, 75)).toEqual(['contradiction-price']);
});

it.each([
  ['Cars', 'Opel Corsa', { powerHp: 9000 }, 'impossible-powerhp'],
  ['Phones', 'iPhone 12', { batteryHealth: '140 %' }, 'impossible-batteryhealthpercent'],
  ['Flats', 'Flat', { floor: 900 }, 'impossible-floor'],
  ['Phones', 'iPhone 12', { purchased: '2099' }, 'impossible-year'],
])('of %s, %s with %o cannot be', (category, title, attributes, check) => {
  expect(blockers(category, title, 'As described.', attributes)).toContain(check);
});

describe('random keystrokes', () => {
  it.each([
    ['asdf umzug test', 'asdfasdf jklö jklö qwertz 123 test test test bla bla xxxxx yyyyy'],
    ['aaaa fontanero prueba', 'asd asd asd qwe qwe zxc zxc prueba prueba 1234 jajaja xxxx'],
    ['azerty azerty', 'aze qsd wxc qsdfgh dfghj'],
    ['Sofa', 'sdkjfh sdfkjh wkjrhg skdjfh'],
    ['Sofa', 'asdfgh qwertz jklö'],
    ['Sofa', 'dfgjkh sdkfjh wer'],
  ])('are told: %s', (title, description) => {
    expect(blockers('Services', title, description)).toContain('description-mash');
  });

  it.each([
    ['HDMI USB-C KVM switch', 'For two PCs with HDMI, USB, VGA and DVI, works with GTX and RTX cards.'],
    ['Kirschholzschrank', 'Schrank aus Kirschholz, Angstkäufer wollten ihn nicht.'],
    ['QWERTZ keyboard', 'German QWERTZ layout, tested, were used in one office only.'],
    ['Nachtschrank Kunststoff weiß', 'Nachtschrank aus Kunststoff.'],
    ['Obstschale Kunststoff', 'Herbstblumen, Lichtschalter, Kunststoff.'],
    ['Lichtschalter Kunststoff weiß', 'Rechtschreibung, Angstschweiß, Herbstschmuck.'],
    ['Trek Zero', 'Trek Zero, tree green.'],
    ['Pull très vert', 'Très vert.'],
    ['Test equipment', 'Test meter for electricians with probes and test leads.'],
  ])('are not seen in words: %s', (title, description) => {
    expect(blockers('Electronics', title, description).filter((check) => check.endsWith('mash'))).toEqual([]);
  });

  it('are told of the field that has them', () => {
    const real = 'Grey sofa for three, bought two years ago, no marks.';
    expect(blockers('Furniture', 'asdf qwertz', real)).toEqual(['title-mash']);
    expect(blockers('Furniture', 'Grey sofa', 'asdf qwertz dfgh')).toEqual(['description-mash']);
  });
});
