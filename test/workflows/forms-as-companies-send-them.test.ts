// Forms as companies send them: fields without a kind, placeholders, numbers of their country, what they put into free text.
import { describe, expect, it } from 'vitest';
import { CheckProfileRequestSchema } from '../../src/gen/intelligence/workflow/v1/guidance_pb.ts';
import { guidanceFamily } from '../../src/workflows/families/guidance.ts';
import { phoneProblem } from '../../src/workflows/sense/field-sense.ts';
import { ask } from './ask.ts';

type Field = readonly [name: string, kind: string, label: string, value: string | number | string[]];

const fill = (fields: readonly Field[], locale = '', more: object = {}) =>
  ask(guidanceFamily, CheckProfileRequestSchema, {
    form: {
      name: 'own',
      fields: fields.map(([name, kind, label]) => ({ name, kind, label, required: true, ...more })),
    },
    values: Object.fromEntries(fields.map(([name, , , value]) => [name, value])),
    locale,
  });
const statusOf = (...field: Field) => fill([field]).fields[0]?.status;

describe('a placeholder', () => {
  it.each(['xxx', 'TBC', 'n/a', 'k. A.', 'à compléter', 's. o.', 's.u.', 'siehe oben'])(
    'is no value, whether the field says that it is a text or not: %s',
    (value) => {
      expect(statusOf('doctor', '', 'Doctor', value)).toBe('missing');
      expect(statusOf('doctor', 'text', 'Doctor', value)).toBe('missing');
    },
  );
});

describe('a name', () => {
  it.each([
    ['contactName', 'Contact person', 'info@bardelmayor.es', 'Ana Vidal'],
    ['ansprechpartner', 'Ansprechpartner', 'N.N.', 'Nina Neumann'],
    ['apellidos', 'Apellidos', 'bbb', 'Obando'],
    ['fullName', 'Full name', 'jo@nolan.ie', 'Jo Nolan'],
    ['razonSocial', 'Razón social', 'Prueba', 'Pruebas Técnicas del Sur SL'],
  ])('is no address, sample or repeated letter: %s', (name, label, wrong, right) => {
    expect(statusOf(name, 'text', label, wrong)).not.toBe('ok');
    expect(statusOf(name, 'text', label, right)).toBe('ok');
  });

  it('may be how to reach somebody where that is asked for', () => {
    expect(statusOf('contact', 'text', 'Contact (name or e-mail)', 'jo@nolan.ie')).toBe('ok');
    expect(statusOf('emergencyContact', 'text', 'Emergency contact', 'jo@nolan.ie')).toBe('ok');
  });
});

describe('an address', () => {
  it.each([
    ['email', 'max@web.d', 'max@web.de'],
    ['email', 'max@web.12', 'max@xn--bcher-kva.xn--p1ai'],
    ['url', 'photo.jpg', 'photo.page'],
    ['url', 'http://www.exemple', 'http://www.exemple-4711.fr'],
    ['url', 'cv.pdf', 'https://nolan.ie/cv.pdf'],
  ])('ends in what can be a domain: %s %s', (kind, wrong, right) => {
    expect(statusOf('where', kind, 'Where', wrong)).toBe('invalid');
    expect(statusOf('where', kind, 'Where', right)).toBe('ok');
  });
});

describe('a tax number', () => {
  const country: Field = ['country', 'country', 'Country', 'ES'];
  it.each([
    ['B58378431', 'ok'],
    ['B58378432', 'invalid'],
    ['ESB58378431', 'ok'],
    ['ESB58378432', 'invalid'],
    ['50731462V', 'ok'],
    ['NO974760673MVA', 'ok'],
  ])('of a country that writes it without its prefix is checked, too: %s', (value, status) => {
    expect(fill([['taxId', 'text', 'Tax number', value], country]).fields[0]?.status).toBe(status);
  });
});

