import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSandbox, createSchemas, type Sandbox } from '../../src/sandbox/index.ts';
import { silent } from '../support/database.ts';

// Small schemas that are accepted, and take four times as long for each level of a value.
const hostile = (title: string) => ({
  title,
  anyOf: Array.from({ length: 4 }, () => ({ properties: { n: { $ref: '#' } }, required: ['n'] })),
});
const deep = `${'{"n":'.repeat(16)}1${'}'.repeat(16)}`;
const good = { type: 'object', properties: { a: { type: 'integer' } } };

let sandbox: Sandbox;
/** How many processes were ended so far. */
let broken = 0;

beforeAll(async () => {
  const log = Object.assign(Object.create(silent), { warn: (_: unknown, text: string) => text && broken++ });
  // Starting a process takes the longer the busier the machine is; the promises are about who waits for whom.
  // There, breaking processes takes longer than breaks count.
  sandbox = createSandbox({ log, settings: { waitMs: 120_000, suspectMs: 3_600_000 } });
  await fits('acc_good', good, '{"a":1}');
});
afterAll(() => sandbox.close());

/** What a caller is told: `fits` or not, or the reason. */
async function fits(
  owner: string,
  schema: Record<string, unknown>,
  text: string,
  user?: string,
): Promise<boolean | string> {
  const proven = await createSchemas(sandbox).prove(owner, schema, { field: 'schema', user });
  const answer = proven.ok ? await proven.value.fits(text, 120_000) : proven;
  if (answer.ok) return answer.value as boolean;
  return answer.failure.kind === 'invalid_argument'
    ? (answer.failure.violations[0]?.description ?? '')
    : answer.failure.kind;
}

test('what broke a process is refused at once when it comes again, for its owner alone', async () => {
  expect(await fits('acc_again', hostile('again'), deep)).toMatch(/takes longer than/);
  const before = broken;
  for (let time = 0; time < 3; time++)
    expect(await fits('acc_again', hostile('again'), deep)).toMatch(/takes longer than/);
  expect(broken).toBe(before);
  // The same schema with what it can be checked against.
  expect(await fits('acc_again', hostile('again'), '{"n":1}')).toBe(true);
  expect(await fits('acc_good', hostile('again'), '{"n":1}')).toBe(true);
});

test('owners that break processes with new schemas each time keep none of what others need', async () => {
  const owners = ['acc_a', 'acc_b', 'acc_c'];
  const each = 12;
  const before = broken;
  let over = 0;
  const flood = owners.flatMap((owner) =>
    Array.from({ length: each }, (_, at) =>
      fits(owner, hostile(`${owner} ${at}`), deep).then((answer) => {
        over++;
        return answer;
      }),
    ),
  );
  const waited: number[] = [];
  while (over < flood.length) {
    const ended = broken;
    expect(await fits('acc_good', good, '{"a":1}')).toBe(true);
    waited.push(broken - ended);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  // At the most the two whose time was just over: there is always a process for what has run before.
  expect(Math.max(...waited)).toBeLessThanOrEqual(2);
  const told = await Promise.all(flood);
  // A process that gets no time of a busy machine ends as overloaded.
  expect(told.filter((answer) => !/takes longer than|is not tried now|overloaded/.test(String(answer)))).toEqual([]);
  // Three of each, and those that ran beside the third; the others were not tried.
  const starved = told.filter((answer) => /overloaded/.test(String(answer))).length;
  expect(broken - before).toBeLessThanOrEqual(owners.length * 4 + starved);
  expect(told.filter((answer) => /is not tried now|overloaded/.test(String(answer))).length).toBeGreaterThanOrEqual(24);

  // It is asked before a model is, and is no reason to refuse others the same schema.
  const schemas = createSchemas(sandbox);
  const next = { title: 'next', type: 'object' };
  expect(await schemas.prove('acc_a', next, { field: 'schema' })).toMatchObject({ ok: false });
  expect(await schemas.prove('acc_good', next, { field: 'schema' })).toMatchObject({ ok: true });
  expect(await schemas.prove('acc_a', next, { field: 'schema' })).toMatchObject({ ok: false });
});

test('what an owner has run before still runs while its new schemas are refused', async () => {
  expect(await fits('acc_own', good, '{"a":1}')).toBe(true);
  for (let at = 0; at < 3; at++) expect(await fits('acc_own', hostile(`own ${at}`), deep)).toMatch(/takes longer than/);
  expect(await fits('acc_own', hostile('one more'), '{}')).toMatch(/is not tried now/);
  expect(await fits('acc_own', good, '{"a":1}')).toBe(true);
  const counted = await sandbox.run('acc_own', 'tokens', { pieces: ['a'] }, { field: 'a' });
  expect(counted).toMatchObject({ ok: true });
});

test('one end user who breaks processes stops nobody else of the same account', async () => {
  for (let at = 0; at < 3; at++)
    expect(await fits('acc_shop', hostile(`shop ${at}`), deep, 'usr_bad')).toMatch(/takes longer than/);
  expect(await fits('acc_shop', hostile('and again'), '{}', 'usr_bad')).toMatch(/is not tried now: what you sent/);
  expect(await fits('acc_shop', { title: 'new', type: 'object' }, '{}', 'usr_good')).toBe(true);
  expect(await fits('acc_shop', { title: 'newer', type: 'object' }, '{}')).toBe(true);
  // What broke a process does so for everybody.
  const before = broken;
  expect(await fits('acc_shop', hostile('shop 0'), deep, 'usr_good')).toMatch(/takes longer than/);
  expect(broken).toBe(before);
});

test('end users who break processes do not delay what their account has run before', async () => {
  expect(await fits('acc_mixed', good, '{"a":1}')).toBe(true);
  let over = 0;
  const flood = ['usr_1', 'usr_2'].flatMap((user) =>
    Array.from({ length: 3 }, (_, at) =>
      fits('acc_mixed', hostile(`${user} ${at}`), deep, user).then(() => {
        over++;
      }),
    ),
  );
  const waited: number[] = [];
  while (over < flood.length) {
    const ended = broken;
    expect(await fits('acc_mixed', good, '{"a":1}')).toBe(true);
    waited.push(broken - ended);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  // Until both are suspects, and one whose time was just over; not all six that came first.
  expect(Math.max(...waited)).toBeLessThanOrEqual(3);
});

test('an end user whose checks break processes is refused more of them, and the account is not', async () => {
  const doubling = (at: number) => ({
    checks: [
      {
        id: 'big',
        pass: `[t${at === 0 ? '' : ' + "x"'}].map(d, d + d + d + d).map(e, e + e + e + e)[0].size() > ${at}`,
        weight: 1,
      },
    ],
    variables: { t: 'ab'.repeat(8_000_000) },
  });
  const run = (at: number, user: string | undefined) =>
    sandbox.run('acc_checks', 'checks', doubling(at) as never, { field: 'checks', user });
  for (let at = 0; at < 3; at++)
    expect(JSON.stringify(await run(at, 'usr_checks'))).toMatch(/takes more than|takes longer than/);
  expect(JSON.stringify(await run(3, 'usr_checks'))).toMatch(/is not tried now: what you sent/);
  const small = { checks: [{ id: 'small', pass: 't == "a"', weight: 1 }], variables: { t: 'a' } };
  const tried = (user?: string) => sandbox.run('acc_checks', 'checks', small as never, { field: 'checks', user });
  expect(await tried('usr_other')).toMatchObject({ ok: true });
  expect(await tried()).toMatchObject({ ok: true });
});
