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
      [{ kind: 'url' }, 'javascript:alert(1)', 'invalid'],
      [{ kind: 'date' }, '2024-02-29', 'ok'],
      [{ kind: 'date' }, '2023-02-29', 'invalid'],
      [{ kind: 'date', min: 1900 }, '1899-12-31', 'invalid'],
      [{ kind: 'number', min: 0, max: 10 }, 5.5, 'ok'],
      [{ kind: 'number', min: 0, max: 10 }, '11', 'invalid'],
      [{ kind: 'integer' }, 5.5, 'invalid'],
      [{ kind: 'boolean' }, false, 'ok'],
      [{ kind: 'boolean' }, 'false', 'invalid'],
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
