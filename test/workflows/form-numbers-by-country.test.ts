// Numbers of persons, firms, accounts and vehicles with the check digits that their countries publish.
import { describe, expect, it } from 'vitest';
import { CheckProfileRequestSchema } from '../../src/gen/intelligence/workflow/v1/guidance_pb.ts';
import { guidanceFamily } from '../../src/workflows/families/guidance.ts';
import { ask } from './ask.ts';

type Field = readonly [name: string, kind: string, label: string, value: string];

const fill = (...fields: readonly Field[]) =>
  ask(guidanceFamily, CheckProfileRequestSchema, {
    form: { name: 'own', fields: fields.map(([name, kind, label]) => ({ name, kind, label, required: true })) },
    values: Object.fromEntries(fields.map(([name, , , value]) => [name, value])),
  });
const statusAt = (country: string, ...field: Field) =>
  fill(field, ...(country === '' ? [] : [['country', 'country', 'Country', country] as const])).fields[0]?.status;

describe('a number of a country', () => {
  it.each([
    ['MX', 'curp', 'CURP', 'HEGG560427MVZRRL04', 'HEGG560427MVZRRL05'],
    ['MX', 'curp', 'CURP', 'HEGG560427MVZRRL04', 'HEGG561327MVZRRL04'],
    ['MX', 'rfc', 'RFC', 'GODE561231GR8', 'GODE561231GR9'],
    ['MX', 'rfc', 'RFC', 'TLA050318Q21', 'TLA050318Q2'],
    ['MX', 'clabe', 'CLABE interbancaria', '032180000118359719', '032180000118359718'],
    ['MX', 'nss', 'NSS', '92968745239', '92968745238'],
    ['AR', 'cuit', 'CUIT', '30-71284416-3', '30-71284416-4'],
    ['AR', 'cbu', 'CBU', '2850590940090418135201', '2850590940090418135202'],
    ['AR', 'cbu', 'CBU', '2850590940090418135201', '2850591940090418135201'],
    ['CL', 'rut', 'RUT', '30.686.957-4', '30.686.957-5'],
    ['CL', 'rut', 'RUT de la empresa', '7.721.481-k', '7.721.481-1'],
    ['CO', 'nit', 'NIT', '900.373.913-4', '900.373.913-5'],
    ['PE', 'ruc', 'RUC', '20100070970', '20100070971'],
    ['US', 'ein', 'EIN', '12-3456789', '07-3456789'],
    ['US', 'taxId', 'Employer Identification Number', '12-3456789', '12-345678'],
    ['CA', 'sin', 'Social insurance number', '130 454 283', '130 454 284'],
    ['CA', 'nas', "Numéro d'assurance sociale", '130 454 283', '830 454 283'],
    ['BE', 'numeroEntreprise', "Numéro d'entreprise", '0403.170.701', '0403.170.702'],
    ['BE', 'niss', 'Numéro de registre national', '85.07.30-033.28', '85.07.30-033.29'],
    ['BE', 'niss', 'Numéro de registre national', '00.01.08-031.56', '00.01.08-031.57'],
    ['AU', 'abn', 'ABN', '51 824 753 556', '51 824 753 557'],
    ['IE', 'pps', 'PPS number', '1234567T', '1234567S'],
    ['IE', 'ppsn', 'PPSN', '1234567FA', '1234567TA'],
    ['GB', 'companyNumber', 'Company number', 'SC123456', '12345'],
    ['AT', 'firmenbuch', 'Firmenbuchnummer', 'FN 56247 t', '56247'],
    ['FR', 'registrationNumber', 'Registration number', '732 829 320', '732 829 321'],
    ['BE', 'registrationNumber', 'Registration number', '0403.170.701', '0403.170.702'],
    ['US', 'vin', 'VIN', '1M8GDM9AXKP042788', '1M8GDM9A1KP042788'],
    ['CA', 'vin', 'VIN', 'JM1BK32F981234567', 'JM1BK32FY81234567'],
  ])('is checked: %s, %s, %s', (country, name, label, right, wrong) => {
    expect(statusAt(country, name, 'text', label, right)).toBe('ok');
    expect(statusAt(country, name, 'text', label, wrong)).toBe('invalid');
  });

  it.each([
    ['UY', 'rut', 'RUT', '211234560018'],
    ['', 'nit', 'NIT', '1234567-8'],
    ['EC', 'ruc', 'RUC', '1790011674001'],
    ['DE', 'text', 'Tragen Sie ein Stichwort ein', 'Reise'],
    ['ES', 'sin', 'Sin alergias', 'cierto'],
    ['GB', 'ein', 'EIN', '07-3456789'],
    ['MX', 'rfc', 'RFC', 'XAXX010101000'],
    ['FR', 'registrationNumber', "Numéro d'immatriculation", 'EZ-418-QN'],
    ['DE', 'registrationNumber', 'Handelsregisternummer', 'HRB 148223'],
    ['DE', 'fin', 'Fahrzeug-Identifizierungsnummer', 'WVWZZZAUZHP104825'],
  ])('is not judged where another is meant: %s, %s', (country, name, label, value) => {
    expect(statusAt(country, name, 'text', label, value)).toBe('ok');
  });

  it.each([
    ['MX', 'GODE561231GR8', 'GODE561231GR9'],
    ['AR', '30-71284416-3', '30-71284416-4'],
    ['CL', '30.686.957-4', '30.686.957-5'],
    ['PE', '20100070970', '20100070971'],
  ])('is its tax number where a form asks only for that: %s', (country, right, wrong) => {
    expect(statusAt(country, 'taxId', 'text', 'Tax number', right)).toBe('ok');
    expect(statusAt(country, 'taxId', 'text', 'Tax number', wrong)).toBe('invalid');
  });

  it.each([
    ['DE', 'ustId', 'USt-IdNr.', '136695976', '136695977'],
    ['FR', 'tva', 'Numéro de TVA', '40303265045', '41303265045'],
    ['CH', 'mwst', 'MWST-Nr.', '116.281.710', '116.281.711'],
  ])('is checked without its prefix, too, where only a VAT ID is meant: %s', (country, name, label, right, wrong) => {
    expect(statusAt(country, name, 'text', label, right)).toBe('ok');
    expect(statusAt(country, name, 'text', label, wrong)).toBe('invalid');
  });

  it('is not judged as a VAT ID where a tax office gives another, or where something about VAT is asked', () => {
    expect(statusAt('DE', 'steuernummer', 'text', 'Steuernummer', '21/815/08150')).toBe('ok');
    const regime = { name: 'regime', label: 'Régime de TVA', kind: 'choice', choices: ['réel'], required: true };
    const asked = { form: { name: 'f', fields: [regime] }, values: { regime: 'réel' } };
    expect(ask(guidanceFamily, CheckProfileRequestSchema, asked).ready).toBe(true);
  });

  it('is not looked for in a day on which it expires', () => {
    expect(statusAt('ES', 'caducidadDni', 'date', 'Fecha de caducidad del DNI', '19/08/2029')).toBe('ok');
    expect(statusAt('ES', 'caducidadDni', 'date', 'Fecha de caducidad del DNI', '19/08/2020')).toBe('invalid');
  });
});

