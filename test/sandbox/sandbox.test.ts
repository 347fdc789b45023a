import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Result } from '../../src/base/failure.ts';
import { createSandbox, createSchemas, type Sandbox } from '../../src/sandbox/index.ts';
import { silent } from '../support/database.ts';
import { sandboxProcesses } from './processes.ts';

const many = { list: Array.from({ length: 1900 }, (_, at) => at), text: 'a'.repeat(100_000) };
/** Another one each time: the same one again is refused at once. */
let slowOnes = 0;
const slow = () => `input.list.all(a, input.list.all(b, a + b >= -${slowOnes++}.0))`;
const sum = (times: number) => Array(times).fill('a').join(' + ');

let sandbox: Sandbox;
const check = (pass: string, owner = 'acc_1') =>
  sandbox.run(
    owner,
    'checks',
    { checks: [{ id: 'own', pass, weight: 1 }], variables: { input: many } },
    { field: 'checks' },
  );

beforeAll(async () => {
  // Starting a process takes the longer the busier the machine is; the promises are about jobs.
  sandbox = createSandbox({ log: silent, settings: { waitMs: 60_000 } });
  await check('true');
});
afterAll(() => sandbox.close());

function fieldOf(result: Result<unknown>): string {
  if (result.ok || result.failure.kind !== 'invalid_argument') return JSON.stringify(result);
  return result.failure.violations[0]?.field ?? '';
}

function problemOf(result: Result<unknown>): string {
  if (result.ok || result.failure.kind !== 'invalid_argument') return JSON.stringify(result);
  return result.failure.violations[0]?.description ?? '';
}

// Most of the time goes into starting processes again, two at a time on a machine that others use.
describe('the sandbox', () => {
  it('answers what is plain', async () => {
    expect(await check('input.list.size() == 1900')).toEqual({ ok: true, value: { outcomes: ['passed'] } });
    expect(await check('input.nothing == 1')).toEqual({ ok: true, value: { outcomes: ['error'] } });
    const patterns = [
      { field: 'form.fields[0].pattern', pattern: 'a+', text: 'aaa' },
      { field: 'form.fields[1].pattern', pattern: 'a+', text: 'aab' },
    ];
    expect(await sandbox.run('acc_1', 'patterns', { patterns }, { field: 'form.fields' })).toEqual({
      ok: true,
      value: { fits: [true, false] },
    });
    expect(await sandbox.run('acc_1', 'tokens', { pieces: ['one two', ' three'] }, { field: 'messages' })).toEqual({
      ok: true,
      value: { tokens: 3 },
    });
  });

  it('says where an expression or a pattern is wrong', async () => {
    expect(fieldOf(await check('input.list.size( >'))).toBe('checks[0].pass');
    expect(fieldOf(await check(`${'('.repeat(60)}1${')'.repeat(60)} == 1`))).toBe('checks[0].pass');
    expect(fieldOf(await check('input.list.all(a, input.list.all(b, input.list.all(c, true)))'))).toBe(
      'checks[0].pass',
    );
    for (const pattern of ['(', 'a{1000}'.repeat(11), '(?<=a)b'])
      expect(
        fieldOf(
          await sandbox.run(
            'acc_1',
            'patterns',
            { patterns: [{ field: 'form.fields[7].pattern', pattern, text: 'a' }] },
            { field: 'form.fields' },
          ),
        ),
      ).toBe('form.fields[7].pattern');
  });

  it('ends what takes too long or too much, and answers others meanwhile', async () => {
    const hostile = [
      slow(),
      'input.list.map(a, input.list.map(b, a)).size() > 0',
      // Strings that double are no old space: they stay one tree of halves until something looks at them.
      `[input.text].map(a, ${sum(28)}).map(a, (${sum(34)}).lowerAscii())[0].contains("b")`,
    ];
    for (const expression of hostile) {
      const [ended, other] = await Promise.all([check(expression), check('1 < 2', 'acc_2')]);
      expect(other, expression).toEqual({ ok: true, value: { outcomes: ['passed'] } });
      expect(fieldOf(ended), expression).toBe('checks');
      expect(problemOf(ended), expression).toMatch(/takes (longer|more) than/);
    }
  });

  it('ends eleven fields that double a text', async () => {
    const fields = Array.from({ length: 11 }, (_, at) => {
      const before = at === 0 ? 'input.text' : `fields.f${at - 1}`;
      return { name: `f${at}`, expression: `${before} + ${before}` };
    });
    const rules = { id: undefined, inputSchema: {}, outputSchema: {}, checks: [], fields };
    const ended = await sandbox.run('acc_fields', 'custom', { rules, input: many }, { field: 'definition' });
    // Whichever bound is met first.
    if (ended.ok)
      expect(ended.value).toMatchObject({
        ok: false,
        field: 'output',
        problem: expect.stringMatching(/^holds more than/),
      });
    else {
      expect(fieldOf(ended)).toBe('definition');
      expect(problemOf(ended)).toMatch(/takes more than 128 MB|takes longer than|yields more than/);
    }
    expect(await check('1 < 2')).toMatchObject({ ok: true });
  });

  it('survives that a process is killed in the middle of a job, which alone is refused', async () => {
    const before = sandboxProcesses(process.pid);
    const running = check(slow());
    for (const pid of before) process.kill(pid, 'SIGKILL');
    expect(fieldOf(await running)).toBe('checks');
    expect(await check('1 < 2')).toEqual({ ok: true, value: { outcomes: ['passed'] } });
    expect(sandboxProcesses(process.pid).filter((pid) => before.includes(pid))).toEqual([]);
  });

  it('is not kept from others by one owner, however many jobs it has', async () => {
    const ours = createSandbox({ log: silent, settings: { waitMs: 60_000 } });
    const run = (owner: string, pass: string) =>
      ours.run(
        owner,
        'checks',
        { checks: [{ id: 'own', pass, weight: 1 }], variables: { input: many } },
        { field: 'c' },
      );
    await run('acc_other', 'true');
    let over = 0;
    const flood = Array.from({ length: 60 }, () => run('acc_flood', slow()).then(() => over++));
    expect(await run('acc_other', '1 < 2')).toEqual({ ok: true, value: { outcomes: ['passed'] } });
    // The others of the flood are still to come.
    expect(over).toBeLessThan(60);
    await ours.close();
    await Promise.all(flood);
  });

  it('gives way when its caller leaves', async () => {
    const leaving = new AbortController();
    const busy = Array.from({ length: 3 }, () => check(slow()));
    const waiting = sandbox.run('acc_1', 'tokens', { pieces: ['a'] }, { field: 'a', signal: leaving.signal });
    leaving.abort();
    expect(await waiting).toEqual({ ok: false, failure: { kind: 'cancelled' } });
    await Promise.all(busy);
  });

  it('is overloaded when an owner has too many jobs waiting, or one waits too long', async () => {
    const jobs = await Promise.all(Array.from({ length: 200 }, () => check('1 < 2', 'acc_many')));
    const kinds = jobs.map((job) => (job.ok ? 'ok' : job.failure.kind));
    expect(new Set(kinds)).toEqual(new Set(['ok', 'overloaded']));
    expect(kinds.filter((kind) => kind === 'ok').length).toBeGreaterThanOrEqual(128);
    const busy = Array.from({ length: 3 }, () => check(slow()));
    const late = await sandbox.run('acc_1', 'tokens', { pieces: ['a'] }, { field: 'a', waitMs: 1 });
    expect(late).toMatchObject({ ok: false, failure: { kind: 'overloaded' } });
    await Promise.all(busy);
  });
});

