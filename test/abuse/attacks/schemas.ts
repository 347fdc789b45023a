import type { Reply, Stage } from '../stage.ts';
import { type Attack, chatPath, messages, mustAnswer, oneOf, statusAt, tooMuch, upTo } from './attack.ts';

/** Callers' JSON Schemas, where end users may send them. */

type Schema = Record<string, unknown>;

const place = 'responseFormat.schema';

/** `d0` refers twice to `d1`, which refers twice to `d2`, and so on: the last one is reached 2^doublings times. */
export function doublingReferences(doublings: number): Schema {
  const definitions = Array.from({ length: doublings }, (_, at) => {
    const next = { $ref: `#/$defs/d${at + 1}` };
    return [`d${at}`, { allOf: [next, next] }];
  });
  return { $ref: '#/$defs/d0', $defs: { ...Object.fromEntries(definitions), [`d${doublings}`]: { type: 'object' } } };
}

/** In the free estimate, which only compiles it, or in a chat, whose reply is matched against it. */
function schemaAttack(
  name: string,
  about: string,
  where: 'estimate' | 'chat',
  schemaAt: (turn: number) => Schema,
  { width = 2, turns }: { width?: number; turns?: number } = {},
): Attack {
  return {
    name,
    about,
    right: tooMuch,
    width,
    ...(turns !== undefined && { turns }),
    open: async (stage) => {
      const ask = await asker(stage, where);
      mustAnswer(await ask({ type: 'object' }));
      return { send: async (turn) => statusAt(await ask(schemaAt(turn)), place) };
    },
  };
}

async function asker(stage: Stage, where: 'estimate' | 'chat'): Promise<(schema: Schema) => Promise<Reply>> {
  const { token } = await stage.openAccount();
  const caller = stage.stranger();
  return (schema) => {
    const request = { model: 'plain', messages, maxOutputTokens: 50, responseFormat: { kind: 'json', schema } };
    return where === 'chat'
      ? caller.request('POST', chatPath, { credential: token, body: request })
      : caller.request('POST', `${chatPath}:estimate`, { credential: token, body: request });
  };
}

/** Many patterns, all different from those of earlier turns. */
function patterns(turn: number, count: number, pattern: (at: number) => string): Schema {
  return { anyOf: Array.from({ length: count }, (_, at) => ({ pattern: pattern(turn * count + at) })) };
}

export const schemaAttacks: readonly Attack[] = [
  schemaAttack('schema-async', 'an end user’s schema with $async, which no reply fits', 'chat', () => ({
    $async: true,
    type: 'object',
    required: ['nothing'],
  })),
  schemaAttack('schema-async-inside', 'the same, below $defs', 'chat', () => ({
    $ref: '#/$defs/later',
    $defs: { later: { $async: true, type: 'object', required: ['nothing'] } },
  })),
  schemaAttack(
    'schema-patterns',
    '38 KB of patterns like a{1000}7 over the free estimate',
    'estimate',
    (turn) => patterns(turn, 1_500, (at) => `a{1000}${at}`),
    { width: 1 },
  ),
  schemaAttack(
    'schema-patterns-kept',
    'nine schemas of patterns like (a{0,1000})7, to be kept in memory',
    'estimate',
    (turn) => patterns(turn, 1_500, (at) => `(a{0,1000})${at}`),
    { width: 1, turns: 9 },
  ),
  schemaAttack('schema-references-29', 'a chain of 29 references that double', 'chat', () => doublingReferences(29), {
    width: 1,
  }),
  schemaAttack('schema-references-60', 'a chain of 60 references that double', 'chat', () => doublingReferences(60), {
    width: 1,
  }),
  {
    name: 'random-schemas',
    about: 'random schemas over the free estimate and in chats',
    // A schema may be valid. A chat whose reply does not match answers 502.
    right: ['200', '402', '502', ...tooMuch],
    width: 8,
    generated: true,
    open: async (stage) => {
      const { random } = stage;
      const estimate = await asker(stage, 'estimate');
      const chat = await asker(stage, 'chat');
      mustAnswer(await estimate({ type: 'object' }));
      return {
        send: async () => {
          const reply = await (random() < 0.8 ? estimate : chat)(randomSchema(random, upTo(random, 6)));
          return statusAt(reply, place);
        },
      };
    },
  },
];

