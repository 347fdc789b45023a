// What a sensible clerk takes as an answer to a form, and what not: amounts, days, countries, nationalities, yes, no and none.
import { describe, expect, it } from 'vitest';
import { CheckProfileRequestSchema } from '../../src/gen/intelligence/workflow/v1/guidance_pb.ts';
import { guidanceFamily } from '../../src/workflows/families/guidance.ts';
import { countryCodeOf } from '../../src/workflows/sense/countries.ts';
import { ask } from './ask.ts';

type Field = readonly [name: string, kind: string, label: string, value: string | string[]];

const fill = (fields: readonly Field[], locale = '', more: object = {}) =>
  ask(guidanceFamily, CheckProfileRequestSchema, {
    form: {
      name: 'own',
      fields: fields.map(([name, kind, label]) => ({ name, kind, label, required: true, ...more })),
    },
    values: Object.fromEntries(fields.map(([name, , , value]) => [name, value])),
    locale,
  });
const statusOf = (locale: string, ...field: Field) => fill([field], locale).fields[0]?.status;

describe('a number', () => {
  it.each([
    ['de', 'Nettoeinkommen in Euro', '2.950,-'],
    ['de', 'Betrag', '50,--'],
    ['de-CH', 'Betrag', "CHF 1'200.–"],
    ['fr-FR', 'Revenus nets mensuels', '1 200,50 €'],
    ['fr', 'Revenus nets mensuels', '1 200 euros'],
    ['es-ES', 'Ingresos netos', '1.850,00 €'],
    ['es-MX', 'Monto solicitado', '$80,000'],
    ['es-CL', 'Capital (CLP)', '$ 3.000.000'],
    ['en-GB', 'Salary expectation', '£42,500'],
    ['en', 'Budget in GBP', '£4,500'],
    ['en', 'Weight in kg', '82 kg'],
    ['en', 'How many weeks?', '2 weeks'],
    ['de', 'Leistung in kW', '110 kW'],
    ['fr', 'Kilométrage', '87 300 km'],
    ['es', 'Plazo en días', '10 días'],
    ['fr', 'Taux de TVA en %', '20 %'],
  ])('may have the unit that its field asks for: %s, %s, %s', (locale, label, value) => {
    expect(statusOf(locale, 'amount', 'number', label, value)).toBe('ok');
  });

  it.each([
    ['de', 'Nettoeinkommen in Euro', '2.950 CHF'],
    ['en-GB', 'Salary expectation', '$42,500'],
    ['en', 'Weight', '82 kg'],
    ['en', 'Weight in kg', '82 lb'],
    ['de', 'Lieferzeit in Tagen', '2 Wochen'],
    ['fr', 'Prix', '12 %'],
    ['en', 'Guests', '120 people'],
    ['de', 'Baujahr', 'ca. 1905'],
  ])('has no other: %s, %s, %s', (locale, label, value) => {
    expect(statusOf(locale, 'amount', 'number', label, value)).toBe('invalid');
  });

  it('may be a word where things are counted, and none', () => {
    expect(statusOf('es', 'personas', 'integer', '¿Cuántas personas?', 'dos')).toBe('ok');
    expect(statusOf('de', 'kinder', 'integer', 'Kinder', 'keine')).toBe('ok');
    expect(statusOf('fr', 'credits', 'number', 'Crédits en cours', 'aucun')).toBe('ok');
    expect(statusOf('es', 'edad', 'integer', 'Edad', 'ocho')).toBe('invalid');
    expect(statusOf('en', 'year', 'integer', 'Model year', 'none')).toBe('invalid');
    expect(statusOf('en', 'children', 'integer', 'Children', 'some')).toBe('invalid');
  });

  it('that is only about so much is usable, and could be better', () => {
    const rough = fill([['employees', 'integer', 'Mitarbeiter', 'ca. 35']], 'de');
    expect(rough).toMatchObject({ ready: true, fields: [{ status: 'weak' }] });
    expect(rough.fields[0]?.message).toContain('Lassen Sie „ca.“ weg');
  });

  it('with its unit counts in sums, ages and ranges', () => {
    const sum = (total: string) =>
      fill(
        [
          ['net', 'number', 'Netto', '1.000,00 €'],
          ['vatAmount', 'number', 'MwSt-Betrag', '190,00 €'],
          ['gross', 'number', 'Brutto', total],
        ],
        'de-DE',
      ).ready;
    expect(sum('1.190,00 €')).toBe(true);
    expect(sum('1.200,00 €')).toBe(false);
    const aged = (age: string) =>
      fill(
        [
          ['edad', 'integer', 'Edad', age],
          ['nacimiento', 'date', 'Fecha de nacimiento', '12/05/1985'],
        ],
        'es',
      ).ready;
    expect(aged('41 años')).toBe(true);
    expect(aged('34 años')).toBe(false);
  });
});

