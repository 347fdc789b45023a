// Values with their units, and criteria by which nobody may be chosen.
import { describe, expect, it } from 'vitest';
import { WriteDecisionMemoRequestSchema } from '../../src/gen/intelligence/workflow/v1/decision_pb.ts';
import { decisionFamily } from '../../src/workflows/families/decision.ts';
import { ask } from './ask.ts';

const compare = (criterion: string, north: unknown, south: unknown, more: object = {}) =>
  ask(decisionFamily, WriteDecisionMemoRequestSchema, {
    question: 'Which offer?',
    options: [
      { name: 'North', attributes: { [criterion]: north } },
      { name: 'South', attributes: { [criterion]: south } },
    ],
    criteria: [{ name: criterion, direction: 'higher' }],
    ...more,
  });

it.each([
  ['volume', '6.0 m3', '5 m3', 'North'],
  ['volume', '6.0 m³', '5500 l', 'North'],
  ['volume', '6,0 m³', '6500 l', 'South'],
  ['weight', '1,2 t', '900 kg', 'North'],
  ['price', '18.500 €', '19.000 €', 'South'],
  ['price', '£289', '300', 'South'],
  ['price', '£289', 300, 'South'],
  ['yield', '4 500 kWh/an', '5 000 kWh/an', 'South'],
  ['change', '-5 %', '3 %', 'South'],
  ['share', '20%', '60 %', 'South'],
  ['share', '20%', 60, 'South'],
  ['runtime', '90 min', '2 h', 'South'],
  ['range', '5,8 l/100 km', '6,1 l/100km', 'South'],
  ['range', '5.8 litres per 100 km', '6,1 l pro 100 km', 'South'],
  ['income', '45k €', '44.900 €', 'North'],
  ['income', '45k €', 44_900, 'North'],
  ['income', '45 k€', '€44.9k', 'North'],
  ['income', '45 TEUR', '44 Tsd. €', 'North'],
  ['income', '1,2 Mio. €', '900.000 €', 'North'],
  ['income', '1,2 Mio. €', '1,1 millones de euros', 'North'],
  ['income', '1.2 million EUR', '900 k€', 'North'],
  ['interest', '3,5 % p.a.', '3,6 % p. a.', 'South'],
  ['interest', '3,5 % p.a.', '0,3 % pro Monat', 'South'],
  ['income', '450 €/month', '5.000 €/Jahr', 'North'],
  ['income', '450 € im Monat', '5.500 € p.a.', 'South'],
  ['income', '400 € monatlich', '5000 € par an', 'South'],
  ['income', '45 €/h', '44 € pro Stunde', 'North'],
  ['yield', '4500 kWh/an', '400 kWh/month', 'South'],
  ['yield', '4500 kWh/a', '4600 kWh al año', 'South'],
  ['length', '5 m', '450 cm', 'North'],
  ['income', '1,20 €/kg', '1.150 €/t', 'North'],
  ['income', '14 €/m²', '17 €/m²', 'South'],
  ['income', '14 €/m2', '17 € pro m²', 'South'],
  ['mileage', '85.000 km', '62.000 km', 'North'],
  ['mileage', '85.000 km', '112.300 km', 'South'],
  ['rating', '4.1/5', '4.6/5', 'South'],
  ['rating', '4,7 von 5', '4,2 von 5', 'North'],
  ['rating', '4,5 sur 5', '8/10', 'North'],
  ['rating', '4.8 out of 5 stars', '9,7 sobre 10', 'South'],
  ['footfall', '900 per hour', '700 per hour', 'North'],
  ['speed', '28 ppm', '34 ppm', 'South'],
  ['capacity', '220 personas', '300 personas', 'South'],
  ['rooms', '1 room', '2 rooms', 'South'],
  ['visitors', '18.000', '11.000', 'North'],
  ['visitors', '18.000 Besucher', '9.500 Besucher', 'North'],
  ['income', '£2,400 a month', '£21,600 a year', 'North'],
  ['income', '4 € each week', '5 € a week', 'South'],
  ['lifetime', '3 months', '6 weeks', 'North'],
  ['lifetime', '4 mois', '120 jours', 'North'],
  ['income', '£310 pcm', '£2,900 p.a.', 'North'],
  ['monthly income', '£415', '£4,400 p.a.', 'North'],
  ['income', '8 € par salarié et par mois', '11 € par salarié et par mois', 'South'],
  ['income', 'MXN 9,500', 'MXN 8,700.50', 'North'],
  ['income', '12 €/month', '0', 'North'],
  ['area', '450 sq ft', '39 m²', 'North'],
  ['area', '450 square feet', '430 sq. ft.', 'North'],
  ['success', '3 of 400', '9 of 350', 'South'],
  ['savings interest', '4,2 % p.a.', '4,0 %', 'North'],
  ['ease', 'very good', 'excellent', 'South'],
  ['ease', 'hervorragend', 'sehr gut', 'North'],
])('%s: %s and %s can be compared', (criterion, north, south, winner) => {
  const reply = compare(criterion, north, south);
  expect(reply.recommendation?.option).toBe(winner);
  expect(reply.missingFacts).toEqual([]);
});

