import { describe, expect, it } from 'vitest';
import { CheckProfileRequestSchema } from '../../src/gen/intelligence/workflow/v1/guidance_pb.ts';
import { guidanceFamily, profilePacks } from '../../src/workflows/families/guidance.ts';
import { ask, prepare, refusedFields } from './ask.ts';

const check = (json: unknown) => ask(guidanceFamily, CheckProfileRequestSchema, json);
const refused = (json: unknown) => refusedFields(prepare(guidanceFamily, CheckProfileRequestSchema, json));
const statusOf = (field: object, value: unknown) =>
  check({ form: { name: 'f', fields: [{ name: 'x', ...field }] }, values: { x: value } }).fields[0]?.status;

describe('profile packs', () => {
  it('are three', () => expect([...profilePacks.keys()]).toEqual(['person', 'company', 'seller']));

  for (const [template, pack] of profilePacks) {
    for (const example of pack.examples)
      it(`${template}: ${example.name}`, () => {
        const reply = check({ template, ...example.input });
        expect(reply).toMatchObject(example.expect);
        expect(reply.basis?.checks.filter(({ outcome }) => outcome === 'error')).toEqual([]);
      });
    it(`${template}: every field asks for something it explains`, () => {
      for (const field of pack.fields) expect(field.help, field.name).not.toBe('');
    });
  }
});

describe('a shipped form', () => {
  const fieldOf = (template: string, values: object, name: string, locale = 'en') =>
    check({ template, values, locale }).fields.find(({ field }) => field === name);

  it('proves the check digits of VAT numbers, and shows one that is right', () => {
    const taxId = (value: string) => fieldOf('company', { taxId: value }, 'taxId')?.status;
    expect(taxId('ATU12345675')).toBe('ok');
    expect(taxId('ATU12345678')).toBe('invalid');
    expect(taxId('12-3456789')).toBe('ok');
    const example = profilePacks.get('company')?.fields.find(({ name }) => name === 'taxId')?.example ?? '';
    expect(taxId(example)).toBe('ok');
  });

  it('knows no company that is founded after this year', () => {
    const year = new Date().getUTCFullYear();
    expect(fieldOf('company', { foundedYear: year }, 'foundedYear')?.status).toBe('ok');
    expect(fieldOf('company', { foundedYear: year + 1 }, 'foundedYear')).toMatchObject({
      status: 'invalid',
      message: expect.stringContaining('future'),
    });
    expect(fieldOf('company', { foundedYear: 999 }, 'foundedYear')?.status).toBe('invalid');
  });

  it('takes choices by what people call them, in every language, and its checks see what was meant', () => {
    for (const legalForm of ['GmbH', 'limited company', 'Sociedad limitada', 'SARL', 'ltd.', 'GmbH & Co. KG']) {
      const reply = check({ template: 'company', values: { legalForm }, locale: 'de' });
      expect(reply.fields.find(({ field }) => field === 'legalForm')?.status, legalForm).toBe('ok');
      expect(reply.basis?.checks.find(({ id }) => id === 'owners-known')?.outcome, legalForm).toBe('failed');
    }
    expect(fieldOf('company', { legalForm: 'Kommune' }, 'legalForm')?.status).toBe('invalid');
    expect(fieldOf('seller', { categories: ['Möbel', 'Bücher'] }, 'categories')?.status).toBe('invalid');
    expect(fieldOf('seller', { categories: ['books', 'Bücher'] }, 'categories')?.status).toBe('ok');
    // A caller's own form means its own words.
    expect(statusOf({ kind: 'choice', choices: ['limited company'] }, 'GmbH')).toBe('invalid');
  });

  it('shows the postcode of the country that is asked about', () => {
    const wrong = (country: string, locale: string) =>
      fieldOf('person', { postalCode: '1', country }, 'postalCode', locale)?.suggestion;
    expect(wrong('ES', 'es')).toContain('28013');
    expect(wrong('ES', 'es')).not.toContain('8010');
    expect(wrong('Deutschland', 'de')).toContain('10115');
    expect(wrong('AT', 'de')).toContain('8010');
  });

  it('says what is in the way of a number', () => {
    const told = (value: string, locale: string) =>
      check({
        form: { name: 'f', fields: [{ name: 'price', label: 'Price', kind: 'number' }] },
        values: { price: value },
        locale,
      }).fields[0]?.message;
    expect(told('899 CHF', 'en-GB')).toBe('Price has to be a number alone: leave out “CHF”.');
    expect(told('£ 12,50', 'de-AT')).toBe('Das Feld „Price“ darf nur eine Zahl enthalten: Lassen Sie „£“ weg.');
    expect(told('12 euros', 'es-MX')).toContain('quite «euros»');
    expect(told('12 dollars', 'fr')).toContain('retirez « dollars »');
    expect(told('a lot', 'en')).toBe('Price has to be a number.');
    expect(told('12,5 %', 'de')).toContain('Lassen Sie „%“ weg');
  });

  it('says of a range that it is two numbers, and of another unit what to write', () => {
    const told = (label: string, value: string, locale: string) =>
      check({ form: { name: 'f', fields: [{ name: 'x', label, kind: 'number' }] }, values: { x: value }, locale })
        .fields[0]?.message;
    expect(told('Effectif', '10 à 19', 'fr')).toBe(
      'Le champ « Effectif » doit contenir un seul nombre : « 10 à 19 » en fait deux.',
    );
    expect(told('Rooms', 'between 3 and 5', 'en')).toContain('“between 3 and 5” is two');
    expect(told('Budget', '200-250', 'de')).toContain('„200-250“ sind zwei');
    expect(told('Plazo en días', 'de 2 a 3 días', 'es')).toContain('«de 2 a 3 días» son dos');
    expect(told('Delivery time in days', '1 week', 'en')).toBe(
      'Delivery time in days has to be a number in days: for “1 week” write 7.',
    );
    expect(told('Lieferzeit in Tagen', '2 Wochen', 'de')).toContain('Schreiben Sie für „2 Wochen“ 14');
    expect(told('Height in cm', '1.80 m', 'en')).toContain('for “1.80 m” write 180');
    expect(told('Duración (meses)', '2 años', 'es')).toContain('para «2 años» escriba 24');
    expect(told('Délai en jours', '1 mois', 'fr')).toContain('dans l’unité demandée, et non en « mois »');
  });
});