describe('a day', () => {
  const stay = (from: string, to: string, locale: string) =>
    fill(
      [
        ['from', 'date', 'Lease start', from],
        ['to', 'date', 'Lease end', to],
      ],
      locale,
    ).ready;

  it('is read in the order that the other days of the form have', () => {
    expect(stay('03/04/2027', '25/03/2027', 'en-US')).toBe(false);
    expect(stay('03/04/2027', '03/25/2027', 'en-GB')).toBe(true);
    expect(stay('25/03/2027', '03/04/2027', 'en-US')).toBe(true);
  });

  it('is read in the order of the locale, or else in the one that fits', () => {
    expect(stay('05/04/2027', '04/05/2027', 'en-US')).toBe(false);
    expect(stay('05/04/2027', '04/05/2027', 'en-GB')).toBe(true);
    expect(stay('05/04/2027', '04/05/2027', 'en')).toBe(true);
    expect(stay('04/05/2027', '05/04/2027', 'en')).toBe(true);
    expect(stay('04/05/2027', '04/04/2027', 'en')).toBe(false);
  });

  it('that does not exist is wrong in a text, too, where a day is asked for', () => {
    expect(statusOf('en', 'dob', '', 'Date of birth', '31/02/1990')).toBe('invalid');
    expect(statusOf('en', 'dob', '', 'Date of birth', '28/02/1990')).toBe('ok');
    expect(statusOf('en', 'version', '', 'Version', '31.02.19')).toBe('ok');
  });

  it('of texts, too, does not come before what it follows', () => {
    const trip = (back: string) =>
      fill([
        ['departure', '', 'Departure', '12/07/2027'],
        ['return', '', 'Return', back],
      ]).ready;
    expect(trip('19/07/2027')).toBe(true);
    expect(trip('03/07/2027')).toBe(false);
  });

  it('of return is not after the passport expires', () => {
    const trip = (expiry: string) =>
      fill([
        ['return', 'date', 'Rückreise', '2027-07-12'],
        ['passportExpiry', 'date', 'Reisepass gültig bis', expiry],
      ]).ready;
    expect(trip('2027-12-01')).toBe(true);
    expect(trip('2027-07-01')).toBe(false);
  });

  it('since which somebody is employed is not to come', () => {
    expect(statusOf('de', 'seit', 'date', 'Beschäftigt seit', '2027-04-01')).toBe('invalid');
    expect(statusOf('de', 'seit', 'date', 'Beschäftigt seit', '2016-04-01')).toBe('ok');
  });
});

it.each([
  ['en', 'Time of the accident', '17:40', '25:10'],
  ['de', 'Uhrzeit', '8:05', '8:75'],
  ['es', 'Hora de llegada', '09:30', '9:60'],
  ['fr', "Heure d'arrivée", '18h30', '26h00'],
])('a time of a day exists: %s, %s', (locale, label, right, wrong) => {
  expect(statusOf(locale, 'when', 'text', label, right)).toBe('ok');
  expect(statusOf(locale, 'when', 'text', label, wrong)).toBe('invalid');
});