it.each([
  ['price', '18.500 €', '$19,000'],
  ['share', '20%', '0.6'],
  ['share', '20%', 0.6],
  ['yield', '4500 kWh/an', '4500 kWh'],
  ['income', '45 €/h', '400 €/day'],
  ['range', '5,8 l/100 km', '6 l'],
  ['weight', '6 m3', '5 kg'],
  ['income', '14 €/m²', '17 €/kg'],
  ['growth', '4,2 % p.a.', '4,0 %'],
])('%s: %s and %s cannot, and both are told', (criterion, north, south) => {
  const reply = compare(criterion, north, south);
  expect(reply.recommendation?.option).toBe('');
  for (const value of [north, south])
    expect(reply.assumptions).toContainEqual(expect.stringContaining(`“${value}” at ${criterion} is in another unit`));
});

it.each([
  ['11/12', '10/12'],
  ['24/7', '12/7'],
  ['6/5', '7/5'],
  ['3 of them', '2 in all'],
  ['3 or 4 days', '3 or 5 days'],
])('%s and %s are no ratings and nothing counted', (north, south) => {
  expect(compare('value', north, south).missingFacts).toHaveLength(2);
});

it('limits ratings by what they are of', () => {
  const constraints = [{ attribute: 'rating', operator: '>=', value: '4/5' }];
  const reply = compare('rating', '4.1/5', '7.8/10', { constraints });
  expect(reply.eliminated.map(({ option }) => option)).toEqual(['South']);
});

it('shows weeks beside months in round figures', () => {
  const reply = compare('lifetime', '3 months', '6 weeks');
  expect(reply.ranking.map(({ criteria }) => criteria[0]?.value)).toEqual([3, 1.38]);
});

it('a limit is in the unit of its value, or is converted to it', () => {
  const limited = (limit: unknown) =>
    compare('volume', '6 m3', '4500 l', { constraints: [{ attribute: 'volume', operator: '<=', value: limit }] });
  expect(limited('5 m3').eliminated.map(({ option }) => option)).toEqual(['North']);
  expect(limited('5000 l').eliminated.map(({ option }) => option)).toEqual(['North']);
  expect(limited('7 kg').eliminated).toHaveLength(2);

  const paid = (limit: unknown) =>
    compare('cost', '45k €', '44 TEUR', { constraints: [{ attribute: 'cost', operator: '<=', value: limit }] });
  for (const limit of ['44.500 €', 44_500, '44,5k €'])
    expect(
      paid(limit).eliminated.map(({ option }) => option),
      String(limit),
    ).toEqual(['North']);
  const rented = compare('rent', '450 €/month', '5.000 €/year', {
    constraints: [{ attribute: 'rent', operator: '<=', value: '5.100 € p.a.' }],
  });
  expect(rented.eliminated.map(({ option }) => option)).toEqual(['North']);
});

it('a limit without a unit is in that of most options', () => {
  const limited = (loads: readonly string[]) =>
    compare('load', '', '', {
      options: loads.map((load, at) => ({ name: `${at}`, attributes: { load } })),
      constraints: [{ attribute: 'load', operator: '>=', value: 160 }],
    });
  expect(limited(['180 kg', '0.2 t', '150 kg']).eliminated.map(({ option }) => option)).toEqual(['2']);
  expect(limited(['120 pers.', '180 pers.']).eliminated.map(({ option }) => option)).toEqual(['0']);
  // Nobody knows whether it is kilograms or tonnes.
  expect(limited(['180 kg', '0.2 t']).recommendation?.option).toBe('');
});

