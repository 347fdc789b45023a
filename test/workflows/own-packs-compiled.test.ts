import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { atOnce } from '../../src/base/slices.ts';
import { fold } from '../../src/base/text/fold.ts';
import { createCompiled } from '../../src/workflows/own-packs/compiled.ts';
import { compilePacks } from '../../src/workflows/own-packs/rules.ts';

test('while changes are not heard, packs are read once at a time, and never from before the call', async () => {
  const reads: (() => Promise<void>)[] = [];
  const compiled = createCompiled({
    changes: { fresh: () => false, onChange: () => () => {} },
    read: () => new Promise((resolve) => reads.push(async () => resolve(await compilePacks([])))),
  });
  const first = compiled.of('acc');
  const others = Array.from({ length: 5 }, () => compiled.of('acc'));
  expect(reads).toHaveLength(1);
  await reads[0]?.();
  const before = await first;
  await expect.poll(() => reads.length).toBe(2);
  const late = compiled.of('acc');
  await reads[1]?.();
  const [shared, ...same] = await Promise.all(others);
  expect(shared).not.toBe(before);
  expect(same.every((each) => each === shared)).toBe(true);
  await expect.poll(() => reads.length).toBe(3);
  await reads[2]?.();
  expect(await late).not.toBe(shared);
  compiled.close();
});

const ownPack = (phrases: string[]) => ({
  ...{ packId: 'large', version: 1, sizeBytes: phrases.join('","').length, enabled: true, domain: '', allow: [] },
  entries: [{ id: 'e', phrases, category: 'brand_rules', severity: 'low', reason: '', suggestion: '' }],
});
/** As many characters of phrases as an account may have: long ones, and short ones. */
const fullPacks = {
  'of 100 characters': (seed: number) =>
    Array.from({ length: 655 }, (_, at) => `${seed} ${at} `.padEnd(100, `${at * 7 + seed} abc `)),
  'of 3 characters': (seed: number) =>
    Array.from({ length: 21_800 }, (_, at) =>
      String.fromCharCode(...[at % 140, Math.floor(at / 140), seed].map((n) => 0x4e00 + n)),
    ),
};

test.each(Object.entries(fullPacks))(
  'packs as large as may be, with phrases %s, leave turns to others',
  async (_, of) => {
    let turns = 0;
    let over = false;
    const count = () => {
      turns++;
      if (!over) setImmediate(count);
    };
    setImmediate(count);
    const packs = await compilePacks([ownPack(of(1))] as never);
    over = true;
    // 13 parts of 5,000 characters, and four turns of others before each but the first.
    expect(turns).toBeGreaterThanOrEqual(4 * 12);
    const { rules } = packs.select({ packs: [], domain: '' });
    const [first = '', last = ''] = [of(1)[0], of(1).at(-1)];
    for (const phrase of [first, last]) expect(atOnce(rules.search().look(fold(phrase))).found).toHaveLength(1);
  },
);

test.each(Object.entries(fullPacks))('what packs with phrases %s are said to take is what they take', async (_, of) => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const heap = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const kept: Awaited<ReturnType<typeof compilePacks>>[] = [await compilePacks([ownPack(of(0))] as never)];
  const before = heap();
  for (let seed = 1; seed <= 5; seed++) kept.push(await compilePacks([ownPack(of(seed))] as never));
  const took = heap() - before;
  const said = kept.slice(1).reduce((sum, { bytes }) => sum + bytes, 0);
  expect(said / took).toBeGreaterThan(0.8);
  expect(said / took).toBeLessThan(1.6);
});
