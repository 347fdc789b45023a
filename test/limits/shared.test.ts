import { afterAll, beforeAll, expect, test } from 'vitest';
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

async function startNodes(limits: Partial<LevelLimits>, count = 2): Promise<Limits[]> {
  const nodes = Array.from({ length: count }, () =>
    createLimits({ clock: systemClock, log: silent, levels: keyLevels(limits), redisUrl: redis.url, nodes: count }),
  );
  open.push(...nodes);
  for (const node of nodes)
    await expect.poll(() => node.admit(keyCaller('key_warm_up'), 'unary') instanceof Promise).toBe(true);
  return nodes;
}

/** Asks all nodes as fast as they answer, for a while; how many requests got in, and over how long. */
async function hammer(nodes: readonly Limits[], key: string, forMs: number) {
  const startedAt = performance.now();
  let admitted = 0;
  await Promise.all(
    nodes.flatMap((node) =>
      Array.from({ length: 4 }, async () => {
        while (performance.now() - startedAt < forMs) {
          const answer = await node.admit(keyCaller(key), 'unary');
          if (answer.ok) {
            admitted += 1;
            answer.value.release();
          } else await new Promise((resolve) => setTimeout(resolve, 1));
        }
      }),
    ),
  );
  return { admitted, elapsedMs: performance.now() - startedAt };
}

test('two nodes together let one limit through, not two', async () => {
  const nodes = await startNodes({ requestsPerMinute: 600 });
  const { admitted, elapsedMs } = await hammer(nodes, 'key_both', 1_500);
  const allowed = 100 + elapsedMs / 100;
  expect(admitted).toBeLessThanOrEqual(allowed + 1);
  expect(admitted).toBeGreaterThan(allowed * 0.9);
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

test('when the shared server dies, each node goes on with its part, and together they stay within the limit', async () => {
  const nodes = await startNodes({ requestsPerMinute: 1_200 });
  const startedAt = performance.now();
  const run = hammer(nodes, 'key_killed', 3_000);
  setTimeout(() => void redis.kill(), 1_000);
  const { admitted } = await run;
  const elapsedMs = performance.now() - startedAt;
  const allowed = 200 + elapsedMs / 50;
  expect(admitted).toBeLessThanOrEqual(allowed + nodes.length);
  expect(admitted).toBeGreaterThan(200);
  expect(nodes[0]?.admit(keyCaller('key_killed'), 'unary')).not.toBeInstanceOf(Promise);

  await redis.start();
  await expect
    .poll(() => nodes[0]?.admit(keyCaller('key_back'), 'unary') instanceof Promise, { timeout: 5_000 })
    .toBe(true);
});

test('the reserve for paying is one for all nodes', async () => {
  const nodes = await startNodes({ requestsPerMinute: 60 });
  let passed = 0;
  for (let turn = 0; turn < 30; turn += 1) {
    const answer = await nodes[turn % 2]?.admitPayment(keyCaller('key_1', 'acc_paying'));
    if (!answer?.ok) continue;
    passed += 1;
    answer.value.release();
  }
  // One comes back each second.
  expect(passed).toBeGreaterThanOrEqual(10);
  expect(passed).toBeLessThan(13);
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
