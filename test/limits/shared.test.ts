import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { createLimits, type LevelLimits, type Limits } from '../../src/limits/index.ts';
import { silent } from '../support/database.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { keyCaller, keyLevels } from './callers.ts';

let redis: TestRedis;
const open: Limits[] = [];
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(async () => {
  for (const limits of open) await limits.close();
  await redis.kill();
});

async function startNodes(limits: Partial<LevelLimits>, { url } = redis): Promise<Limits[]> {
  const count = 2;
  const nodes = Array.from({ length: count }, () =>
    createLimits({
      ...{ clock: systemClock, log: silent, levels: keyLevels(limits) },
      // On a busy machine an answer may take longer than nodes wait that serve.
      ...{ redisUrl: url, sharedTimeoutMs: 5_000, nodes: count },
    }),
  );
  open.push(...nodes);
  for (const node of nodes)
    await expect.poll(() => node.admit(keyCaller('key_warm_up'), 'unary') instanceof Promise).toBe(true);
  return nodes;
}

interface Hammered {
  asked: number;
  admitted: number;
  refused: number;
  /** What nodes decided by their own count. */
  alone: number;
}

/** Asks all nodes as fast as they answer, until it is enough; `seen` is what has happened so far. */
async function hammer(nodes: readonly Limits[], key: string, enough: (seen: Hammered) => boolean): Promise<Hammered> {
  const seen = { asked: 0, admitted: 0, refused: 0, alone: 0 };
  await Promise.all(
    nodes.flatMap((node) =>
      Array.from({ length: 4 }, async () => {
        while (!enough(seen)) {
          const asking = node.admit(keyCaller(key), 'unary');
          const isAlone = !(asking instanceof Promise);
          const answer = await asking;
          seen.asked += 1;
          seen[answer.ok ? 'admitted' : 'refused'] += 1;
          if (isAlone) seen.alone += 1;
          if (answer.ok) answer.value.release();
          else await new Promise((resolve) => setTimeout(resolve, 1));
        }
      }),
    ),
  );
  return seen;
}

test('two nodes together let one limit through, not two', async () => {
  const nodes = await startNodes({ requestsPerMinute: 600 });
  const startedAt = performance.now();
  const { admitted } = await hammer(nodes, 'key_both', ({ refused }) => refused >= 200);
  const elapsedMs = performance.now() - startedAt;
  expect(admitted).toBeLessThanOrEqual(100 + elapsedMs / 100 + 1);
  expect(admitted).toBeGreaterThanOrEqual(100);
  // What drains is let in: one each tenth of a second, and no machine is so slow that it is fewer.
  const many = () => Promise.all(Array.from({ length: 200 }, () => nodes[0]?.admit(keyCaller('key_both'), 'unary')));
  expect((await many()).at(-1)).toMatchObject({ failure: { limit: 'requests per minute of the key' } });
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect((await many()).filter((answer) => answer?.ok).length).toBeGreaterThanOrEqual(9);
});

test('places are shared, and given back', async () => {
  const [one, two] = await startNodes({ concurrent: 3, streams: 1 });
  if (!one || !two) throw new Error('two nodes');
  const caller = keyCaller('key_places');
  const stream = await one.admit(caller, 'stream');
  expect(await two.admit(caller, 'stream')).toMatchObject({ failure: { limit: 'concurrent streams of the key' } });
  await two.admit(caller, 'unary');
  await one.admit(caller, 'unary');
  expect(await two.admit(caller, 'unary')).toMatchObject({ failure: { limit: 'concurrent requests of the key' } });
  if (stream.ok) {
    stream.value.release();
    stream.value.release();
  }
  await expect.poll(async () => (await two.admit(caller, 'stream')).ok).toBe(true);
  expect((await one.admit(caller, 'unary')).ok).toBe(false);
});

test('tokens are shared, and settled', async () => {
  const [one, two] = await startNodes({ tokensPerMinute: 600_000 });
  if (!one || !two) throw new Error('two nodes');
  const caller = keyCaller('key_tokens');
  const first = await one.reserveTokens(caller, 590_000);
  expect((await two.reserveTokens(caller, 300_000)).ok).toBe(false);
  if (first.ok) first.value.settle(100_000);
  await expect.poll(async () => (await two.reserveTokens(caller, 300_000)).ok).toBe(true);
  const answer = await two.admit(caller, 'unary');
  expect(answer.ok && answer.value.tokens?.remaining).toBeLessThan(300_000);
});

