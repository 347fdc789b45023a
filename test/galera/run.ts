import { pino } from 'pino';
import { migrate } from '../../src/db/index.ts';
import { createReaper } from '../../src/wallet/index.ts';
import { newTask, sendUntilEnd } from '../faults/clients.ts';
import { doTask } from '../faults/do-task.ts';
import { seededRandom } from '../faults/protocol.ts';
import { newTally } from '../faults/tally.ts';
import { verify } from '../faults/verify.ts';
import { addCustomer, type Customer, type Node, query, startNode } from '../wallet/support.ts';
import { type Cluster, type NodeAborts, startCluster } from './cluster.ts';
import { findTornGroups } from './torn-groups.ts';

export interface GaleraOptions {
  seed: number;
  /** How long clients send. */
  seconds: number;
  /** Hot wallets, all of them written through every node. */
  wallets: number;
  clients: number;
  onProgress?: (text: string) => void;
}

export interface GaleraReport {
  seed: number;
  requests: number;
  acknowledged: number;
  groups: number;
  aborts: NodeAborts[];
  torn: Record<string, number>;
  retries: Record<string, number>;
  refused: Record<string, number>;
  seconds: number;
  problems: string[];
}

const silent = pino({ level: 'silent' });
const ttlMs = 5_000;
/** How long clients may take for what they have begun when the time is over. */
const lastRequestsMs = 25_000;
const tables = ['wallet', 'charge', 'posting', 'idempotency', 'cap', 'charge_cap', 'stored_reply'];

/**
 * Three ledgers, each on a node of its own of one Galera cluster, write the same wallets. Nodes end each other's
 * transactions in the middle when they have committed the same rows; whatever happens, a group is there as a whole or
 * not at all, and what clients were told is what every node has stored.
 */
export async function runGalera(options: GaleraOptions): Promise<GaleraReport> {
  const { seed, onProgress = () => undefined } = options;
  const began = performance.now();
  onProgress('starting three nodes');
  const cluster = await startCluster();
  const nodes: Node[] = [];
  let groups = 0;
  try {
    const [home = ''] = cluster.urls;
    await migrate({ url: home, log: silent });
    await cluster.sync();
    const onGroup = () => {
      groups += 1;
    };
    for (const url of cluster.urls) nodes.push(startWriter(url, onGroup));
    const customers = await makeCustomers(nodes[0] as Node, home, options.wallets);
    await cluster.sync();
    const tally = newTally();
    const requests = await load(options, { nodes, customers, tally, groups: () => groups });
    onProgress('waiting for what is left, and comparing');
    await Promise.all(nodes.splice(0).map((node) => node.close()));
    await cluster.sync();
    const torn = await findTornGroups(home);
    const { problems } = await verify(home, tally, ttlMs);
    return {
      seed,
      requests,
      acknowledged: tally.delivered.size,
      groups,
      aborts: await cluster.aborts(),
      torn,
      retries: tally.counts.retries,
      refused: tally.counts.refused,
      seconds: Math.round((performance.now() - began) / 1_000),
      problems: [
        ...Object.entries(torn).map(([name, rows]) => `a group was torn: ${name} (${rows})`),
        ...(await findDifferences(cluster)),
        ...tally.problems,
        ...problems,
      ],
    };
  } finally {
    await Promise.all(nodes.map((node) => node.close()));
    await cluster.close();
  }
}

interface Scene {
  nodes: Node[];
  customers: Customer[];
  tally: ReturnType<typeof newTally>;
  groups: () => number;
}

async function load(options: GaleraOptions, { nodes, customers, tally, groups }: Scene): Promise<number> {
  const { seed, seconds, clients, onProgress = () => undefined } = options;
  const random = seededRandom(seed);
  const end = performance.now() + seconds * 1_000;
  const doors = nodes.map((node) => ({
    ask: (task: Parameters<typeof doTask>[1]) => doTask(node, task),
  }));
  const world = { nodes: doors, random, tally, until: end + lastRequestsMs };
  let sent = 0;
  const client = async () => {
    while (performance.now() < end) {
      sent += 1;
      await sendUntilEnd({ ...newTask(sent, customers, random), deferred: false }, world);
    }
  };
  const report = setInterval(
    () =>
      onProgress(
        `${sent} requests, ${tally.delivered.size} acknowledged, ${groups()} groups, retries ${JSON.stringify(tally.counts.retries)}`,
      ),
    5_000,
  );
  try {
    await Promise.all(Array.from({ length: clients }, client));
  } finally {
    clearInterval(report);
  }
  return sent;
}

/** A ledger with its reaper, as each node of the service has. */
function startWriter(url: string, onGroup: () => void): Node {
  const node = startNode(url, { holdTtlMs: ttlMs }, { onGroup });
  const reaper = createReaper({
    db: node.db,
    ledger: node.ledger,
    log: silent,
    intervalMs: 1_000,
    restAfterOutageMs: 2_000,
  });
  reaper.start();
  return {
    ...node,
    close: async () => {
      await reaper.close();
      await node.close();
    },
  };
}

async function makeCustomers(node: Node, url: string, count: number): Promise<Customer[]> {
  const customers: Customer[] = [];
  for (let index = 0; index < count; index++) customers.push(await addCustomer(node, url, 5_000n));
  return customers;
}

async function findDifferences(cluster: Cluster): Promise<string[]> {
  await cluster.sync();
  const sums = await Promise.all(cluster.urls.map((url) => query(url, `CHECKSUM TABLE ${tables.join(', ')}`)));
  const [first = [], ...others] = sums.map((rows) => rows.map((row) => `${row.Table} ${row.Checksum}`));
  return others.flatMap((rows, index) =>
    rows
      .filter((row, at) => row !== first[at])
      .map((row) => `node ${index + 2} has other rows than node 1: ${row.split(' ')[0]}`),
  );
}
