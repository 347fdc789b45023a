import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CheckProfileRequestSchema } from '../../src/gen/intelligence/workflow/v1/guidance_pb.ts';
import { ScoreListingRequestSchema } from '../../src/gen/intelligence/workflow/v1/readiness_pb.ts';
import { runCustom } from '../../src/sandbox/child/run-custom.ts';
import type { CustomRules } from '../../src/sandbox/index.ts';
import { guidanceFamily } from '../../src/workflows/families/guidance.ts';
import { listingPacks, readinessFamily } from '../../src/workflows/families/readiness.ts';
import { ask } from './ask.ts';

const whole = listingPacks.get('generic')?.examples[0]?.input;
const form = { name: 'f', fields: [{ name: 'name', required: true }] };
const listing = (checks: object[]) => ask(readinessFamily, ScoreListingRequestSchema, { listing: whole, checks });
const profile = (checks: object[], values: object = { name: 'Ana' }) =>
  ask(guidanceFamily, CheckProfileRequestSchema, { form, values, checks });

describe('a fact that is absent never passes a check', () => {
  it('blocks a listing', () => {
    expect(listing([]).ready).toBe(true);
    const reply = listing([
      {
        id: 'ce',
        fact: 'CE mark',
        pass: 'attributes.ceMark == true',
        severity: 'critical',
        action: 'Add the CE mark.',
      },
    ]);
    expect(reply).toMatchObject({ ready: false, nextBestAction: 'Add the CE mark.', missingFacts: ['CE mark'] });
    expect(reply.blockers.map(({ check }) => check)).toEqual(['ce']);
  });

  it('says what to do in its outcome, like a check that failed; one that passed says nothing', () => {
    const checks = [
      { id: 'passed', pass: 'true', message: 'Unseen.', action: 'Unseen.' },
      { id: 'failed', pass: 'false', message: 'It has no lid.', action: 'Add a lid.' },
      { id: 'skipped', when: 'false', pass: 'false', message: 'Unseen.', action: 'Unseen.' },
      { id: 'absent', pass: 'attributes.lid == "yes"', message: 'Unseen.', action: 'Say whether it has a lid.' },
      { id: 'silent', fact: 'lid', pass: 'attributes.lid == "yes"' },
    ];
    const told = listing(checks)
      .basis?.checks.slice(-5)
      .map(({ outcome, message, action }) => [outcome, message, action]);
    expect(told).toEqual([
      ['passed', '', ''],
      ['failed', 'It has no lid.', 'Add a lid.'],
      ['skipped', '', ''],
      ['error', expect.stringContaining('absent'), 'Say whether it has a lid.'],
      ['error', expect.stringContaining('"lid"'), expect.stringContaining('lid')],
    ]);
  });

  it('blocks a form', () => {
    const checks = [{ id: 's', fact: 'sanctions', pass: 'values.sanctionsHit == false', severity: 'critical' }];
    expect(profile([]).ready).toBe(true);
    expect(profile(checks).ready).toBe(false);
  });

  it('has no number, so that no comparison holds of it, nor its contrary', () => {
    for (const pass of ['number(attributes, "debt") < 5.0', '!(number(attributes, "debt") > 5.0)'])
      expect(listing([{ id: 'debt', pass }]).basis?.checks.at(-1)?.outcome, pass).toBe('error');
    expect(
      listing([{ id: 'debt', pass: '!given(attributes, "debt") || number(attributes, "debt") < 5.0' }]).ready,
    ).toBe(true);
  });

  it('stands beside no ready reply, whatever is asked', () => {
    const pass = fc.constantFrom(
      '1 == 1',
      '1 == 2',
      'attributes.a.b == 1',
      'values.x > 3',
      'fields.nothing',
      '"text"',
      '1 / 0 == 1',
    );
    const severity = fc.constantFrom('info', 'low', 'medium', 'high', 'critical');
    const checks = fc.array(fc.record({ pass, severity, when: fc.oneof(fc.constant(''), pass) }), { maxLength: 4 });
    let errors = 0;
    fc.assert(
      fc.property(checks, (made) => {
        const named = made.map((check, index) => ({ id: `c${index}`, ...check }));
        for (const reply of [listing(named), profile(named)]) {
          const outcomes = reply.basis?.checks.map(({ outcome }) => outcome) ?? [];
          if (!outcomes.includes('error')) continue;
          errors++;
          expect(reply.ready).toBe(false);
          expect(reply.nextBestAction).not.toMatch(/publish|save|submit/i);
        }
      }),
      { seed: 14, numRuns: 300 },
    );
    expect(errors).toBeGreaterThan(100);
  });
});

const rules = (more: Partial<CustomRules>): CustomRules => ({
  id: undefined,
  inputSchema: {
    type: 'object',
    properties: {
      insurance: { type: 'object', properties: { valid: { type: 'boolean' } } },
      amount: { type: 'number' },
    },
  },
  outputSchema: {},
  checks: [],
  fields: [],
  ...more,
});
const refusalOf = (more: Partial<CustomRules>) => {
  const answer = runCustom({ rules: rules(more), input: {} });
  return 'refused' in answer ? `${answer.refused.at}: ${answer.refused.problem}` : '';
};
const check = (pass: string, more: object = {}) => ({ checks: [{ id: 'c', pass, weight: 1, ...more }] });