test('what is in force is what all nodes have counted, and a node that is alone says that it is', async () => {
  const [one, two] = await startNodes({ tokensPerMinute: 6_000, concurrent: 9, streams: 4 });
  if (!one || !two) throw new Error('two nodes');
  const caller = keyCaller('key_in_force');
  await one.admit(caller, 'stream');
  await one.admit(caller, 'unary');
  const last = await two.admit(caller, 'unary');
  await two.reserveTokens(caller, 5_000);
  for (const node of [one, two]) {
    const { limits, shared } = await node.inForce(caller);
    expect(shared).toBe(true);
    const ofKey = limits.filter(({ level }) => level === 'key');
    expect(ofKey.map(({ name, most }) => [name, most])).toEqual([
      ['requests', 1_000_000],
      ['tokens', 6_000],
      ['concurrent-requests', 9],
      ['concurrent-streams', 4],
    ]);
    expect(ofKey.slice(2).map(({ used }) => used)).toEqual([3, 1]);
    // It drains by the clock of the shared server.
    expect(ofKey[1]?.used).toBeLessThanOrEqual(5_000);
    expect(ofKey[1]?.used).toBeGreaterThan(0);
  }
  if (last.ok) last.value.release();
  const places = async () => (await one.inForce(caller)).limits.at(-2)?.used;
  await expect.poll(places).toBe(2);
  const alone = createLimits({ clock: systemClock, log: silent, levels: keyLevels({}) });
  open.push(alone);
  expect((await alone.inForce(caller)).shared).toBe(false);
});

test('when the shared server dies, each node goes on with its part, and with what it has let in before', async () => {
  // The nodes of other tests would count among those that split the limit.
  const redis = await startRedis();
  onTestFinished(redis.kill);
  const nodes = await startNodes({ requestsPerMinute: 1_200 }, redis);
  const startedAt = performance.now();
  const drained = () => (performance.now() - startedAt) / 50;
  // In turns, so that each node lets in half of it.
  let together = 0;
  for (let turn = 0, refused = 0; refused < 20; turn += 1) {
    const answer = await nodes[turn % 2]?.admit(keyCaller('key_killed'), 'unary');
    if (answer?.ok) together += 1;
    else refused += 1;
  }
  expect(together).toBeGreaterThanOrEqual(200);
  const run = hammer(nodes, 'key_killed', ({ alone }) => alone >= 400);
  await redis.kill();
  const { admitted } = await run;
  // Beside the others a node's own count drains by the whole limit, not by its part: so twice what drains.
  expect(together + admitted).toBeLessThanOrEqual(200 + 2 * drained() + 10);

  const since = drained();
  const first = await hammer(nodes, 'key_first_seen', ({ refused }) => refused >= 50);
  expect([first.alone, first.admitted >= 200 - nodes.length]).toEqual([first.asked, true]);
  expect(first.admitted).toBeLessThanOrEqual(200 + drained() - since + nodes.length);

  await redis.start();
  await expect.poll(() => nodes[0]?.admit(keyCaller('key_back'), 'unary') instanceof Promise).toBe(true);
});

test('the reserve for paying is one for all nodes', async () => {
  const nodes = await startNodes({ requestsPerMinute: 60 });
  let passed = 0;
  const startedAt = performance.now();
  for (let turn = 0; turn < 30; turn += 1) {
    const answer = await nodes[turn % 2]?.admitPayment(keyCaller('key_1', 'acc_paying'));
    if (!answer?.ok) continue;
    passed += 1;
    answer.value.release();
  }
  // One comes back each second.
  expect(passed).toBeGreaterThanOrEqual(10);
  expect(passed).toBeLessThanOrEqual(11 + (performance.now() - startedAt) / 1_000);
});

test('items of batches count on all nodes together, and a refused one counts nowhere', async () => {
  const [one, two] = await startNodes({ requestsPerMinute: 1, requestBurst: 10 });
  if (!one || !two) throw new Error('two nodes');
  const caller = keyCaller('key_items');
  const admitted = [];
  for (let count = 0; count < 4; count++)
    for (const node of [one, two]) admitted.push((await node.admitItem(caller)).ok);
  expect(admitted).toEqual([true, true, true, true, true, false, false, false]);
  expect(await two.admitItem(caller)).toMatchObject({
    failure: { kind: 'rate_limited', limit: 'requests per minute of the key' },
  });
  for (let count = 0; count < 5; count++) expect((await two.admit(caller, 'unary')).ok).toBe(true);
  expect((await one.admit(caller, 'unary')).ok).toBe(false);
});