describe('a day', () => {
  it.each([
    ['miseEnCirculation', 'Première mise en circulation'],
    ['firstRegistration', 'Date of first registration'],
    ['matriculacion', 'Primera matriculación'],
  ])('on which a vehicle came onto the road is not to come: %s', (name, label) => {
    expect(statusOf(name, 'date', label, '2026-11-01')).toBe('ok');
    expect(statusOf(name, 'date', label, '2028-09-15')).toBe('invalid');
  });

  it.each([
    ['examen', 'Fecha de examen deseada'],
    ['examen', "Date de l'examen souhaitée"],
    ['exam', 'Preferred exam date'],
  ])('that is wished for has not passed: %s, %s', (name, label) => {
    expect(statusOf(name, 'date', label, '2026-10-15')).toBe('invalid');
    expect(statusOf(name, 'date', label, '2027-01-15')).toBe('ok');
  });

  it.each([
    ['Fecha de carga', 'Fecha de entrega'],
    ['Verladung', 'Zustellung'],
    ['Date de chargement', 'Date de livraison'],
    ['Loading', 'Delivery'],
  ])('of loading is before that of delivery: %s, %s', (loading, delivery) => {
    const orderOf = (first: string, second: string) =>
      fill([
        ['one', 'date', loading, first],
        ['two', 'date', delivery, second],
      ]).ready;
    expect(orderOf('2027-01-09', '2027-01-12')).toBe(true);
    expect(orderOf('2027-01-12', '2027-01-09')).toBe(false);
  });

  it.each([
    ['naissance', 'Date de naissance prévue ou réelle'],
    ['geburt', 'Voraussichtliches Geburtsdatum'],
    ['birth', 'Expected date of birth'],
    ['nacimiento', 'Fecha de nacimiento prevista'],
  ])('on which a child is expected may be to come: %s', (name, label) => {
    expect(statusOf(name, 'date', label, '2027-02-15')).toBe('ok');
  });
});

describe('free text', () => {
  it.each([
    'Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor.',
    'azerty',
    'qwertzuiop asdfgh',
  ])('that says nothing is weak: %s', (value) => {
    expect(statusOf('description', 'long_text', 'Description', value)).toBe('weak');
  });
});

describe('several choices', () => {
  const own = (value: string | string[]) =>
    fill([['skills', 'choices', 'Skills', value]], '', { choices: ['cooking', 'repairs', 'books'] }).fields[0]?.status;
  it('may be listed in a text', () => {
    expect(own('Cooking, books')).toBe('ok');
    expect(own('cooking')).toBe('ok');
    expect(own('cooking; sewing')).toBe('invalid');
    expect(fill([['skills', 'choices', 'Skills', 'sewing']], '', { choices: ['books'] }).fields[0]?.message).toBe(
      'Skills has something that is not one of the choices.',
    );
    expect(own(['cooking', 'sewing'])).toBe('invalid');
  });
});

describe('a number', () => {
  const told = (label: string, value: string, locale: string, more: object = {}) =>
    fill([['amount', 'number', label, value]], locale, more).fields[0]?.message;

  it('in words or in another unit is told as it should be written', () => {
    expect(told('Jahresumsatz', '1,2 Mio.', 'de')).toBe(
      'Das Feld „Jahresumsatz“ darf nur eine Zahl enthalten: Schreiben Sie für „1,2 Mio.“ 1.200.000.',
    );
    expect(told('Umsatz in Euro', '1,2 Mio. €', 'de')).toContain('in Euro: Schreiben Sie für „1,2 Mio. €“ 1.200.000.');
    expect(told('Revenue', '£1.2 million', 'en-GB')).toContain('for “£1.2 million” write 1,200,000.');
    expect(told('Taille en cm', '1 m 60', 'fr')).toContain('pour « 1 m 60 », écrivez 160.');
    expect(told('Toneladas', '22.500 kg', 'es', { max: 500 })).toContain(
      'solo el número: para «22.500 kg» escriba 22,5.',
    );
    expect(told('Grundfläche in m²', '1,5 ha', 'de')).toContain('eine Zahl in m²: Schreiben Sie für „1,5 ha“ 15.000.');
    expect(told('Miles driven', '120 km', 'en')).toContain('for “120 km” write 74.5645.');
    expect(told('Peso en kg', '154 lb', 'es')).toContain('para «154 lb» escriba 69,8532.');
    expect(told('Height in cm', '80 kg', 'en')).toContain('not in “kg”');
    expect(told('Baujahr', 'ca. 1905', 'de')).toContain('Lassen Sie „ca.“ weg.');
    expect(told('Montant en euros', 'entre 2 000 et 3 000 euros', 'fr')).toContain('en fait deux');
  });

  it('names the unit as the label does, and none that only the field’s name has', () => {
    expect(told('Laufzeit in Monaten', '5 Jahre', 'de')).toContain('erwartet eine Zahl in Monaten: Schreiben');
    const named = fill([['shippingDays', 'integer', "Délai d'expédition", '48 heures']], 'fr');
    expect(named.fields[0]?.message).toContain('doit contenir un nombre seul : pour « 48 heures », écrivez 2.');
  });

  it.each([
    ['es', '250.000', { min: 1000, max: 200_000 }, 'mayor que 200.000'],
    ['de', '2.850', { min: 3000 }, 'kleiner als 3.000'],
    ['en', '2,850', { min: 3000 }, 'less than 3,000'],
    ['es', '1.750', { max: 3 }, ''],
    ['de', '0,125', { max: 1 }, ''],
  ])('with a point or comma is read as the field and the language have it: %s %s', (locale, value, more, part) => {
    const message = told('Importe', value, locale, more);
    if (part === '') expect(message).toBe('');
    else expect(message).toContain(part);
  });

  it('that counts things has no decimals', () => {
    expect(fill([['km', 'integer', 'Laufleistung', '84.500']]).fields[0]?.status).toBe('ok');
  });

  it('that is a year has no thousands', () => {
    expect(told('Year of manufacture', '1899', 'en', { min: 1950 })).toBe('Year of manufacture is less than 1950.');
    expect(told('Baujahr', '25', 'de', { min: 1000 })).toContain('kleiner als 1000.');
  });
});

