import fc from 'fast-check';
import { expect, test } from 'vitest';
import { liftVectors } from '../../src/providers/reply-vectors.ts';
import { countTurns } from '../support/turns.ts';

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);

/** The reply again, with its vectors in their places. */
function restored(text: Buffer, vectors: readonly Float32Array[]): unknown {
  return JSON.parse(text.toString(), (_, value) => {
    if (!Array.isArray(value) || value.length !== 1 || typeof value[0] !== 'number') return value;
    return [...(vectors[value[0]] ?? [])];
  });
}

test(`any reply has its numbers lifted and nothing else changed (seed ${seed})`, async () => {
  const float = fc.float({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
  const { reply } = fc.letrec((tie) => ({
    reply: fc.oneof(
      { depthSize: 'medium' },
      fc.array(float, { minLength: 1 }),
      fc.string({ unit: fc.constantFrom('[', ']', '"', '\\', '1', ',', 'ü', '{') }),
      fc.constantFrom(null, true, 7),
      fc.array(tie('reply')),
      fc.dictionary(fc.string(), tie('reply')),
    ),
  }));
  await fc.assert(
    fc.asyncProperty(reply, fc.constantFrom(0, 1), async (given, indent) => {
      const json = JSON.stringify(given, null, indent);
      const { text, vectors } = await liftVectors(Buffer.from(json));
      expect(restored(text, vectors)).toEqual(JSON.parse(json));
    }),
    { seed, numRuns: 1_000 },
  );
});

test.each([
  [
    '{"data":[{"embedding":[1,2.5e0,-3]}],"usage":{"total_tokens":[]}}',
    '{"data":[{"embedding":[0]}],"usage":{"total_tokens":[]}}',
  ],
  [
    '{"a":[1,"2"],"b":[1,null],"c":[1,[2]],"d":[1,{"e":[4]}]}',
    '{"a":[1,"2"],"b":[1,null],"c":[1,[0]],"d":[1,{"e":[1]}]}',
  ],
  ['["\\"[1,2]",[1,2]]', '["\\"[1,2]",[0]]'],
  // No JSON: the provider's package says what is wrong with it.
  ['[1,2', '[1,2'],
  ['[1,,2]', '[1,,2]'],
  ['["[1,2]', '["[1,2]'],
  ['', ''],
])('of %s stays %s', async (reply, left) => {
  expect((await liftVectors(Buffer.from(reply))).text.toString()).toBe(left);
});

test('numbers are those that 32 bits hold', async () => {
  const { vectors } = await liftVectors(Buffer.from('[[0.1,-0,1e39,3.4028235677973366e38]]'));
  expect(vectors).toEqual([Float32Array.of(0.1, -0, 1e39, 3.4028235677973366e38)]);
});

test('a long reply is read in several turns of the event loop', async () => {
  const vector = JSON.stringify(Array.from({ length: 1_536 }, (_, at) => Math.sin(at)));
  const reply = Buffer.from(`[${Array(85).fill(vector).join(',')}]`);
  const { result, turns } = await countTurns(() => liftVectors(reply));
  expect(result.vectors).toHaveLength(85);
  expect(turns).toBeGreaterThan(4);
});
