import { type Attack, mustAnswer, oneOf, statusAt, tooMuch, upTo } from './attack.ts';

/** Callers' CEL: checks of listings, and the fields of a customer's own workflow. */

const listingPath = '/v1/readiness/listing';
const text = 'a'.repeat(100_000);

function listing(pass: string, description = text): object {
  return { listing: { title: 'A bicycle', description }, assist: 'off', checks: [{ id: 'own', pass }] };
}

/** A text of `times` * `times` times the description, written in 500 characters, followed by something that needs it as a whole. */
function doubled(times: number, use: string): string {
  const sum = (name: string) => Array(times).fill(name).join('+');
  return `[description.folded].map(d,${sum('d')}).map(e,${sum('e')})[0].${use}`;
}

const uses = ['size()>9', 'contains("zz")', 'matches("z$")', 'startsWith("b")', 'endsWith("b")'];

export const expressionAttacks: readonly Attack[] = [
  {
    name: 'expression-doubles',
    about: 'a check of 500 characters that makes 500 MB of a text of 100 KB',
    // An expression that fails is a check with the outcome "error".
    right: ['200', ...tooMuch],
    width: 2,
    open: async (stage) => {
      const { apiKey } = await stage.openAccount();
      const caller = stage.stranger();
      const sound = { credential: apiKey, body: listing(doubled(2, 'size()>399990')) };
      mustAnswer(await caller.request('POST', listingPath, sound), '"outcome":"passed","weight":1,');
      return {
        send: async (turn) => {
          const body = listing(doubled(72 - (turn % 20), uses[turn % uses.length] ?? ''));
          return statusAt(await caller.request('POST', listingPath, { credential: apiKey, body }), 'checks');
        },
      };
    },
  },
  {
    name: 'expression-fields',
    about: 'a workflow of eleven fields, each twice as long as the one before',
    right: tooMuch,
    width: 2,
    open: async (stage) => {
      const { managementKey, apiKey } = await stage.openAccount();
      const caller = stage.stranger();
      const definition = {
        client: 'acme',
        workflow: 'doubling',
        inputSchema: { type: 'object' },
        outputSchema: { type: 'object' },
        fields: Array.from({ length: 11 }, (_, at) => {
          const before = at === 0 ? Array(5).fill('input.text') : Array(2).fill(`fields.f${at - 1}`);
          return { name: `f${at}`, expression: before.join('+') };
        }),
      };
      const made = await caller.request('POST', '/v1/workflow-definitions', {
        credential: managementKey,
        body: { definition },
      });
      if (made.status !== '200') throw new Error(`The definition was refused with ${made.status}: ${made.text}`);
      const run = (input: object) =>
        caller.request('POST', '/v1/workflows/acme/doubling', { credential: apiKey, body: input });
      mustAnswer(await run({ text: 'a' }), 'f10');
      return { send: async () => (await run({ text })).status };
    },
  },
  {
    name: 'random-expressions',
    about: 'random CEL in checks of a listing',
    right: ['200', '402', ...tooMuch],
    width: 8,
    generated: true,
    open: async (stage) => {
      const { random } = stage;
      const { apiKey } = await stage.openAccount();
      const caller = stage.stranger();
      return {
        send: async () => {
          const pass = randomExpression(random, upTo(random, 5)).slice(0, 500) || '1';
          const body = listing(pass, text.slice(0, oneOf(random, [0, 100, 20_000, 100_000])));
          const reply = await caller.request('POST', listingPath, { credential: apiKey, body });
          return statusAt(reply, 'checks');
        },
      };
    },
  },
];

/** Mostly valid: what is refused at its first character tests little. */
export function randomExpression(random: () => number, depth: number): string {
  if (random() < 0.02) return oneOf(random, ['(', ')', '"', '\\', '\u0000', '?:', 'a.b.c', '!!!!', '--1', '{', '[[[[']);
  if (depth <= 0) return oneOf(random, atoms);
  const part = () => randomExpression(random, depth - 1);
  return oneOf(random, forms)(part);
}

const atoms = [
  'title',
  'description.folded',
  'title.folded',
  'listing',
  'images',
  'attributes',
  'nothing',
  '1',
  '9223372036854775807',
  '-1.5e300',
  'true',
  'null',
  '""',
  '"a"',
  "b'\\xff'",
  '[]',
  '{}',
  'duration("1s")',
  'timestamp("2026-01-01T00:00:00Z")',
];

const forms: readonly ((part: () => string) => string)[] = [
  (part) => `${part()}+${part()}`,
  (part) => `${part()}*${part()}`,
  (part) => `(${part()}-${part()})`,
  (part) => `${part()}/${part()}`,
  (part) => `${part()}%${part()}`,
  (part) => `${part()}==${part()}`,
  (part) => `${part()}<${part()}`,
  (part) => `${part()}&&${part()}`,
  (part) => `(${part()}?${part()}:${part()})`,
  (part) => `[${part()},${part()}]`,
  (part) => `{${part()}:${part()}}`,
  (part) => `${part()}.size()`,
  (part) => `size(${part()})`,
  (part) => `${part()}[${part()}]`,
  (part) => `${part()}.matches(${part()})`,
  (part) => `${part()}.contains(${part()})`,
  (part) => `${part()} in ${part()}`,
  (part) => `[${part()}].map(x,${part()}+x)`,
  (part) => `${part()}.all(x,${part()})`,
  (part) => `string(${part()})`,
  (part) => `int(${part()})`,
  () => `description.folded.matches("${'(a+)'.repeat(9)}{9}")`,
  (part) => `type(${part()})`,
];
