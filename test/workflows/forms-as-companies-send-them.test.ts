// Forms as companies send them: fields without a kind, placeholders, numbers of their country, what they put into free text.
import { describe, expect, it } from 'vitest';
import { CheckProfileRequestSchema } from '../../src/gen/intelligence/workflow/v1/guidance_pb.ts';
import { guidanceFamily } from '../../src/workflows/families/guidance.ts';
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
    expect(own(['cooking', 'sewing'])).toBe('invalid');
  });
});