it('advises an address without an example of another', () => {
  const { fields } = fill([['email', 'email', 'E-mail', 'sam@gmial.com']], 'en', {
    help: 'One that you read.',
    example: 'ana@kovac.at',
  });
  expect(fields[0]?.suggestion).toBe('Write sam@gmail.com if that is meant.');
});

describe('in each language a message names the field and is a sentence', () => {
  it.each([
    [
      'en',
      'Card number is not a valid number: its form or a check digit is wrong.',
      'Name is a sample value, not a real one.',
    ],
    [
      'de',
      'Das Feld „Card number“ enthält keine gültige Nummer: Aufbau oder Prüfziffer stimmen nicht.',
      'Das Feld „Name“ enthält einen Musterwert statt einer echten Angabe.',
    ],
    [
      'es',
      'El campo «Card number» no contiene un número válido: el formato o el dígito de control no son correctos.',
      'El campo «Name» contiene un valor de muestra, no uno real.',
    ],
    [
      'fr',
      'Le champ « Card number » ne contient pas de numéro valable : le format ou la clé de contrôle est faux.',
      'Le champ « Name » contient une valeur d’exemple, pas une vraie.',
    ],
  ])('%s', (locale, number, name) => {
    const { fields } = fill(
      [
        ['cardNumber', 'text', 'Card number', '4242 4242 4242 4241'],
        ['name', 'text', 'Name', 'John Doe'],
      ],
      locale,
    );
    expect(fields.map(({ message }) => message)).toEqual([number, name]);
  });
});

describe('a percentage', () => {
  const weak = (label: string, value: string | number, more: object = {}) =>
    fill([['rate', 'number', label, value]], 'es', more).fields[0]?.status;
  it('written as a fraction is weak, unless so little is usual', () => {
    expect(weak('IVA en %', '0,21')).toBe('weak');
    expect(weak('Down payment in percent', 0.2)).toBe('weak');
    expect(weak('IVA en %', 21)).toBe('ok');
    expect(weak('Interest in %', 0.9)).toBe('ok');
    expect(weak('Share', 0.2)).toBe('ok');
    expect(weak('Share in percent of 1', 0.2, { max: 1 })).toBe('ok');
  });
});

it.each([
  ['Número de registro', 'pendiente', 'weak'],
  ['Registration number', 'applied for', 'weak'],
  ['Vertragsnummer', 'habe ich nicht', 'weak'],
  ['Registration number', 'HRB 21834', 'ok'],
  ['House number', 'Rose Cottage', 'ok'],
  ['Motivo, si no acepta', 'Me mudo', 'ok'],
  ['Number of the street or name of the house', 'Rose Cottage', 'ok'],
])('a number that is asked for has a digit: %s, %s', (label, value, status) => {
  expect(statusOf('which', 'text', label, value)).toBe(status);
});

it.each(['ES', 'FR', 'DE', 'GB', 'AT'])('an example of a telephone number is of the form’s country: %s', (country) => {
  const { fields } = fill([
    ['phone', 'phone', 'Telephone', '91 55'],
    ['country', 'country', 'Country', country],
  ]);
  const [, example = ''] = /For example: (.+)\.$/.exec(fields[0]?.suggestion ?? '') ?? [];
  expect(phoneProblem(example, { country: undefined })).toBeUndefined();
  expect(statusOf('phone', 'phone', 'Telephone', example)).toBe('ok');
  expect(example).toMatch(/^\+\d/);
});

it.each([
  ['en', 'Correct this value: Weight has to be a number alone: leave out “kg”.'],
  ['de', 'Berichtigen Sie diese Angabe: Das Feld „Weight“ darf nur eine Zahl enthalten: Lassen Sie „kg“ weg.'],
  ['es', 'Corrija este dato: El campo «Weight» debe contener solo el número: quite «kg».'],
  ['fr', 'Corrigez cette information : Le champ « Weight » doit contenir un nombre seul : retirez « kg ».'],
])('the next action says what is wrong where a field has no help of its own: %s', (locale, action) => {
  const weight: Field = ['weight', 'number', 'Weight', '64 kg'];
  expect(fill([weight], locale).nextBestAction).toBe(action);
  expect(fill([weight], locale, { help: 'In kg.' }).nextBestAction).not.toBe(action);
});
