import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RunningCount } from '../../src/chat/running-count.ts';
import { countPiece, piecesOf } from '../../src/sandbox/index.ts';

const exact = (text: string) => [...piecesOf(text)].reduce((sum, piece) => sum + countPiece(piece), 0);
const tokensOf = (texts: readonly string[]) => texts.reduce((sum, text) => sum + exact(text), 0);

test('comes to what the whole text comes to, whenever it was counted on the way', async () => {
  const part = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    fc.constantFrom('word '.repeat(1_500), '一二三'.repeat(2_000), ' ', 'x'.repeat(5_000)),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(part, fc.boolean()), { maxLength: 8 }), async (parts) => {
      const running = new RunningCount(async (texts) => tokensOf(texts));
      for (const [text, isCounted] of parts) {
        running.add(text);
        if (isCounted) await running.tokens();
      }
      expect(await running.tokens()).toBe(exact(parts.map(([text]) => text).join('')));
    }),
    { numRuns: 30 },
  );
});

test('counts texts of several things each by itself', async () => {
  const part = fc.tuple(fc.constantFrom('a', ' and b', 'foo', '{"x": 1}', '', 'word '.repeat(1_200)), fc.nat(2));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(part, fc.boolean()), { maxLength: 12 }), async (parts) => {
      const running = new RunningCount(async (texts) => tokensOf(texts));
      const texts: string[] = [];
      let before: number | undefined;
      for (const [[text, of], isCounted] of parts) {
        if (of !== before) texts.push('');
        before = of;
        texts.push(texts.pop() + text);
        running.add(text, String(of));
        if (isCounted) await running.tokens();
      }
      expect(await running.tokens()).toBe(tokensOf(texts));
    }),
    { numRuns: 50 },
  );
});

test('counts no text twice but its last piece, and one count at a time', async () => {
  let units = 0;
  let underWay = 0;
  let most = 0;
  const running = new RunningCount(async (texts) => {
    underWay += 1;
    most = Math.max(most, underWay);
    await new Promise(setImmediate);
    underWay -= 1;
    units += texts.reduce((sum, { length }) => sum + length, 0);
    return tokensOf(texts);
  });
  const text = 'All work and no play makes a dull day. '.repeat(300);
  const times = 20;
  await Promise.all(
    Array.from({ length: times }, () => {
      running.add(text);
      return running.tokens();
    }),
  );
  expect(most).toBe(1);
  expect(await running.tokens()).toBe(exact(text.repeat(times)));
  expect(units).toBeLessThan(times * (text.length + 2 * 4_096));
});

test('goes on after a count that failed', async () => {
  let fails = true;
  const running = new RunningCount(async (texts) => {
    if (fails && texts.length > 0) throw new Error('not now');
    return tokensOf(texts);
  });
  running.add('one two');
  await expect(running.tokens()).rejects.toThrow('not now');
  fails = false;
  running.add(' three');
  expect(await running.tokens()).toBe(exact('one two three'));
});
