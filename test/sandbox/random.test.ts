import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import type { Result } from '../../src/base/failure.ts';
import { createSandbox, createSchemas } from '../../src/sandbox/index.ts';
import { silent } from '../support/database.ts';

// Random schemas and expressions, most of them meant to hurt. By hand: SANDBOX_RANDOM_RUNS=10000 npx vitest run test/sandbox/random.test.ts
const runs = Number(process.env.SANDBOX_RANDOM_RUNS ?? 150);
const seed = Number(process.env.SANDBOX_RANDOM_SEED ?? 7);
const atOnce = 4;

const sandbox = createSandbox({ log: silent, settings: { waitMs: 600_000 } });
const schemas = createSchemas(sandbox);
afterAll(() => sandbox.close());

const pattern = fc.oneof(
  fc.string({
    unit: fc.constantFrom('a', '(', ')', '{', '}', '[', ']', '1', ',', '*', '+', '?', '\\', 'p', 'L', '^', '|'),
    maxLength: 40,
  }),
  fc
    .tuple(fc.constantFrom('a', '(ab)', '[a-z]', '\\p{L}', '(a{0,9})'), fc.integer({ min: 1, max: 1000 }))
    .map(([atom, times]) => `${atom}{${times}}`),
  fc.integer({ min: 1, max: 2000 }).map((times) => '(a|b?)+'.repeat(times)),
);
const reference = fc.constantFrom(
  '#',
  '#/$defs/a',
  '#/$defs/b',
  '#/properties/a',
  '#x',
  'https://example.com/',
  '#/$defs/%zz',
  '',
);
const { schema } = fc.letrec<{ schema: unknown }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.boolean(),
    fc.dictionary(fc.constantFrom('minLength', 'maxItems', 'multipleOf', 'minimum', 'x'), fc.integer()),
    fc.record(
      {
        type: fc.constantFrom('object', 'array', 'string', 'integer', 'strange', ['null', 'string']),
        pattern,
        $ref: reference,
        $dynamicRef: reference,
        $async: fc.constant(true),
        $id: fc.constantFrom('a', '#x', 'https://example.com/a'),
        $anchor: fc.constantFrom('x', '1'),
        enum: fc.array(fc.jsonValue(), { maxLength: 3 }),
        const: fc.jsonValue(),
        items: tie('schema'),
        not: tie('schema'),
        allOf: fc.array(tie('schema'), { maxLength: 4 }),
        anyOf: fc.array(tie('schema'), { maxLength: 4 }),
        properties: fc.dictionary(fc.constantFrom('a', 'b', '__proto__', '$async'), tie('schema'), { maxKeys: 3 }),
        patternProperties: fc.dictionary(pattern, tie('schema'), { maxKeys: 2 }),
        $defs: fc.dictionary(fc.constantFrom('a', 'b'), tie('schema'), { maxKeys: 2 }),
        unevaluatedProperties: tie('schema'),
        uniqueItems: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
  ),
}));
const { expression } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(
      'input.text',
      'input.list',
      'input.n',
      '1',
      '2.5',
      '"a"',
      'true',
      '[]',
      '{}',
      'null',
      'input.missing',
      '-9223372036854775808',
    ),
    fc
      .tuple(
        tie('expression'),
        fc.constantFrom('+', '-', '*', '/', '%', '==', '<', '&&', '||', 'in'),
        tie('expression'),
      )
      .map(([a, by, b]) => `(${a} ${by} ${b})`),
    fc
      .tuple(tie('expression'), fc.constantFrom('all', 'exists', 'map', 'filter'), tie('expression'))
      .map(([a, walk, b]) => `${a}.${walk}(e, ${b})`),
    fc.tuple(tie('expression'), pattern).map(([a, text]) => `${a}.matches(${JSON.stringify(text)})`),
    fc
      .tuple(
        tie('expression'),
        fc.constantFrom(
          'size()',
          'lowerAscii()',
          'split("a")',
          'split("")',
          'replace("a", "aaaaaaaaaa")',
          'join(",")',
          'format([1])',
        ),
      )
      .map(([a, call]) => `${a}.${call}`),
    fc.string({ maxLength: 60 }),
  ),
}));

/** Asks again when the machine did not get to it, which says nothing about the job. */
async function answerOf<T>(ask: () => Promise<Result<T>>): Promise<Result<T>> {
  for (let again = 0; ; again++) {
    const result = await ask();
    if (result.ok || result.failure.kind !== 'overloaded' || again === 20) return result;
  }
}

/** Whatever it was, it is answered: with a result, or with a refusal that says where. */
function expectAnswered(result: Result<unknown>, field: string, about: unknown): void {
  if (result.ok) return;
  expect(result.failure.kind, JSON.stringify([about, result.failure])).toBe('invalid_argument');
  if (result.failure.kind !== 'invalid_argument') return;
  const [violation] = result.failure.violations;
  expect(violation?.field.startsWith(field), violation?.field).toBe(true);
  expect(violation?.description).not.toBe('');
}

const input = { text: 'a'.repeat(20_000), list: Array.from({ length: 500 }, (_, at) => at), n: 3 };

async function each<T>(values: readonly T[], run: (value: T, owner: string) => Promise<void>): Promise<void> {
  const left = [...values.entries()];
  await Promise.all(
    Array.from({ length: atOnce }, async (_, lane) => {
      for (let next = left.pop(); next; next = left.pop()) await run(next[1], `acc_${lane}`);
    }),
  );
}

test('random schemas are answered, each at its place', async () => {
  const made = fc.sample(fc.tuple(schema, fc.json({ maxDepth: 4 })), { numRuns: runs, seed });
  await each(made, async ([value, text], owner) => {
    if (typeof value !== 'object' || value === null) return;
    const asked = value as Record<string, unknown>;
    const proven = await answerOf(() => schemas.prove(owner, asked, { field: 'responseFormat.schema' }));
    expectAnswered(proven, 'responseFormat.schema', value);
    if (proven.ok)
      expectAnswered(await answerOf(() => proven.value.fits(text, 600_000)), 'responseFormat.schema', [value, text]);
  });
}, 3_600_000);

test('random expressions are answered, each at its place', async () => {
  const made = fc.sample(expression, { numRuns: runs, seed });
  await each(made, async (pass, owner) => {
    const job = { checks: [{ id: 'own', pass, weight: 1 }], variables: { input } };
    expectAnswered(await answerOf(() => sandbox.run(owner, 'checks', job, { field: 'checks' })), 'checks', pass);
    const rules = {
      id: undefined,
      inputSchema: {},
      outputSchema: {},
      checks: [],
      fields: [{ name: 'f', expression: pass }],
    };
    expectAnswered(
      await answerOf(() => sandbox.run(owner, 'custom', { rules, input }, { field: 'definition' })),
      'definition',
      pass,
    );
  });
}, 3_600_000);
