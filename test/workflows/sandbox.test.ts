import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CheckRule } from '../../src/workflows/checks/checks.ts';
import { celValue } from '../../src/workflows/checks/expressions.ts';
import { createSandbox, type Sandbox } from '../../src/workflows/sandbox/index.ts';
import { silent } from '../support/database.ts';

const rule = (pass: string): CheckRule => ({
  id: 'own',
  fact: '',
  pass,
  weight: 1,
  severity: 'low',
  message: '',
  action: '',
});
const many = celValue({ list: Array.from({ length: 1900 }, (_, at) => at), text: 'a'.repeat(100_000) });

describe('the sandbox', () => {
  let sandbox: Sandbox;
  const check = (pass: string, owner = 'acc_1') =>
    sandbox.run(owner, { kind: 'checks', rules: [rule(pass)], variables: { input: many } }, 'checks');

  beforeAll(async () => {
    // Replacing a worker takes the longer the busier the machine is; the promise is about the job.
    sandbox = createSandbox({ log: silent });
    await check('true');
    await check('true');
  });
  afterAll(() => sandbox.close());

  it('answers what is plain', async () => {
    expect(await check('input.list.size() == 1900')).toEqual({
      ok: true,
      value: { kind: 'checks', outcomes: ['passed'] },
    });
    expect(await check('input.nothing == 1')).toEqual({ ok: true, value: { kind: 'checks', outcomes: ['error'] } });
  });

  it('says where an expression is wrong', async () => {
    expect(await check('input.list.size( >')).toMatchObject({ ok: true, value: { kind: 'refused' } });
    expect(await check(`${'('.repeat(60)}1${')'.repeat(60)} == 1`)).toMatchObject({
      value: { kind: 'refused', field: 'checks[0].pass' },
    });
    expect(await check('input.list.all(a, input.list.all(b, input.list.all(c, true)))')).toMatchObject({
      value: { kind: 'refused' },
    });
  });

  it('ends what takes too long or too much, soon, while others are answered', async () => {
    const hostile = [
      'input.list.all(a, input.list.all(b, a + b >= 0.0))',
      'input.list.map(a, input.list.map(b, a)).size() > 0',
      'input.text.matches("(a+)+(b+)+$") || input.list.all(a, input.text.contains("aaaaaaaaaaaaaab"))',
    ];
    for (const expression of hostile) {
      const start = performance.now();
      const [ended, other] = await Promise.all([check(expression), check('1 < 2', 'acc_2')]);
      expect(performance.now() - start, expression).toBeLessThan(20_000);
      expect(other).toMatchObject({ ok: true, value: { outcomes: ['passed'] } });
      if (!ended.ok) expect(['invalid_argument', 'overloaded']).toContain(ended.failure.kind);
      expect(await check('1 < 2', 'acc_2')).toMatchObject({ ok: true });
    }
  });

  it('bounds schemas that grow without end', async () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [
        `d${at}`,
        { allOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] },
      ]),
    );
    const inputSchema = { $ref: '#/$defs/d0', $defs: { ...$defs, d40: { type: 'string' } } };
    const definition = { id: undefined, inputSchema, outputSchema: {}, checks: [], fields: [] };
    const start = performance.now();
    const answer = await sandbox.run('acc_3', { kind: 'custom', definition, input: 'x' }, 'definition');
    expect(performance.now() - start).toBeLessThan(20_000);
    expect(answer).toMatchObject({ ok: false, failure: { kind: 'invalid_argument' } });
    const remote = { ...definition, inputSchema: { $ref: 'https://example.com/schema.json' } };
    expect(await sandbox.run('acc_4', { kind: 'custom', definition: remote, input: 'x' }, 'definition')).toMatchObject({
      value: { kind: 'refused', field: 'definition.inputSchema' },
    });
  });
});