it('reads 4,200 by the locale that is named, or as who measures in feet does', () => {
  const area = (locale: string) => compare('area', '4,200 sq ft', '3.9 m²', { locale });
  expect(area('en-GB').missingFacts).toEqual([]);
  expect(area('en-GB').recommendation?.option).toBe('North');
  expect(compare('area', '4,200 sq ft', '3,100 sq ft').missingFacts).toEqual([]);
  expect(compare('area', '4,200 m³', '3,100 m³').missingFacts).toHaveLength(2);
  const limited = compare('area', '4,200 sq ft', '3,100 sq ft', {
    locale: 'en-US',
    constraints: [{ attribute: 'area', operator: '>=', value: '3,500 sq ft' }],
  });
  expect(limited.eliminated.map(({ option }) => option)).toEqual(['South']);
});

it.each(['transit time', 'setup time', 'claims', 'comisión', 'mise en place', 'Bearbeitungszeit'])(
  'of %s, less is better',
  (name) => {
    const reply = compare(name, 3, 5, { criteria: [{ name }] });
    expect(reply.recommendation?.option).toBe('North');
    expect(reply.nextBestAction).not.toContain('Say whether');
  },
);

it('beside two units, a number that has none is not known; nor is a multiple of nothing known', () => {
  const reply = compare('rent', '450 €/month', '5.000 €/year', {
    options: ['450 €/month', '5.000 €/year', 300].map((rent, at) => ({ name: `${at}`, attributes: { rent } })),
  });
  expect(reply.missingFacts).toEqual(['rent of 2']);
  expect(compare('income', '45k things', '5 €').missingFacts).toEqual(['income of North']);
});

it('what is blank is not 0', () => {
  const constraints = [{ attribute: 'defects', operator: '=', value: 0 }];
  expect(compare('defects', ' ', 0, { constraints }).eliminated.map(({ option }) => option)).toEqual(['North']);
});