describe('a country', () => {
  it.each([
    ['de', 'Staatsangehörigkeit', 'deutsch'],
    ['de', 'Staatsangehörigkeit', 'deutsch/türkisch'],
    ['de', 'Nationalität', 'Österreicherin'],
    ['en', 'Nationality', 'British'],
    ['en', 'Citizenship', 'British and Irish'],
    ['es', 'Nacionalidad', 'rumana'],
    ['es', 'Nacionalidad', 'española'],
    ['fr', 'Nationalité', 'portugaise'],
    ['fr', 'Nationalité', 'italienne'],
    ['fr', 'Nationalité', 'France'],
  ])('may be a nationality where that is asked for: %s, %s, %s', (locale, label, value) => {
    expect(statusOf(locale, 'which', 'country', label, value)).toBe('ok');
    expect(statusOf(locale, 'which', 'country', label, 'blau')).toBe('invalid');
  });

  it('is none where a country is asked for', () => {
    expect(statusOf('de', 'land', 'country', 'Land', 'deutsch')).toBe('invalid');
  });

  it('may be one of several, each of which is one', () => {
    expect(statusOf('de', 'lieferlaender', 'country', 'Lieferländer', 'Deutschland, Österreich und Schweiz')).toBe(
      'ok',
    );
    expect(statusOf('en', 'countries', 'list', 'Countries served', ['US', 'Trinidad and Tobago', 'EU'])).toBe('ok');
    expect(statusOf('fr', 'pays', 'list', 'Pays de livraison', 'France, Belgique et Luxembourg')).toBe('ok');
    expect(statusOf('es', 'paises', 'list', 'Países', ['España', 'Wallonie'])).toBe('weak');
    expect(fill([['countries', 'country', 'Countries', 'France, Narnia']]).fields[0]?.message).toBe(
      'Countries: “Narnia” is not a country.',
    );
    expect(statusOf('de', 'land', 'country', 'Land', 'Deutschland, Österreich')).toBe('invalid');
    expect(statusOf('de', 'laender', 'list', 'Bundesländer', ['Bayern'])).toBe('ok');
  });

  it('to which somebody travels says nothing of telephone numbers', () => {
    const phone: Field = ['telefono', 'phone', 'Teléfono', '976 22 14 05'];
    expect(fill([phone, ['destino', 'country', 'País de destino', 'Marruecos']], 'es-ES').ready).toBe(true);
    expect(fill([phone, ['pais', 'country', 'País', 'Marruecos']], 'es-ES').ready).toBe(false);
  });

  it('of a bank is that of its account', () => {
    const account = (country: string) =>
      fill([
        ['bankCountry', 'country', 'Country of the bank', country],
        ['iban', 'text', 'IBAN', 'FR7630004015870002674891123'],
      ]);
    expect(account('France').ready).toBe(true);
    expect(account('Spain')).toMatchObject({ ready: false, nextField: 'iban' });
    expect(account('Spain').nextBestAction).toBe('Correct one of the two: IBAN is of FR, Country of the bank is ES.');
  });

  it('of residence need not be that of an account', () => {
    const reply = fill([
      ['country', 'country', 'Country', 'Spain'],
      ['iban', 'text', 'IBAN', 'FR7630004015870002674891123'],
    ]);
    expect(reply.ready).toBe(true);
  });
});

