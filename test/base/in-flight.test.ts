import { setImmediate as turn } from 'node:timers/promises';
import v8 from 'node:v8';
import vm from 'node:vm';
import { expect, test } from 'vitest';
import { InFlight } from '../../src/base/in-flight.ts';

test('gives out each value once', () => {
  const inFlight = new InFlight<number>();
  inFlight.put('a', 1);
  inFlight.put('b', 2);
  expect(inFlight.ids).toEqual(['a', 'b']);
  expect(inFlight.take('a')).toBe(1);
  expect(inFlight.take('a')).toBeUndefined();
  expect(inFlight.take('never put')).toBeUndefined();
  expect(inFlight.size).toBe(1);
});

test('what was taken does not wait for a full collection', async () => {
  v8.setFlagsFromString('--expose-gc');
  const collect = vm.runInNewContext('gc') as (options: { type: 'minor' }) => void;
  const grownMb: number[] = [];
  // Whether a collection finds a table that is about to be outgrown is chance.
  for (let attempt = 0; attempt < 4; attempt++) {
    const inFlight = new InFlight<object>();
    const together = 8;
    for (let index = 0; index < together; index++) inFlight.put(`id${index}`, []);
    for (let index = 0; index < 3; index++) collect({ type: 'minor' });
    const before = oldGenerationMb();
    for (let index = together; index < 2_000; index++) {
      inFlight.put(
        `id${index}`,
        Array.from({ length: 1_000 }, () => ({ index })),
      );
      inFlight.take(`id${index - together}`);
      if (index % 20 === 0) await turn();
    }
    for (let index = 0; index < 2; index++) collect({ type: 'minor' });
    grownMb.push(oldGenerationMb() - before);
  }
  // 2,000 values of 30 KB went through. A plain map keeps 20 to 40 MB of them in one attempt or another.
  expect(Math.max(...grownMb)).toBeLessThan(14);
});

function oldGenerationMb(): number {
  const old = v8.getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space');
  return (old?.space_used_size ?? Number.NaN) / 1e6;
}