describe('a vehicle built in North America', () => {
  it('may have been built for another market, which is told as a doubt', () => {
    expect(statusAt('GB', 'vin', 'text', 'VIN', '1HGCM82633A004353')).toBe('weak');
    expect(statusAt('GB', 'vin', 'text', 'VIN', '1HGCM82633A004352')).toBe('ok');
    expect(statusAt('US', 'vin', 'text', 'VIN', '1HGCM82633A004353')).toBe('invalid');
  });
});

describe('a number made from a date of birth', () => {
  it.each([
    ['curp', 'CURP', 'HEGG560427MVZRRL04', '1956-04-27', '1965-04-27'],
    ['rfc', 'RFC', 'GODE561231GR8', '1956-12-31', '1956-12-13'],
    ['nir', 'Numéro de sécurité sociale', '1 84 12 76 451 089 46', '1984-12-05', '1985-12-05'],
    ['niss', 'Numéro de registre national', '85.07.30-033.28', '1985-07-30', '1985-07-31'],
  ])('contradicts another one: %s', (name, label, number, right, wrong) => {
    const born = (day: string) => fill(['birth', 'date', 'Date of birth', day], [name, 'text', label, number]);
    expect(born(right).ready).toBe(true);
    expect(born(wrong)).toMatchObject({ ready: false, nextField: name });
  });

  it('says nothing of the births of two people', () => {
    const reply = fill(
      ['birth', 'date', 'Date of birth', '1956-04-27'],
      ['birth2', 'date', 'Date of birth of the spouse', '1958-01-01'],
      ['curp', 'text', 'CURP', 'HEGG560427MVZRRL04'],
    );
    expect(reply.ready).toBe(true);
  });
});