describe('a profile check', () => {
  it('reads values by their kind', () => {
    const cases: [object, unknown, string][] = [
      [{ kind: 'email' }, 'ana@kovac-4711.at', 'ok'],
      [{ kind: 'email' }, 'ana@example.com', 'invalid'],
      [{ kind: 'email' }, 'test@test.com', 'invalid'],
      [{ kind: 'date', label: 'Date of birth' }, '2041-02-01', 'invalid'],
      [{ kind: 'date', label: 'Date of birth' }, '17.05.1988', 'ok'],
      [{ kind: 'country' }, 'Lalaland', 'invalid'],
      [{ kind: 'country' }, 'España', 'ok'],
      [{ kind: 'text', label: 'IBAN' }, 'DE89 3704 0044 0532 0130 00', 'ok'],
      [{ kind: 'text', label: 'IBAN' }, 'DE88370400440532013000', 'invalid'],
      [{ kind: 'text', label: 'VAT ID' }, 'ESB58378431', 'ok'],
      [{ kind: 'text', label: 'VAT ID' }, 'ESB58378432', 'invalid'],
      [{ kind: 'number' }, '1.234,5', 'ok'],
      [{ kind: 'email' }, 'ana@example', 'invalid'],
      [{ kind: 'email' }, 'ana..k@example.com', 'invalid'],
      [{ kind: 'phone' }, '+43 660 1234567', 'ok'],
      [{ kind: 'phone' }, '12', 'invalid'],
      [{ kind: 'url' }, 'https://example.com/a', 'ok'],
      [{ kind: 'url' }, 'www.muster-bau.at', 'ok'],
      [{ kind: 'url' }, 'muster-bau.at/kontakt', 'ok'],
      [{ kind: 'url' }, 'muster-bau', 'invalid'],
      [{ kind: 'url' }, 'office@muster-bau.at', 'invalid'],
      [{ kind: 'url' }, 'see below.', 'invalid'],
      [{ kind: 'url' }, 'javascript:alert(1)', 'invalid'],
      [{ kind: 'date' }, '2024-02-29', 'ok'],
      [{ kind: 'date' }, '2023-02-29', 'invalid'],
      [{ kind: 'date', min: 1900 }, '1899-12-31', 'invalid'],
      [{ kind: 'number', min: 0, max: 10 }, 5.5, 'ok'],
      [{ kind: 'number', min: 0, max: 10 }, '11', 'invalid'],
      [{ kind: 'integer' }, 5.5, 'invalid'],
      [{ kind: 'boolean' }, false, 'ok'],
      [{ kind: 'boolean' }, 'false', 'invalid'],
      [{ kind: 'boolean' }, 'Ja', 'ok'],
      [{ kind: 'boolean' }, 'sí', 'ok'],
      [{ kind: 'boolean' }, 'vielleicht', 'invalid'],
      [{ kind: 'boolean', label: 'I accept the terms', required: true }, 'No', 'invalid'],
      [{ kind: 'date' }, 'lundi 7 décembre 2026', 'ok'],
      [{ kind: 'date' }, 'Freitag, 4. Dezember 2026', 'ok'],
      [{ kind: 'date' }, 'Monday 30 February 2026', 'invalid'],
      [{ kind: 'date' }, '01.02.27', 'ok'],
      [{ kind: 'date' }, '31.02.27', 'invalid'],
      [{ kind: 'date', label: 'Date of birth' }, '12.04.85', 'ok'],
      [{ kind: 'text', label: 'Allergies' }, 'none', 'ok'],
      [{ kind: 'text', label: 'Name' }, 'none', 'weak'],
      [{ kind: 'choice', choices: ['a', 'b'] }, 'b', 'ok'],
      [{ kind: 'choice', choices: ['a', 'b'] }, 'c', 'invalid'],
      [{ kind: 'choices', choices: ['a', 'b'] }, ['a', 'c'], 'invalid'],
      [{ kind: 'list', minLength: 2 }, ['a'], 'invalid'],
      [{ kind: 'country' }, 'AT', 'ok'],
      [{ kind: 'country' }, 'A1', 'invalid'],
      [{ kind: 'text', pattern: '[0-9]{4}' }, '8010', 'ok'],
      [{ kind: 'text', pattern: '[0-9]{4}' }, '80100', 'invalid'],
      [{ kind: 'text', minLength: 2 }, '👩‍👩‍👧‍👦', 'ok'],
      [{ kind: 'text', required: true }, ' \u200b\u0000 ', 'missing'],
      [{ kind: 'text' }, '', 'empty'],
      [{ kind: 'text' }, 'asdf', 'weak'],
      [{ kind: 'long_text', minLength: 40 }, 'too short', 'weak'],
    ];
    for (const [field, value, status] of cases)
      expect(statusOf(field, value), JSON.stringify([field, value])).toBe(status);
  });

  it('guides to the field in focus first, then to what is wrong, the most important first', () => {
    const values = { givenName: 'Ana' };
    expect(check({ template: 'person', values }).nextField).toBe('email');
    expect(check({ template: 'person', values, focusedField: 'city' }).nextField).toBe('city');
    expect(check({ template: 'person', values, focusedField: 'givenName' }).nextField).toBe('email');
  });

  it('looks only at the fields of the step', () => {
    const reply = check({
      template: 'person',
      values: { email: 'ana@kovac-4711.at', phone: '+43 660 1234567' },
      journeyStep: 'contact',
    });
    expect(reply).toMatchObject({ completeness: 100, ready: true });
  });

  it('computes completeness from the importance of what is right', () => {
    const form = {
      name: 'f',
      fields: [
        { name: 'a', importance: 6, required: true },
        { name: 'b', importance: 3 },
        { name: 'c', importance: 1 },
      ],
    };
    expect(check({ form, values: { a: 'Graz' } }).completeness).toBe(60);
    expect(check({ form, values: { b: 'Graz', c: 'test' } }).completeness).toBe(36);
  });

  it('takes the caller’s own checks', () => {
    const reply = check({
      template: 'person',
      values: {},
      checks: [{ id: 'own', pass: 'values.size() > 3', severity: 'critical' }],
    });
    expect(reply.basis?.checks.find(({ id }) => id === 'own')?.outcome).toBe('failed');
  });

  it('refuses a step that no field has, and takes nothing filled in for nothing ready', () => {
    expect(refused({ template: 'person', values: {}, journeyStep: 'zzz' })).toEqual(['journeyStep']);
    const reply = check({ form: { name: 'f', fields: [{ name: 'a' }] }, values: {} });
    expect(reply).toMatchObject({ ready: false, completeness: 0 });
    expect(reply.nextBestAction).not.toMatch(/save/i);
  });

  it('tells values that contradict each other, at the field to put right', () => {
    const fields = [
      { name: 'country', kind: 'country' },
      { name: 'vatId', label: 'VAT ID' },
      { name: 'net', kind: 'number' },
    ];
    const reply = check({ form: { name: 'f', fields }, values: { country: 'NL', vatId: 'DE136695976', net: 5 } });
    expect(reply).toMatchObject({
      ready: false,
      nextField: 'vatId',
      summary: 'The form is not ready: VAT ID is of DE, country is NL.',
    });
    expect(check({ form: { name: 'f', fields }, values: { country: 'DE', vatId: 'DE136695976', net: 5 } }).ready).toBe(
      true,
    );
  });

  it('names the field that its action is about, and counts what is wrong apart from what is missing', () => {
    const form = {
      name: 'booking',
      fields: [
        { name: 'persons', label: 'Persons', kind: 'integer', required: true },
        { name: 'from', label: 'From', kind: 'date', required: true },
        { name: 'logo', label: 'Logo', kind: 'url', importance: 5 },
      ],
    };
    const checks = [
      {
        id: 'few',
        fact: 'persons',
        pass: 'values.persons <= 8.0',
        severity: 'critical',
        message: 'Too many.',
        action: 'At most 8.',
      },
    ];
    const check = (values: object) => ask(guidanceFamily, CheckProfileRequestSchema, { form, values, checks });
    expect(check({ persons: 12, from: '2026-12-01' })).toMatchObject({
      nextField: 'persons',
      nextBestAction: 'At most 8.',
    });
    expect(check({ persons: 2, from: 'soon' }).summary).toMatch(/ 1 value has to be corrected\.$/);
    expect(check({ persons: 2 }).summary).toMatch(/ 1 required field is not filled in\.$/);
    expect(check({ from: 'soon' }).summary).toMatch(
      / 1 required field is not filled in\. 1 value has to be corrected\.$/,
    );
  });

  it('tells names that no field has, with the nearest one', () => {
    const reply = check({ template: 'person', values: { emial: 'x', shoeSize: 43 } });
    expect(reply.unusedFields).toEqual([
      { field: 'values.emial', nearest: 'email' },
      { field: 'values.shoeSize', nearest: '' },
    ]);
  });

  it('refuses forms that cannot be', () => {
    const field = { name: 'x' };
    expect(refused({})).toEqual(['template']);
    expect(refused({ template: 'nope' })).toEqual(['template']);
    expect(refused({ form: { name: 'f', fields: [field, field] } })).toEqual(['form.fields[1].name']);
    expect(refused({ form: { name: 'f', fields: [{ name: 'x', kind: 'choice' }] } })).toEqual([
      'form.fields[0].choices',
    ]);
  });
});