describe('yes and no', () => {
  it.each([
    ['de', 'Bitte schildern Sie den Schadenhergang', 'ja'],
    ['en', 'What happened?', 'yes'],
    ['es', 'Describa lo ocurrido', 'no'],
    ['fr', 'Circonstances', 'oui'],
    ['de', 'Welche Haustiere haben Sie?', 'ja'],
    ['en', 'Which allergies do you have?', 'Yes.'],
  ])('are no account of anything: %s, %s', (locale, label, value) => {
    expect(statusOf(locale, 'what', 'long_text', label, value)).toBe('invalid');
  });

  it.each([
    ['de', 'Sonstige Bemerkungen', 'nein'],
    ['de', 'Welche Haustiere haben Sie?', 'keine'],
    ['es', '¿Qué mascotas tiene?', 'ninguna'],
    ['fr', 'Quels animaux avez-vous ?', 'aucun'],
    ['en', 'Which pets do you have?', 'none'],
    ['en', 'Unspent convictions', 'n/a'],
    ['fr', 'Allergies', 'néant'],
  ])('and none may answer what one can be without: %s, %s, %s', (locale, label, value) => {
    expect(statusOf(locale, 'what', 'text', label, value)).toBe('ok');
  });

  it('may have more behind them', () => {
    expect(statusOf('de', 'aval', 'boolean', 'Bürgschaft?', 'Ja, liegt bei')).toBe('ok');
    expect(statusOf('en', 'proof', 'boolean', 'Receipts?', 'Yes - attached')).toBe('ok');
    expect(statusOf('es', 'seguro', 'boolean', '¿Seguro?', 'Sí (hasta 2027)')).toBe('ok');
    expect(statusOf('en', 'proof', 'boolean', 'Receipts?', 'Noon-time')).toBe('invalid');
    expect(statusOf('es', 'deudas', 'boolean', '¿Tiene deudas?', 'ninguna')).toBe('ok');
    expect(statusOf('en', 'pets', 'boolean', 'Pets?', 'not sure')).toBe('invalid');
  });
});

describe('none', () => {
  it('in an optional field for something with a form leaves it empty', () => {
    const optional = (kind: string, value: string) =>
      fill([['website', kind, 'Website', value]], 'de', { required: false }).fields[0]?.status;
    expect(optional('url', 'keine')).toBe('empty');
    expect(optional('email', 'none')).toBe('empty');
    expect(optional('date', 'noch nie')).toBe('invalid');
    expect(statusOf('de', 'website', 'url', 'Website', 'keine')).toBe('invalid');
  });

  it('is no name, and a placeholder where nobody can be without', () => {
    expect(statusOf('de', 'nachname', 'text', 'Nachname', 'keine')).toBe('weak');
    expect(statusOf('en', 'lienholder', 'text', 'Lienholder', 'None')).toBe('ok');
    expect(statusOf('en', 'doctor', 'text', 'Doctor', 'n/a')).toBe('missing');
  });
});

it('a list may be written as a text', () => {
  expect(statusOf('es', 'idiomas', 'list', 'Idiomas', 'español, rumano')).toBe('ok');
  expect(fill([['idiomas', 'list', 'Idiomas', 'español']], 'es', { minLength: 2 }).ready).toBe(false);
});

it.each([
  ['email', 'E-Mail', 'anna@', 'anna@brook-4711.com'],
  ['telefon', 'Telefon', '12', '+43 660 1234567'],
  ['land', 'Land', 'Lalaland', 'Österreich'],
])('a field without a kind has the one that all its words say: %s', (name, label, wrong, right) => {
  expect(statusOf('de', name, '', label, wrong)).toBe('invalid');
  expect(statusOf('de', name, '', label, right)).toBe('ok');
  expect(statusOf('de', name, '', `${label} oder etwas anderes`, wrong)).toBe('ok');
});

it.each(['01782 412660 ext. 14', '+44 1782 412660 x3'])('a telephone number may have an extension: %s', (value) => {
  expect(statusOf('en-GB', 'phone', 'phone', 'Telephone', value)).toBe('ok');
});

it('the summary tells contradictions beside what is wrong or missing', () => {
  const { summary } = fill(
    [
      ['from', 'date', 'Arrival', '2027-05-12'],
      ['to', 'date', 'Departure', '2027-05-10'],
      ['email', 'email', 'E-mail', ''],
    ],
    'en',
  );
  expect(summary).toBe('The form is 66.7 % complete. 1 required field is not filled in. Departure is before Arrival.');
});

