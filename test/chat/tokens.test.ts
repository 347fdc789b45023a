import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fail, succeed } from '../../src/base/failure.ts';
import { tokenCounter } from '../../src/chat/tokens.ts';
import { countPiece, piecesOf, type Sandbox } from '../../src/sandbox/index.ts';
import { testSandbox } from '../support/sandbox.ts';

const exact = (text: string) => [...piecesOf(text)].reduce((sum, piece) => sum + countPiece(piece), 0);
const overloaded: Pick<Sandbox, 'run'> = { run: async () => fail({ kind: 'overloaded', retryAfterMs: 1_000 }) };

/** Notes the jobs that it is given, and does them here. */
function noting(jobs: string[][]): Pick<Sandbox, 'run'> {
  const run = async (_: string, __: string, { pieces }: { pieces: string[] }) => {
    jobs.push(pieces);
    return succeed({ tokens: pieces.reduce((sum, piece) => sum + countPiece(piece), 0) });
  };
  return { run: run as unknown as Sandbox['run'] };
}

describe('tokens', () => {
  test('of short texts are counted at once, those of longer ones in bounded jobs', async () => {
    const jobs: string[][] = [];
    const count = tokenCounter(noting(jobs), 'acc_1');
    expect(await count(['one two three', 'four'])).toBe(4);
    expect(jobs).toEqual([]);
    const long = '一二三四五'.repeat(20_000);
    expect(await count([long, 'a short one', 'b'.repeat(5_000)])).toBe(exact(long) + 3 + exact('b'.repeat(5_000)));
    expect(jobs.flat().join('')).toBe(`${long}a short one${'b'.repeat(5_000)}`);
    expect(Math.max(...jobs.map((pieces) => pieces.join('').length))).toBeLessThanOrEqual(8_192);
  });

  test('are the same in the sandbox as here', async () => {
    const text = `${'The quick brown fox jumps over the lazy dog. '.repeat(300)}${'敏捷的棕色狐狸'.repeat(300)}`;
    expect(await tokenCounter(testSandbox(), 'acc_1')([text])).toBe(exact(text));
  });

  test('that nobody counted in the sandbox are counted here, near and never above', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', minLength: 300, maxLength: 3_000 }),
      fc.string({
        unit: fc.constantFrom('a', 'b', ' ', '一', '二', '!', '😀', '\n'),
        minLength: 300,
        maxLength: 3_000,
      }),
      fc.integer({ min: 300, max: 3_000 }).map((length) => ' '.repeat(length)),
      fc
        .array(fc.constantFrom('invoice', 'über', 'de', 'Zahlung', '测试', '12345'), { minLength: 100, maxLength: 400 })
        .map((words) => words.join(' ')),
    );
    const count = tokenCounter(overloaded, 'acc_1');
    await fc.assert(
      fc.asyncProperty(text, async (content) => {
        const counted = await count([content]);
        expect(counted).toBeLessThanOrEqual(exact(content));
      }),
      { numRuns: 60 },
    );
    const prose = 'The quick brown fox jumps over the lazy dog. '.repeat(200);
    expect(await count([prose])).toBe(exact(prose));
  });
});