describe('a client’s own workflow', () => {
  const insured = rules({
    checks: [
      { id: 'insured', pass: 'input.insurance.valid', weight: 1, blocks: true },
      { id: 'small', pass: 'input.amount < 1000.0', weight: 9 },
    ],
    fields: [{ name: 'decision', expression: 'score >= 70.0 ? "approve" : blocked ? "stop" : "review"' }],
  });
  const decisionOn = (input: object, blocks = true) => {
    const checks = insured.checks.map((one) => ({ ...one, blocks: one.blocks === true && blocks }));
    const answer = runCustom({ rules: { ...insured, checks }, input });
    return 'ok' in answer && answer.ok ? answer.output.decision : answer;
  };

  it('approves nothing when a critical fact is absent or false, nor when any cannot be evaluated', () => {
    expect(decisionOn({ insurance: { valid: true }, amount: 5 })).toBe('approve');
    expect(decisionOn({ insurance: { valid: false }, amount: 5 })).toBe('stop');
    expect(decisionOn({ amount: 5 })).toBe('stop');
    expect(decisionOn({ amount: 5 }, false)).toBe('stop');
    expect(decisionOn({ insurance: { valid: false }, amount: 5 }, false)).toBe('approve');
  });

  it('is refused where it names what its input does not declare', () => {
    expect(refusalOf(check('input.amonut < 5.0'))).toBe(
      'definition.checks[0].pass: names amonut, which is not declared where it is read from; perhaps amount is meant',
    );
    expect(refusalOf(check('true', { when: 'has(input.insurance.vaild)' }))).toMatch(
      /^definition\.checks\[0\]\.when: .*perhaps valid/,
    );
    expect(refusalOf(check('number(input, "amonut") > 1.0'))).toContain('perhaps amount');
    expect(refusalOf(check('input["amonut"] == 1'))).toContain('perhaps amount');
    expect(refusalOf(check('input.amount.euros > 1.0'))).toContain('names euros');
    expect(refusalOf(check('inptu.amount > 1.0'))).toContain('names inptu, which is not there; there are input');
    const fields = [{ name: 'a', expression: 'checks["d"]' }];
    expect(refusalOf({ ...check('input.amount > 1.0'), fields })).toContain(
      'definition.fields[0].expression: names d,',
    );
    expect(
      refusalOf({
        fields: [
          { name: 'a', expression: 'fields.b' },
          { name: 'b', expression: '1' },
        ],
      }),
    ).toContain('names b,');
  });

  it('is not refused where names are declared, in whatever part of the schema, or left open', () => {
    const inputSchema = {
      $defs: { line: { properties: { price: { type: 'number' } } } },
      properties: {
        lines: { type: 'array', items: { $ref: '#/$defs/line' } },
        extra: { type: 'object' },
        any: { additionalProperties: true, properties: {} },
      },
      allOf: [{ properties: { country: { type: 'string' } } }],
    };
    for (const pass of [
      'input.lines.all(line, line.price > 0.0)',
      'input.lines[0].price > 0.0',
      'input.extra.whatever == 1 || input.any.thing == 2',
      'input.country == "AT" && type(input.country) == string',
      'input.country.size() == 2',
    ])
      expect(refusalOf({ inputSchema, ...check(pass) }), pass).toBe('');
    expect(refusalOf({ inputSchema, ...check('input.lines.exists(line, line.prize > 0.0)') })).toContain(
      'perhaps price',
    );
  });

  it('reads what a reference names beside what stands next to it, and what an anchor names', () => {
    const inputSchema = {
      $defs: {
        address: { properties: { street: { type: 'string' } } },
        buyer: { $anchor: 'buyer', properties: { name: { type: 'string' }, 'a b': { properties: { x: {} } } } },
        lines: { type: 'array', items: { properties: { price: { type: 'number' } } } },
        open: { additionalProperties: true },
      },
      properties: {
        to: { $ref: '#/$defs/address', properties: { zip: { type: 'string' } } },
        buyer: { $ref: '#buyer', required: ['name'] },
        seller: { allOf: [{ $ref: '#buyer' }], properties: { vat: { type: 'string' } } },
        part: { $ref: '#/$defs/buyer/properties/a%20b' },
        lines: { $ref: '#/$defs/lines', minItems: 1, items: { properties: { count: { type: 'number' } } } },
        any: { $ref: '#/$defs/open', properties: { known: {} } },
        code: { $ref: '#/$defs/address/properties/street' },
      },
    };
    for (const pass of [
      'input.to.street == input.to.zip',
      'input.buyer.name == input.seller.name && input.seller.vat == ""',
      'input.part.x == 1',
      'input.lines.all(line, line.price * line.count > 0.0)',
      'input.any.thing == input.any.known',
    ])
      expect(refusalOf({ inputSchema, ...check(pass) }), pass).toBe('');
    for (const [pass, name] of [
      ['input.to.stret == ""', 'stret'],
      ['input.buyer.to == ""', 'to'],
      ['input.lines[0].cost > 1.0', 'cost'],
      ['input.code.digits == ""', 'digits'],
    ] as const)
      expect(refusalOf({ inputSchema, ...check(pass) }), pass).toContain(`names ${name},`);
  });

  it('may call a function that has a namespace', () => {
    expect(refusalOf(check('strings.quote("a") == "\\"a\\""'))).toBe('');
    expect(refusalOf(check('strings.nothing("a") == ""'))).not.toBe('');
  });
});