it.each([
  ['de', 'Einzug', 'ab 1.2.2027', 'ab 31.2.2027'],
  ['de', 'Termin', '15.03.2027, 14:30 Uhr', '32.03.2027, 14:30 Uhr'],
  ['es', 'Disponible', 'a partir del 01/02/2027', 'a partir del 31/02/2027'],
  ['fr', 'Entrée', 'à partir du 1er février 2027', 'à partir du 31 février 2027'],
  ['en', 'Arrival', '2027-03-15 at 14:30', '2027-02-31 at 14:30'],
  ['en', 'Arrival', 'from 15 March 2027', 'in spring'],
])('a day may have a word before it and a time behind it: %s, %s', (locale, label, right, wrong) => {
  expect(statusOf(locale, 'when', 'date', label, right)).toBe('ok');
  expect(statusOf(locale, 'when', 'date', label, wrong)).toBe('invalid');
});

it('a month is enough where something expires or has happened, and not where somebody was born', () => {
  expect(statusOf('es', 'caducidad', 'date', 'Caducidad de la tarjeta', '08/28')).toBe('ok');
  expect(statusOf('es', 'caducidad', 'date', 'Caducidad de la tarjeta', '08/25')).toBe('invalid');
  expect(statusOf('de', 'gueltig', 'date', 'Gültig bis', '13/2028')).toBe('invalid');
  expect(statusOf('de', 'seit', 'date', 'Beschäftigt seit', '04/2016')).toBe('ok');
  expect(statusOf('de', 'geburt', 'date', 'Geburtsdatum', '04/1985')).toBe('invalid');
});

it.each([
  ['en', 'Date signed'],
  ['de', 'Datum der Unterschrift'],
  ['es', 'Fecha de firma'],
  ['fr', 'Date de signature'],
])('a form is not signed on a day to come: %s', (locale, label) => {
  expect(statusOf(locale, 'day', 'date', label, '2027-01-12')).toBe('invalid');
  expect(statusOf(locale, 'day', 'date', label, '2026-11-12')).toBe('ok');
});

it.each([
  ['fr', 'Etats-Unis', 'US'],
  ['es', 'EE. UU.', 'US'],
  ['en', 'U.K.', 'GB'],
  ['de', 'Bundesrepublik Deutschland', 'DE'],
  ['de', 'D', 'DE'],
  ['de', 'die Schweiz', 'CH'],
  ['es', 'Chequia', 'CZ'],
  ['fr', 'La France', 'FR'],
  ['es', 'Corea del Sur', 'KR'],
])('a country may be called as people call it: %s, %s', (locale, value, code) => {
  expect(countryCodeOf(value)).toBe(code);
  expect(statusOf(locale, 'land', 'country', 'Country', value)).toBe('ok');
});

it('a telephone number may have a word before it or behind it', () => {
  expect(statusOf('de-DE', 'tel', 'phone', 'Telefon', '0151-42218890 (abends)')).toBe('ok');
  expect(statusOf('de-DE', 'tel', 'phone', 'Telefon', 'Tel. 0341 2256713')).toBe('ok');
  expect(statusOf('de-DE', 'tel', 'phone', 'Telefon', 'abends')).toBe('invalid');
});

it('of a whole there is no more than 100 percent', () => {
  expect(statusOf('de', 'anteil', 'number', 'Beteiligung in %', '120')).toBe('invalid');
  expect(statusOf('de', 'anteil', 'number', 'Beteiligung in %', '100')).toBe('ok');
  expect(statusOf('en', 'growth', 'number', 'Growth in percent', '120')).toBe('ok');
});

it('a National Insurance number is known by its short name, which is a child in Spanish', () => {
  const nino = (country: string, value: string) =>
    fill([
      ['nino', 'text', 'NINO', value],
      ['country', 'country', 'Country', country],
    ]).fields[0]?.status;
  expect(nino('GB', 'QQ123456C')).toBe('invalid');
  expect(nino('GB', 'AB123456C')).toBe('ok');
  expect(nino('ES', 'Hugo')).toBe('ok');
});
