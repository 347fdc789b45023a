import { setTimeout as sleep } from 'node:timers/promises';
import { openConnection } from '../../src/db/index.ts';
import type { Customer, Node } from '../wallet/support.ts';
import { type Figure, type Figures, type Pair, quantile, runPairs } from './ledger-figures.ts';

/** Callers that constantly want the locked wallet, in addition to those of the others. */
const callersOfLocked = 4;
const restMs = 50;

interface Scene {
  node: Node;
  url: string;
  server: string;
  figures: Figures;
  /** The first one's wallet is locked. */
  customers: Customer[];
  callers: number;
  pair: Pair;
  lockMs: number;
  rounds: number;
}

/**
 * Somebody else's connection keeps one wallet locked, such as a support query that was left open or a frozen node: what do the pairs of the
 * other wallets see? Measured in turn with and without the lock, under the same load.
 */
export async function benchLock(scene: Scene): Promise<void> {
  const { server, figures, customers, callers, lockMs, rounds } = scene;
  const took: Record<'free' | 'locked', number[]> = { free: [], locked: [] };
  for (let round = 0; round < rounds; round++)
    for (const kind of ['free', 'locked'] as const) took[kind].push(...(await runRound(scene, kind === 'locked')));
  const figure = (what: string, times: number[]): Figure => ({
    server,
    what,
    wallets: customers.length - 1,
    callers,
    pairsPerSecond: times.length / ((rounds * lockMs) / 1_000),
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
  });
  const free = figures.print(figure('others, nothing locked', took.free));
  const locked = figures.print(figure(`others, one locked ${lockMs / 1_000} s`, took.locked));
  figures.ratio(locked, { name: "times the others' p50 without the lock", value: locked.p50Ms / free.p50Ms });
  const name = "times the others' p99 without the lock";
  figures.ratio(locked, { name, value: locked.p99Ms / free.p99Ms, goal: 'at most 1.2' });
}

async function runRound({ node, url, customers, callers, pair, lockMs }: Scene, locked: boolean): Promise<number[]> {
  const [victim, ...others] = customers;
  if (!victim) throw new Error('No customer.');
  const lock = locked ? await lockWallet(node, url, victim) : undefined;
  const end = performance.now() + lockMs;
  // These are refused or late while it is locked, as expected; they retry, as a client does.
  const wanted = Promise.all(
    Array.from({ length: callersOfLocked }, async () => {
      while (performance.now() < end) await pair(victim).catch(() => sleep(restMs));
    }),
  );
  const unlocked = lock && sleep(lockMs).then(lock.end);
  const took = await runPairs({ customers: others, callers, pair: () => pair, ms: lockMs });
  await unlocked;
  await wanted;
  return took;
}

async function lockWallet(node: Node, url: string, { accountId }: Customer) {
  const wallet = await node.wallets.get(accountId, 'api');
  if (!wallet.ok) throw new Error('The wallet is gone.');
  const connection = await openConnection(url, { session: { innodb_lock_wait_timeout: 30 } });
  await connection.query('START TRANSACTION');
  await connection.query('SELECT id FROM wallet WHERE id = ? FOR UPDATE', [wallet.value.walletId]);
  return {
    end: async () => {
      await connection.query('ROLLBACK');
      await connection.end();
    },
  };
}