describe('schemas of callers', () => {
  const prove = (schema: Record<string, unknown>, owner = 'acc_3') =>
    createSchemas(sandbox).prove(owner, schema, { field: 'responseFormat.schema' });

  it('are refused with the place', async () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [
        `d${at}`,
        { allOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] },
      ]),
    );
    const wrong: [Record<string, unknown>, string][] = [
      [{ $ref: '#/$defs/d0', $defs: { ...$defs, d60: { type: 'string' } } }, '#/$defs/d'],
      [{ $ref: 'https://example.com/schema.json' }, '#/$ref'],
      [{ $async: true, type: 'object' }, '#/$async'],
      [{ properties: { a: { pattern: 'a{1000}'.repeat(5000) } } }, '#/properties/a/pattern'],
      [{ properties: { a: { type: 'strange' } } }, '#/properties/a/type'],
    ];
    for (const [schema, place] of wrong)
      expect(fieldOf(await prove(schema)), JSON.stringify(schema).slice(0, 80)).toContain(
        `responseFormat.schema${place}`,
      );
  });

  it('say whether a text fits, and what can not be checked in time is refused', async () => {
    const proven = await prove({ type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] });
    if (!proven.ok) throw new Error(JSON.stringify(proven));
    expect(await proven.value.fits('{"a":1}', 60_000)).toEqual({ ok: true, value: true });
    expect(await proven.value.fits('{"a":"1"}', 60_000)).toEqual({ ok: true, value: false });
    expect(await proven.value.fits('no JSON', 60_000)).toEqual({ ok: true, value: false });
    // Accepted, since it goes deeper each time, and twice as long for each level of a value.
    const twice = { properties: { n: { allOf: [{ $ref: '#' }, { $ref: '#' }] } } };
    const doubling = await prove(twice);
    if (!doubling.ok) throw new Error(JSON.stringify(doubling));
    const ended = await doubling.value.fits(`${'{"n":'.repeat(40)}1${'}'.repeat(40)}`, 60_000);
    // Where the machine did not get to it in ten times its time, that is no fault of the caller.
    expect(problemOf(ended)).toMatch(/takes longer than 1000 ms|"overloaded"/);
    const deep = await doubling.value.fits(`${'['.repeat(100_000)}${']'.repeat(100_000)}`, 60_000);
    expect(deep.ok && deep.value).toBe(true);
  });

  it('that are known are not compiled again by the service', async () => {
    let runs = 0;
    const counting: Sandbox = {
      ...sandbox,
      run: (...job) => {
        runs++;
        return sandbox.run(...job);
      },
    };
    const schemas = createSchemas(counting);
    const terms = { field: 'a' };
    for (const schema of [{ type: 'object' }, { $async: true }]) {
      await schemas.prove('acc_1', schema, terms);
      expect(fieldOf(await schemas.prove('acc_2', schema, { field: 'b' }))).toMatch(schema.type ? /"ok":true/ : /^b#/);
    }
    expect(runs).toBe(2);
  });
});
