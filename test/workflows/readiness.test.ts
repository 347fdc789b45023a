import { describe, expect, it } from 'vitest';
import { ScoreListingRequestSchema } from '../../src/gen/intelligence/workflow/v1/readiness_pb.ts';
import { readinessAssistance } from '../../src/workflows/assist/readiness.ts';
import { listingPacks, readinessFamily } from '../../src/workflows/families/readiness.ts';
import { riskMessages } from '../../src/workflows/families/risk-assessment.ts';
import { ask, prepare, refusedFields } from './ask.ts';

const listing = {
  title: 'Solid oak table for six people',
  category: 'Furniture',
  price: 420,
  currency: 'EUR',
  location: 'Graz',
};

describe('listing packs', () => {
  it('hold at least 25 checks, of which each category adds some', () => {
    const generic = listingPacks.get('generic')?.checks.length ?? 0;
    expect(generic).toBeGreaterThanOrEqual(25);
    for (const name of ['vehicles', 'property', 'electronics'])
      expect(listingPacks.get(name)?.checks.length).toBeGreaterThanOrEqual(generic + 5);
  });

  for (const [policy, pack] of listingPacks)
    for (const example of pack.examples)
      it(`${policy}: ${example.name}`, () => {
        const reply = ask(readinessFamily, ScoreListingRequestSchema, { listing: example.input, policy });
        expect(reply).toMatchObject(example.expect);
        expect(reply.basis?.checks.filter(({ outcome }) => outcome === 'error')).toEqual([]);
      });
});