/** Valid and invalid keywords, nested. */
export function randomSchema(random: () => number, depth: number): Schema {
  const schema: Schema = {};
  for (let count = upTo(random, 4); count > 0; count--) {
    const [name, value] = oneOf(random, keywords)(random, depth);
    schema[name] = value;
  }
  return schema;
}

const inner = (random: () => number, depth: number): unknown =>
  depth <= 0 ? oneOf(random, [true, false, {}, null, 7]) : randomSchema(random, depth - 1);
const several = (random: () => number, depth: number) =>
  Array.from({ length: upTo(random, 3) }, () => inner(random, depth));
const named = (random: () => number, depth: number) =>
  Object.fromEntries(several(random, depth).map((value) => [oneOf(random, names), value]));

const names = ['a', 'b', '__proto__', 'constructor', '$ref', '', 'a/b~c', 'é', 'toString', 'a'.repeat(300)];
const somePatterns = [
  '^a+$',
  '(a+)+$',
  '(',
  '[',
  'a{1000}',
  '(a{0,1000}){0,1000}',
  '(?<=a)b',
  '\\p{L}{3}',
  '(?:)',
  '\\1',
  `${'('.repeat(200)}a${')'.repeat(200)}`,
  '.*'.repeat(400),
  '[^]',
  '\\u{110000}',
];
const references = ['#', '#/$defs/a', '#/$defs/b', '#missing', 'https://example.com/x', '#/a/b/c', '%', '#/%zz', 7];

type Keyword = (random: () => number, depth: number) => [string, unknown];
const keywords: readonly Keyword[] = [
  (random) => ['type', oneOf(random, ['object', 'array', 'string', 'number', 'nonsense', [], ['null', 'string'], 3])],
  (random) => ['pattern', oneOf(random, somePatterns)],
  (random) => ['$ref', oneOf(random, references)],
  (random) => ['$dynamicRef', oneOf(random, references)],
  (random) => ['$id', oneOf(random, ['https://example.com/x', '#', 'a b', '', 9])],
  (random) => ['$anchor', oneOf(random, names)],
  (random) => ['$schema', oneOf(random, ['http://json-schema.org/draft-07/schema#', 'nonsense', 1])],
  (random) => ['$async', oneOf(random, [true, false, 'yes'])],
  (random) => ['enum', oneOf(random, [[], [1, 'a', null], 'a', [{ a: [1] }]])],
  (random) => ['const', oneOf(random, [1, null, { a: 1 }, 'x'.repeat(1_000)])],
  (random) => [oneOf(random, ['minLength', 'maxItems', 'multipleOf', 'minimum']), oneOf(random, [-1, 0, 1e308, '3'])],
  (random) => ['required', oneOf(random, [['a'], ['a', 'a'], 'a', Array.from({ length: 500 }, (_, at) => `p${at}`)])],
  (random, depth) => ['properties', named(random, depth)],
  (random, depth) => [
    'patternProperties',
    Object.fromEntries(several(random, depth).map((value) => [oneOf(random, somePatterns), value])),
  ],
  (random, depth) => ['$defs', { a: inner(random, depth), b: inner(random, depth) }],
  (random, depth) => [oneOf(random, ['allOf', 'anyOf', 'oneOf', 'prefixItems']), several(random, depth)],
  (random, depth) => [
    oneOf(random, ['not', 'if', 'then', 'else', 'items', 'contains', 'additionalProperties', 'propertyNames']),
    inner(random, depth),
  ],
  (random, depth) => [oneOf(random, ['unevaluatedProperties', 'unevaluatedItems']), inner(random, depth)],
  (random, depth) => ['dependentSchemas', named(random, depth)],
];
