import { expect, test } from 'vitest';
import { createPace, createTurnQuota, endOfTurn, ownTurn } from '../../src/base/turn.ts';

test('all who wait in one turn go on together, after what was ready before', async () => {
  const order: string[] = [];
  const wait = async (name: string) => {
    await endOfTurn();
    order.push(name);
  };
  const first = wait('first');
  // As much work as promises make belongs to the same turn.
  await Promise.resolve();
  const second = wait('second');
  process.nextTick(() => order.push('work of the turn'));
  setImmediate(() => order.push('the next thing'));
  await Promise.all([first, second]);
  expect(order).toEqual(['work of the turn', 'first', 'second']);
});

test('each turn has its own end', async () => {
  const one = endOfTurn();
  expect(endOfTurn()).toBe(one);
  await one;
  const other = endOfTurn();
  expect(other).not.toBe(one);
  await other;
});

test('long computations begin in the order of asking, and leave turns to others in between', async () => {
  const order: string[] = [];
  let over = false;
  const others = async () => {
    while (!over) {
      order.push('other');
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const long = async (name: string) => {
    await ownTurn();
    order.push(name);
  };
  const passing = others();
  await Promise.all(['first', 'second', 'third'].map(long));
  over = true;
  await passing;
  expect(order.filter((name) => name !== 'other')).toEqual(['first', 'second', 'third']);
  const between = order.slice(order.indexOf('first') + 1, order.indexOf('second'));
  expect(between.length).toBeGreaterThanOrEqual(4);
  expect(new Set(between)).toEqual(new Set(['other']));
});

test('a pace lets as many units through as a turn has, and what goes beyond begins another', async () => {
  let turn = 0;
  let over = false;
  const count = () => {
    turn++;
    if (!over) setImmediate(count);
  };
  setImmediate(count);
  const pace = createPace(10);
  const turns: number[] = [];
  for (const units of [4, 6, 1, 9, 25, 1, 10]) {
    await pace(units);
    turns.push(turn);
  }
  over = true;
  const [first, , third = 0, , fifth = 0, sixth = 0] = turns;
  expect(turns).toEqual([first, first, third, third, fifth, sixth, turns.at(-1)]);
  expect([...new Set(turns)]).toHaveLength(5);
  // Others have turns in between.
  expect(third - (first ?? 0)).toBeGreaterThanOrEqual(4);
});

test('computations that run at the same time share a turn, in the order of asking', async () => {
  let turn = 0;
  let over = false;
  const count = () => {
    turn++;
    if (!over) setImmediate(count);
  };
  setImmediate(count);
  const turns = await Promise.all(
    Array.from({ length: 10 }, async () => {
      // As with computations of different kinds, each has a pace of its own.
      await createPace(100)(40);
      return turn;
    }),
  );
  over = true;
  expect(turns).toEqual(turns.toSorted((a, b) => a - b));
  const perTurn = [...new Set(turns)].map((each) => turns.filter((one) => one === each).length);
  expect(perTurn).toEqual([2, 2, 2, 2, 2]);
});

test('a long computation begins although every turn has short ones', async () => {
  const pace = createPace(100);
  let short = 0;
  let over = false;
  const keepBusy = async () => {
    while (!over) {
      await pace(30);
      compute(1);
      short += 1;
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const busy = Array.from({ length: 4 }, keepBusy);
  await pace(10);
  await pace(250);
  expect(short).toBeLessThan(1_000);
  over = true;
  await Promise.all(busy);
});

function compute(ms: number): void {
  const start = performance.now();
  while (performance.now() - start < ms);
}

/** For how long long computations ran, and how much time others were left between two of them. */
async function runLong(count: number): Promise<{ tookMs: number[]; leftMs: number[] }> {
  const begun: number[] = [];
  const ended: number[] = [];
  await Promise.all(
    Array.from({ length: count }, async () => {
      await ownTurn();
      begun.push(performance.now());
      compute(5);
      ended.push(performance.now());
    }),
  );
  return {
    tookMs: ended.map((end, at) => end - (begun[at] ?? 0)),
    leftMs: begun.slice(1).map((begin, at) => begin - (ended[at] ?? 0)),
  };
}

test('others are left as much time as a long computation took', async () => {
  let over = false;
  const others = (async () => {
    while (!over) {
      compute(1);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  })();
  await new Promise((resolve) => setTimeout(resolve, 20));
  const { tookMs, leftMs } = await runLong(10);
  over = true;
  await others;
  // The first one finds out that there are others.
  for (const [at, left] of leftMs.entries()) expect(left).toBeGreaterThanOrEqual(Math.min(tookMs[at] ?? 0, 50) - 1);
});

test('nothing is left to others when there are none', async () => {
  // A busy machine can look like others, but not for seconds.
  const isLeftNothing = async () => {
    await new Promise((resolve) => setTimeout(resolve, 100));
    const { tookMs, leftMs } = await runLong(10);
    return leftMs.some((left, at) => left < Math.min(tookMs[at] ?? 0, 50) / 2);
  };
  await expect.poll(isLeftNothing, { timeout: 20_000 }).toBe(true);
});

test('computations that take turns with each other are no others to themselves', async () => {
  const isLeftNothing = async () => {
    await new Promise((resolve) => setTimeout(resolve, 100));
    const ended: number[] = [];
    const leftMs: number[] = [];
    await Promise.all(
      Array.from({ length: 10 }, async () => {
        await createPace(100)(100);
        leftMs.push(performance.now() - (ended.at(-1) ?? 0));
        compute(5);
        ended.push(performance.now());
      }),
    );
    // The second one follows the first, which began at once.
    return leftMs.slice(2).every((left) => left < 2.5);
  };
  await expect.poll(isLeftNothing, { timeout: 20_000 }).toBe(true);
});

test('a short paced computation waits for few of the long ones, whatever asked before it', async () => {
  const order: string[] = [];
  const longs = Array.from({ length: 40 }, (_, at) => ownTurn().then(() => void order.push(`long ${at}`)));
  const pace = createPace(100);
  await pace(100);
  const large = Array.from({ length: 20 }, (_, at) => pace(100).then(() => void order.push(`large ${at}`)));
  await pace(10).then(() => void order.push('short'));
  expect(order.indexOf('short')).toBeLessThan(8);
  await Promise.all([...longs, ...large]);
  const kinds = (start: string) => order.filter((name) => name.startsWith(start));
  expect(kinds('long')).toEqual(longs.map((_, at) => `long ${at}`));
  expect(kinds('large')).toEqual(large.map((_, at) => `large ${at}`));
});

test('of what is ready at one moment, a few begin in each turn, in the order of asking', async () => {
  let turn = 0;
  let over = false;
  const count = () => {
    turn++;
    if (!over) setImmediate(count);
  };
  setImmediate(count);
  const inTurn = createTurnQuota(3);
  const begun: [number, number][] = [];
  const all = Array.from(
    { length: 8 },
    (_, at) =>
      new Promise<void>((resolve) => {
        inTurn(() => {
          begun.push([at, turn]);
          resolve();
        });
      }),
  );
  expect(begun.map(([at]) => at)).toEqual([0, 1, 2]);
  await Promise.all(all);
  over = true;
  expect(begun.map(([at]) => at)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  const perTurn = [...Map.groupBy(begun, ([, when]) => when).values()].map((each) => each.length);
  expect(perTurn).toEqual([3, 3, 2]);
});