describe('readiness of a listing', () => {
  it.each([
    ['en', 'self_harm', 'I sell it because I want to end my life tonight.'],
    ['de', 'self_harm', 'Ich will nicht mehr leben.'],
    ['es', 'victim', 'La vendo porque mi marido me pega.'],
    ['fr', 'victim', 'Je vends, mon mari me frappe.'],
  ] as const)('asks for help first where somebody is in danger (%s, %s): %s', (language, need, description) => {
    const reply = ask(readinessFamily, ScoreListingRequestSchema, {
      listing: { ...listing, price: 0, description },
      locale: language,
    });
    const { victim, categories } = riskMessages.get(language) ?? {};
    expect(reply.nextBestAction).toBe(need === 'victim' ? victim?.action : categories?.[need].action);
    expect(reply.ready).toBe(false);
    const worded = readinessAssistance.texts({} as never, reply).map(({ id }) => id);
    expect(worded).not.toContain('action');
  });

  it('chooses the pack by the category', () => {
    const packOf = (category: string) =>
      ask(readinessFamily, ScoreListingRequestSchema, { listing: { ...listing, title: 'Offer of the week', category } })
        .basis?.packVersion;
    expect(packOf('Used Cars')).toBe('listing/vehicles@11');
    expect(packOf('Apartments')).toBe('listing/property@10');
    expect(packOf('Mobile phones')).toBe('listing/electronics@6');
    expect(packOf('Gebrauchtwagen')).toBe('listing/vehicles@11');
    expect(packOf('Stellenangebote')).toBe('listing/jobs@5');
    expect(packOf('Carpets')).toBe('listing/generic@10');
  });

  it('lets what the listing says decide where the category says something else', () => {
    const reply = ask(readinessFamily, ScoreListingRequestSchema, { listing: { ...listing, category: 'Used Cars' } });
    expect(reply.kind).toBe('furniture');
  });

  const factOf = (name: string, title: string, description: string, policy = '') =>
    ask(readinessFamily, ScoreListingRequestSchema, { listing: { title, description }, policy }).facts.find(
      (fact) => fact.name === name,
    )?.value;

  it.each([
    ['Kleine Schramme an der Seite.', 'used'],
    ['Tiene un golpe pequeño.', 'used'],
    ['Une petite éraflure.', 'used'],
    ['Sie läuft einwandfrei.', 'working'],
    ['La lavadora no funciona.', 'for parts'],
    ['La lavadora funciona bien.', 'working'],
    ['Sie funktioniert leider nicht mehr.', 'for parts'],
    ['Sie funktioniert.', 'working'],
    ['Il ne fonctionne plus.', 'for parts'],
    ["It doesn't work any more.", 'for parts'],
  ])('reads what does not work as what it is: %s', (description, condition) =>
    expect(factOf('condition', 'Bosch TV', description)).toBe(condition),
  );

  it.each([
    ['CT du 03/2026, essence', '2028-03'],
    ['Contrôle technique du 12/03/2026', '2028-03-12'],
    ['CT OK jusqu’au 03/2027', '2027-03'],
    ['CT valable jusqu’en mars 2027', '2027-03'],
    ['TÜV bis 03/2027', '2027-03'],
  ])('reads until when an inspection holds: %s', (description, until) =>
    expect(factOf('inspectionUntil', 'Renault Clio', description)).toBe(until),
  );

  it.each([
    ['Gehalt 3.000 bis 3.500 € brutto', '3000'],
    ['Gehalt 3000-3500 € brutto', '3000'],
    ['Salary 40-45k€', '40000'],
    ['Pay €40,000 - €50,000', '40000'],
    ['Sueldo 1.500 a 1.800 € al mes', '1500'],
    ['Salaire 2500 € brut', '2500'],
    ['Pay 55k to 68k a year', '55000'],
    ['Gehalt 55-68 TEUR', '55000'],
    ['Sueldo de 30 a 35k', '30000'],
    ['Salaire 38 à 45 k€', '38000'],
    ['8 to 10 tables, 40k steps', undefined],
    ['In 2 Jahren und 2400 € brutto', '2400'],
  ])('reads the lower end of what a job pays: %s', (description, pay) =>
    expect(factOf('salaryMin', 'Koch m/w/d', description, 'jobs')).toBe(pay),
  );

  it.each([
    ['Die Muster Bau GmbH sucht einen Koch.', 'Muster Bau GmbH'],
    ['Hotel Adler sucht einen Koch.', 'Hotel Adler'],
    ['Restaurante Sol busca cocinero.', 'Restaurante Sol'],
    ['Boulangerie Martin recrute.', 'Boulangerie Martin'],
    ['A developer for our team at Northwind Ltd.', 'Northwind Ltd'],
  ])('reads who employs by their name: %s', (description, employer) =>
    expect(factOf('employer', 'Koch m/w/d', description, 'jobs')).toBe(employer),
  );

  it('takes where to apply to as part of a job, and pay for no telephone number', () => {
    const findings = (title: string, policy: string) =>
      ask(readinessFamily, ScoreListingRequestSchema, {
        listing: { title, description: 'Gehalt 3000-3500 €. Schreiben Sie an jobs@musterbau.de.' },
        policy,
      }).findings.map(({ phrase }) => phrase);
    expect(findings('Koch m/w/d', 'jobs')).toEqual([]);
    expect(findings('Tisch aus Eiche', 'furniture')).toEqual(['jobs@musterbau.de']);
  });

  it('reads facts from the text, with the words that say them', () => {
    const reply = ask(readinessFamily, ScoreListingRequestSchema, {
      listing: {
        title: 'Opel Corsa 1.2 Benziner',
        description:
          'Erstzulassung 05/2018, Kilometerstand 61.400 km, Schaltgetriebe, TÜV bis 03/2027, Scheckheft gepflegt.',
        category: 'Gebrauchtwagen',
        attributes: { kraftstof: 'Benzin' },
      },
    });
    expect(reply.facts.filter(({ name }) => ['mileageKm', 'year', 'fuel'].includes(name))).toEqual([
      { name: 'mileageKm', value: '61400', source: 'text', quote: '61.400 km' },
      { name: 'year', value: '2018', source: 'text', quote: 'Erstzulassung 05/2018' },
      { name: 'fuel', value: 'petrol', source: 'text', quote: 'Benziner' },
    ]);
    expect(reply.missingFacts).not.toContain('mileage');
    expect(reply.unusedFields).toEqual([{ field: 'listing.attributes.kraftstof', nearest: 'kraftstoff' }]);
  });

  it('takes a field that contradicts the text, and values that cannot be, for what blocks', () => {
    const car = {
      title: 'Honda Jazz 1.3 petrol, 2012',
      description: 'Garaged all its life, with full service history. Only 28,900 miles. MOT until October 2027.',
      category: 'Cars',
      price: 6200,
      currency: 'GBP',
      images: [{ url: 'https://img.example/1.jpg' }],
      location: 'Exeter',
    };
    const blockersOf = (more: object) => {
      const reply = ask(readinessFamily, ScoreListingRequestSchema, { listing: { ...car, ...more } });
      return [reply.ready, ...reply.blockers.map(({ check }) => check)];
    };
    expect(blockersOf({})).toEqual([true]);
    expect(blockersOf({ attributes: { mileage: 82900 } })).toEqual([false, 'contradiction-mileage']);
    expect(blockersOf({ price: 3 })).toEqual([false, 'impossible-price']);
    expect(blockersOf({ title: 'Honda Jazz 1.3 petrol, 2035 model' })).toEqual([false, 'impossible-year']);
    expect(blockersOf({ attributes: { mileage: -35000 } })).toContain('impossible-mileage');
    expect(blockersOf({ description: 'asdf asdf qwer lkjh asdf zxcv poiu mnbv 28,900 miles' })).toContain(
      'description-mash',
    );
  });

  it('says the same twice', () => {
    const once = ask(readinessFamily, ScoreListingRequestSchema, { listing });
    expect(ask(readinessFamily, ScoreListingRequestSchema, { listing })).toEqual(once);
  });

  it('counts the caller’s own checks beside those of the pack', () => {
    const checks = [
      {
        id: 'vintage',
        fact: 'age',
        pass: 'given(attributes, "age")',
        weight: 50,
        severity: 'critical',
        action: 'Add the age.',
      },
    ];
    const without = ask(readinessFamily, ScoreListingRequestSchema, { listing, checks });
    expect(without.nextBestAction).toBe('Add the age.');
    expect(without.missingFacts[0]).toBe('age');
    expect(without.blockers.map(({ check }) => check)).toContain('vintage');
    const given = ask(readinessFamily, ScoreListingRequestSchema, {
      listing: { ...listing, attributes: { age: 40 } },
      checks,
    });
    expect(given.readinessScore).toBeGreaterThan(without.readinessScore);
  });

  it('counts a check that cannot be evaluated as failed, and says so', () => {
    const plain = ask(readinessFamily, ScoreListingRequestSchema, { listing });
    const odd = ask(readinessFamily, ScoreListingRequestSchema, {
      listing,
      checks: [{ id: 'odd', pass: 'attributes.nothing.here > 3', weight: 90 }],
    });
    expect(odd.readinessScore).toBeLessThan(plain.readinessScore);
    expect(odd.blockers.find(({ check }) => check === 'odd')?.message).toMatch(/could not be evaluated/);
    expect(odd.basis?.checks.at(-1)).toMatchObject({ id: 'odd', outcome: 'error' });
  });

  it('refuses an unknown policy and attributes without end', () => {
    expect(refusedFields(prepare(readinessFamily, ScoreListingRequestSchema, { listing, policy: 'boats' }))).toEqual([
      'policy',
    ]);
    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`a${index}`, index]));
    expect(
      refusedFields(prepare(readinessFamily, ScoreListingRequestSchema, { listing: { ...listing, attributes: many } })),
    ).toEqual(['listing.attributes']);
    let deep: object = {};
    for (let depth = 0; depth < 50; depth++) deep = { deep };
    expect(
      refusedFields(prepare(readinessFamily, ScoreListingRequestSchema, { listing: { ...listing, attributes: deep } })),
    ).toEqual(['listing.attributes']);
  });

  it('answers to emoji, right-to-left text, NUL and names of object prototypes', () => {
    const odd = {
      title: '🏡🏡 בית יפה \u0000 ‏',
      description: '👩‍👩‍👧‍👦 שקט מאוד '.repeat(40),
      attributes: { __proto__x: 1, constructor: 'a', toString: '' },
    };
    const reply = ask(readinessFamily, ScoreListingRequestSchema, { listing: odd });
    expect(reply.basis?.checks.filter(({ outcome }) => outcome === 'error')).toEqual([]);
  });

  it.each([
    [
      '84 tkm, Bj. 2017, Diesel, TÜV 05/27, EZ 03.2017, schwarz',
      {
        mileageKm: '84000',
        year: '2017',
        fuel: 'diesel',
        inspectionUntil: '2027-05',
        firstRegistration: '2017-03',
        colour: 'black',
      },
    ],
    [
      '98.000 km, ITV hasta junio de 2027, rojo, asientos de cuero negro',
      { mileageKm: '98000', inspectionUntil: '2027-06', colour: 'red' },
    ],
    [
      '62 000 km, CT de mai 2027, boîte manuelle, blanche',
      { mileageKm: '62000', inspectionUntil: '2027-05', transmission: 'manual', colour: 'white' },
    ],
    [
      '49,100 miles, MOT till 14 February 2027, blue',
      { mileageMiles: '49100', inspectionUntil: '2027-02-14', colour: 'blue' },
    ],
  ])('reads the facts of a vehicle from prose: %s', (description, expected) => {
    const { facts } = ask(readinessFamily, ScoreListingRequestSchema, {
      listing: { ...listing, title: 'VW Golf Variant', category: 'Cars', description },
    });
    const told = Object.fromEntries(facts.map(({ name, value }) => [name, value]));
    expect(told).toMatchObject({ make: 'Volkswagen', ...expected });
  });

  it.each([
    ['Putzhilfe', 'Putze schwarz und ohne Rechnung, 12 € die Stunde.', 'lawful-work'],
    ['Vélo électrique', 'Vélo en bon état, sans facture, cadenas coupé.', 'not-stolen'],
    ['Peugeot 308 HDi', 'Diesel, manuelle, 2014, compteur remis à 12 000 km.', 'title-document'],
    [
      'Piso de 3 habitaciones',
      '60 m2, primera planta. El piso está en la quinta planta sin ascensor.',
      'contradiction-floor',
    ],
  ])('%s is blocked for what it says', (title, description, check) => {
    const reply = ask(readinessFamily, ScoreListingRequestSchema, {
      listing: { ...listing, category: '', title, description },
    });
    expect(reply.ready).toBe(false);
    expect(reply.blockers.map((blocker) => blocker.check)).toContain(check);
  });

  it.each([
    ['Pistola 9 mm sin papeles', 'Vendo pistola 9 mm sin papeles, con dos cargadores y munición, en buen estado.'],
    ['Glock pistol', 'Glock 9mm pistol, no papers, cash only, very good condition.'],
    ['Ozempic Spritzen', 'Ozempic Spritzen ohne Rezept, garantiert 10 kg weniger, neu.'],
  ])('%s is never ready, in any language', (title, description) => {
    const reply = ask(readinessFamily, ScoreListingRequestSchema, {
      listing: { ...listing, category: 'Other', title, description, images: [{ url: 'https://img.example/1.jpg' }] },
    });
    expect(reply.ready).toBe(false);
    expect(['high', 'critical']).toContain(reply.riskLevel);
    expect(reply.findings).not.toEqual([]);
  });

  it.each([
    ['Leider nicht unfallfrei: Heckschaden.', 'false'],
    ['Unfallfrei, zweite Hand.', 'true'],
    ['Not accident free, sold as seen.', 'false'],
    ['Unfallwagen, fährt noch.', 'false'],
    ['Jamais accidentée.', 'true'],
  ])('reads whether a car had an accident: %s', (description, expected) => {
    const { facts } = ask(readinessFamily, ScoreListingRequestSchema, {
      listing: { ...listing, title: 'VW Golf 2015', category: 'Cars', description },
    });
    expect(facts.find(({ name }) => name === 'accidentFree')?.value).toBe(expected);
  });

  it('takes no price of new, no deposit and no former price for the price', () => {
    const { facts } = ask(readinessFamily, ScoreListingRequestSchema, {
      listing: {
        title: 'BMW 320d',
        category: 'Cars',
        location: 'Graz',
        description: 'Neupreis 48.000 Euro, gepflegt. Festpreis 6.500 Euro.',
      },
    });
    expect(facts.find(({ name }) => name === 'price')?.value).toBe('6500');
  });
});
