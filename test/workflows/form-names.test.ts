// What people call the fields of forms, and slips in what they write into them.
import { describe, expect, it } from 'vitest';
import { CheckProfileRequestSchema } from '../../src/gen/intelligence/workflow/v1/guidance_pb.ts';
import { ScoreBusinessReadinessRequestSchema } from '../../src/gen/intelligence/workflow/v1/scoring_pb.ts';
import { guidanceFamily } from '../../src/workflows/families/guidance.ts';
import { scoringFamily } from '../../src/workflows/families/scoring.ts';
import { ask } from './ask.ts';

const check = (json: object) => ask(guidanceFamily, CheckProfileRequestSchema, json);
const nearest = (template: string, name: string) => check({ template, values: { [name]: 'x' } }).unusedFields[0];

const fill = (kind: string, value: string, more: object = {}) =>
  check({
    form: { name: 'own', fields: [{ name: 'it', label: 'It', kind, required: true }] },
    values: { it: value },
    ...more,
  }).fields[0];

describe('a name that no field has', () => {
  it.each([
    ['company', 'Rechtsform', 'legalForm'],
    ['company', 'Branche', 'industry'],
    ['company', 'Registernummer', 'registrationNumber'],
    ['company', 'Ansprechpartner', 'contactName'],
    ['company', 'USt-IdNr', 'taxId'],
    ['company', 'formeJuridique', 'legalForm'],
    ['company', 'secteur', 'industry'],
    ['company', 'siret', 'registrationNumber'],
    ['company', 'plantilla', 'employees'],
    ['person', 'fechaNacimiento', 'dateOfBirth'],
    ['seller', 'bankAccount', 'iban'],
    ['seller', 'Rueckgabe', 'returnsPolicy'],
    ['person', 'nombreDeLaTienda', ''],
    ['person', 'newsletter', ''],
    ['company', 'lastLogin', ''],
  ])('is compared with names and labels in four languages: %s, %s', (template, name, known) => {
    expect(nearest(template, name)?.nearest).toBe(known);
  });

  it('is compared with the labels of a form of one’s own, and of a scorecard', () => {
    const form = { name: 'own', fields: [{ name: 'f1', label: 'Wunschtermin' }] };
    expect(check({ form, values: { wunschtermn: 'x' } }).unusedFields[0]?.nearest).toBe('f1');
    const { unusedFields } = ask(scoringFamily, ScoreBusinessReadinessRequestSchema, {
      metrics: { Weiterbildungstage: 3 },
      answers: { 'Impuestos pagados': 'yes' },
    });
    expect(unusedFields.map(({ nearest }) => nearest)).toEqual(['trainingDays', 'taxesPaid']);
  });

  it('is told when it is in focus', () => {
    expect(check({ template: 'person', focusedField: 'emial' }).unusedFields).toEqual([
      { field: 'focusedField', nearest: 'email' },
    ]);
    expect(check({ template: 'person', focusedField: 'email' }).unusedFields).toEqual([]);
  });
});

describe('an e-mail address', () => {
  it.each([
    [
      'en',
      'ana@brightwater,co.uk',
      'It has a comma where a dot belongs.',
      'Write ana@brightwater.co.uk if that is meant.',
    ],
    ['de', 'ana@firma,de', 'steht ein Komma', 'Schreiben Sie ana@firma.de'],
    ['es', 'ana@empresa,es', 'tiene una coma', 'Escriba ana@empresa.es'],
    ['fr', 'ana@societe,fr', 'contient une virgule', 'Écrivez ana@societe.fr'],
    ['en', 'ana@gmial.com', 'It: perhaps gmail.com is meant.', 'Write ana@gmail.com if that is meant.'],
    ['en', 'max@gmx.ta', 'It: perhaps gmx.at is meant.', 'Write max@gmx.at if that is meant.'],
  ])('is corrected (%s): %s', (locale, value, message, action) => {
    const told = fill('email', value, { locale });
    expect(told?.message).toContain(message);
    expect(told?.suggestion).toContain(action);
  });

  it.each(['max@gmx.ch', 'max@gmx.at', 'max@gmx.eu', 'max@free.fm', 'max@web.it'])('is left alone: %s', (value) => {
    expect(fill('email', value)?.status).toBe('ok');
  });

  it('is not two', () => {
    expect(fill('email', 'a@firma.de, b@firma.de')?.message).toBe('It is not an e-mail address.');
  });
});

describe('a day and a number', () => {
  it('is told with the same words however it is written', () => {
    const told = ['31/02/1990', '30-02-2027', '30.02.2027', '2027-02-30'].map((day) => fill('date', day)?.message);
    expect(new Set(told)).toEqual(new Set(['It is a day that does not exist.']));
    expect(fill('date', '17-05-2024')?.status).toBe('ok');
  });

  it('has an area code', () => {
    expect(fill('phone', '123456')?.status).toBe('invalid');
    expect(fill('phone', '234567', { locale: 'de-DE' })?.status).toBe('invalid');
    expect(fill('phone', '812345', { locale: 'fr-AD' })?.status).toBe('ok');
    expect(fill('phone', '030 2345678')?.status).toBe('ok');
  });
});

it('asks for what is required before an optional value is corrected', () => {
  const fields = [
    { name: 'vatId', label: 'VAT ID', importance: 9 },
    { name: 'companyName', label: 'Company', required: true, importance: 3 },
  ];
  const reply = check({ form: { name: 'own', fields }, values: { vatId: 'DE123456789' } });
  expect(reply.fields[0]?.status).toBe('invalid');
  expect(reply.nextField).toBe('companyName');
});
