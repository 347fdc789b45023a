import { afterEach, expect, test } from 'vitest';
import { startChild } from '../../src/sandbox/child-process.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { createSchemas } from '../../src/sandbox/schemas.ts';
import { silent } from '../support/database.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

const patience = 60_000;

/** A sandbox that tells how many jobs each child was sent at once. */
function start(settings = {}) {
  const sent: number[] = [];
  const counted: typeof startChild = (memoryMb, events) => {
    const child = startChild(memoryMb, events);
    return {
      ...child,
      get isBounded() {
        return child.isBounded;
      },
      send(jobs) {
        sent.push(jobs.length);
        child.send(jobs);
      },
    };
  };
  const sandbox = createSandbox({
    log: silent,
    settings: { waitMs: patience, processes: 2, ...settings },
    startChild: counted,
  });
  open.push(sandbox);
  return { sandbox, sent, schemas: createSchemas(sandbox) };
}

async function proven(
  schemas: ReturnType<typeof createSchemas>,
  owner: string,
  schema: Record<string, unknown>,
  user?: string,
) {
  const found = await schemas.prove(owner, schema, { field: 'schema', user });
  if (!found.ok) throw new Error(JSON.stringify(found));
  return (text: string) => found.value.fits(text, patience);
}

const whole = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };

test('short checks that are asked for in one turn are sent together, and each has its own answer', async () => {
  const { sent, schemas } = start();
  const fits = await proven(schemas, 'acc_a', whole);
  // The first compiles, and says how long the code takes; only what has run before is taken for short.
  for (let warm = 0; warm < 20; warm++) await fits('{"n":1}');
  expect(Math.max(...sent)).toBe(1);
  sent.length = 0;
  const texts = Array.from({ length: 40 }, (_, at) => (at % 3 === 0 ? `{"n":"${at}"}` : `{"n":${at}}`));
  const answers = await Promise.all(texts.map(fits));
  expect(answers).toEqual(texts.map((_, at) => ({ ok: true, value: at % 3 !== 0 })));
  expect(sent.reduce((sum, many) => sum + many)).toBe(40);
  expect(Math.max(...sent)).toBeGreaterThan(1);
  expect(Math.max(...sent)).toBeLessThanOrEqual(16);
});

test('what was sent with a job that takes too long is done all the same, and only that job is refused', async () => {
  const { sent, schemas } = start({ jobMs: 50 });
  // Accepted, since it goes deeper each time, and twice as long for each level of a value.
  const fits = await proven(schemas, 'acc_a', { properties: { n: { allOf: [{ $ref: '#' }, { $ref: '#' }] } } });
  for (let warm = 0; warm < 20; warm++) await fits('{"n":1}');
  sent.length = 0;
  const endless = `${'{"n":'.repeat(40)}1${'}'.repeat(40)}`;
  const answers = await Promise.all(['{"n":1}', endless, '{"n":2}', 'no JSON'].map(fits));
  expect(Math.max(...sent)).toBeGreaterThan(1);
  expect(answers[0]).toEqual({ ok: true, value: true });
  expect(answers[1]).toMatchObject({ failure: { kind: 'invalid_argument' } });
  expect(answers[2]).toEqual({ ok: true, value: true });
  expect(answers[3]).toEqual({ ok: true, value: false });
});

test('owners and their users are not sent together, and neither is what takes long', async () => {
  const { sent, schemas } = start();
  const ofOne = await proven(schemas, 'acc_a', whole);
  const ofOther = await proven(schemas, 'acc_b', whole);
  const ofUser = await proven(schemas, 'acc_a', whole, 'usr_1');
  const list = { type: 'array', items: whole };
  const long = await proven(schemas, 'acc_a', list);
  const many = JSON.stringify(Array.from({ length: 40_000 }, (_, n) => ({ n })));
  for (let warm = 0; warm < 20; warm++) await Promise.all([ofOne('{"n":1}'), ofOther('{"n":1}'), ofUser('{"n":1}')]);
  await long(many);
  sent.length = 0;
  await Promise.all([ofOne('{"n":1}'), ofOther('{"n":1}'), ofUser('{"n":1}'), long('[]'), long('[]')]);
  expect(sent).toEqual([1, 1, 1, 1, 1]);
});