describe('a protected characteristic', () => {
  it.each([
    ['en', 'Whom to hire?', 'pregnant', 'characteristics that the law protects (pregnant)'],
    ['en', 'Which candidate to hire?', 'age', 'characteristics that the law protects (age)'],
    ['de', 'Wen stellen wir ein?', 'Alter', 'nach gesetzlich geschützten Merkmalen ausgewählt werden (Alter)'],
    ['es', '¿A quién contratar?', 'religión', 'características que la ley protege (religión)'],
    ['fr', 'Quel candidat embaucher ?', 'nationalité', 'protégées par la loi (nationalité)'],
    ['es', '¿Qué aspirante elegimos para el puesto?', 'edad', 'características que la ley protege (edad)'],
    ['de', 'Welche Auszubildende nehmen wir?', 'Herkunft', 'nach gesetzlich geschützten Merkmalen'],
    ['fr', 'Quel stagiaire choisir ?', 'sexe', 'protégées par la loi (sexe)'],
    ['en', 'Which lodger for the spare room?', 'religion', 'characteristics that the law protects (religion)'],
  ])('decides nothing about people (%s): %s by %s', (locale, question, criterion, told) => {
    const reply = compare(criterion, 1, 2, { question, locale });
    expect(reply.recommendation).toMatchObject({ option: '', confidence: 0 });
    for (const text of [reply.recommendation?.rationale, reply.summary]) expect(text).toContain(told);
    expect(reply.nextBestAction).toContain(criterion);
    expect(reply.markdown.split(told.slice(0, 20))).toHaveLength(2);
  });

  it.each([
    ['en', 'Whom to hire?', 'age', '<', 1, '(age)'],
    ['en', 'Which candidate to hire?', 'pregnant', '=', false, '(pregnant)'],
    ['de', 'Wen stellen wir ein?', 'Geschlecht', '=', 'm', '(Geschlecht)'],
    ['es', '¿A quién contratar?', 'nacionalidad', 'in', ['ES'], '(nacionalidad)'],
    ['fr', 'Quel candidat embaucher ?', 'religion', '!=', 'x', '(religion)'],
  ])('leaves nobody out (%s): %s by %s %s %s', (locale, question, attribute, operator, value, told) => {
    const reply = compare('test', 1, 2, { question, locale, constraints: [{ attribute, operator, value }] });
    expect(reply.eliminated).toEqual([]);
    expect(reply.ranking.map(({ option }) => option)).toEqual(['South', 'North']);
    expect(reply.recommendation).toMatchObject({ option: '', confidence: 0 });
    for (const text of [reply.recommendation?.rationale, reply.summary]) expect(text).toContain(told);
    expect(reply.nextBestAction).toContain(attribute);
    expect(reply.basis?.checks.map(({ id }) => id)).toEqual(['criterion-1']);
    expect(reply.missingFacts).toEqual([]);
  });

  it.each([
    ['en', 'Which driver to hire?', 'age', '>=', 18],
    ['en', 'Which candidate to hire?', 'age', '>', 17],
    ['de', 'Wen stellen wir ein?', 'Alter', '>=', 21],
    ['es', '¿A quién contratar?', 'edad', '>=', '18'],
    ['fr', 'Quel candidat embaucher ?', 'âge', '>=', 16],
  ])('is no age that the law asks for (%s): %s by %s %s %s', (locale, question, attribute, operator, value) => {
    const options = [
      { name: 'North', attributes: { test: 1, [attribute]: 34 } },
      { name: 'South', attributes: { test: 2, [attribute]: 41 } },
      { name: 'West', attributes: { test: 3, [attribute]: 15 } },
    ];
    const reply = compare('test', 1, 2, { question, locale, options, constraints: [{ attribute, operator, value }] });
    expect(reply.eliminated.map(({ option }) => option)).toEqual(['West']);
    expect(reply.recommendation?.option).toBe('South');
  });

  it.each([
    ['<=', 35],
    ['>=', 50],
    ['>', 21],
    ['=', 18],
    ['>=', ''],
    ['>=', 'adult'],
    ['present', undefined],
  ])('is an age that nobody has to ask for: age %s %s', (operator, value) => {
    const constraints = [{ attribute: 'age', operator, ...(value === undefined ? {} : { value }) }];
    const reply = compare('test', 1, 2, { question: 'Whom to hire?', constraints });
    expect(reply.eliminated).toEqual([]);
    expect(reply.recommendation).toMatchObject({ option: '', confidence: 0 });
    expect(reply.summary).toContain('(age)');
  });

  it('is an age with both bounds', () => {
    const constraints = [
      { attribute: 'age', operator: '>=', value: 18 },
      { attribute: 'age', operator: '<=', value: 35 },
    ];
    const reply = compare('test', 1, 2, { question: 'Whom to hire?', constraints });
    expect(reply.eliminated).toEqual([]);
    expect(reply.summary).toContain('(age)');
  });

  it('is told of also when other constraints leave nobody', () => {
    const constraints = [
      { attribute: 'age', operator: '<', value: 1 },
      { attribute: 'test', operator: '>', value: 5 },
    ];
    const reply = compare('test', 1, 2, { question: 'Whom to hire?', constraints });
    expect(reply.eliminated.map(({ constraint }) => constraint)).toEqual(['test > 5', 'test > 5']);
    expect(reply.recommendation?.rationale).toContain('(age)');
    expect(reply.basis?.checks.map(({ id }) => id)).toEqual(['constraint-2']);
  });

  it.each([
    ['Which house to buy?', 'age'],
    ['Which wine to stock?', 'origin'],
    ['Which venue?', 'disabled access'],
    ['Whom to hire for the kindergarten?', 'experience with children, accessible'],
  ])('%s by %s is a choice like any other', (question, criterion) => {
    expect(compare(criterion, 1, 2, { question }).recommendation?.option).toBe('South');
  });
});

it.each([
  ['Which courier?', 'days', '2 days', '3 days', 'North'],
  ['Welche Spedition?', 'Tage', 2, 3, 'North'],
  ['Which offer of work?', 'days', '25 days', '30 days', 'South'],
  ['Which car should we lease?', 'monthly rate', '299 €', '319 €', 'North'],
  ['Welches Auto leasen wir?', 'Leasingrate', '299 €', '319 €', 'North'],
  ['¿Qué coche elegimos?', 'cuota mensual', '299 €', '319 €', 'North'],
  ['Quelle voiture choisir ?', 'mensualité', '299 €', '319 €', 'North'],
  ['Which car should we lease?', 'boot', '332 l', '385 l', 'South'],
])('%s %s: what is paid or waited for is better if less', (question, name, north, south, winner) => {
  const reply = compare(name, north, south, { question, criteria: [{ name }] });
  expect(reply.recommendation?.option).toBe(winner);
});
