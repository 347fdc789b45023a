import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { migrate } from '../../src/db/index.ts';
import { addCustomer, type Customer, startNode } from '../wallet/support.ts';
import { newTask, sendUntilEnd } from './clients.ts';
import { type FaultyNode, startFaultyNode } from './faulty-node.ts';
import { type Answer, seededRandom, type Task } from './protocol.ts';
import { borrow, type FaultyServer, startOwn } from './servers.ts';
import { newTally, recordLate, type Tally } from './tally.ts';
import { type Stored, verify } from './verify.ts';

export interface FaultOptions {
  seed: number;
  requests: number;
  nodeKills: number;
  databaseKills: number;
  /** Nodes that are paused for longer than their holds last, and then continue (SIGSTOP, SIGCONT). */
  freezes: number;
  clients?: number;
  /** Where a MySQL is unpacked, to run as the private server; by default the machine's own server program is used. */
  mysqldRoot?: string;
  /** A server other than a private one; it can't be killed, so `databaseKills` must be 0. */
  url?: string;
  onProgress?: (text: string) => void;
}

export interface FaultReport extends Stored {
  seed: number;
  requests: number;
  /** Requests whose client received the reply. */
  acknowledged: number;
  topUps: number;
  /** Requests without an idempotency key whose outcome nobody was told. */
  unknown: number;
  told: Tally['counts'];
  seconds: number;
}

const nodesCount = 2;
const customersCount = 40;
const ttlMs = 4_000;
const restAfterOutageMs = 2_000;
/** Shorter than a hold: a client asks another node while the first one's hold is still open. */
const patienceMs = 2_000;
/** Longer than a hold, and up to longer than the session's `wait_timeout` of 10 s. */
const freezeBeyondMs = { least: 1_500, more: 6_000 };

/**
 * Real nodes and a real database under load, killed and frozen repeatedly. Like a careful customer, clients send each request with an
 * idempotency key until they are told its outcome. At the end, what they were told must be what is stored, and no key may have paid twice.
 */
export async function runFaults(options: FaultOptions): Promise<FaultReport> {
  const { seed, requests, url, onProgress = () => undefined } = options;
  if (url !== undefined && options.databaseKills > 0) throw new Error('Only a private server can be killed.');
  const began = performance.now();
  const server = url === undefined ? await startOwn(options.mysqldRoot) : await borrow(url);
  const nodes: FaultyNode[] = [];
  const tally = newTally();
  try {
    await migrate({ url: server.url, log: pino({ level: 'silent' }) });
    const customers = await makeCustomers(server.url);
    const onLate = (task: Task, answer: Answer) => recordLate(task, answer, tally);
    const start = () => startFaultyNode({ url: server.url, ttlMs, restAfterOutageMs, patienceMs, onLate });
    for (let index = 0; index < nodesCount; index++) nodes.push(await start());
    await sendUnderFaults(options, { server, nodes, start, customers, tally });
    onProgress('closing the nodes and ending what was left open');
    await Promise.all(nodes.map((node) => node.close()));
    const { problems, ...stored } = await verify(server.url, tally, ttlMs);
    return {
      seed,
      requests,
      acknowledged: tally.delivered.size,
      topUps: tally.topUps.size,
      unknown: tally.unknownKeys.size,
      ...stored,
      told: tally.counts,
      seconds: Math.round((performance.now() - began) / 1_000),
      problems: [...tally.problems, ...problems],
    };
  } finally {
    for (const node of nodes) node.kill();
    await server.close();
  }
}

interface Scene {
  server: FaultyServer;
  nodes: FaultyNode[];
  /** A new node. */
  start: () => Promise<FaultyNode>;
  customers: Customer[];
  tally: Tally;
}

async function sendUnderFaults(options: FaultOptions, scene: Scene): Promise<void> {
  const { seed, requests, clients = 48, onProgress = () => undefined } = options;
  const { nodes, customers, tally } = scene;
  const random = seededRandom(seed);
  const faults = planFaults(options, random);
  const chances = seededRandom(seed + 1);
  let sent = 0;
  let struck = 0;
  // While a fault lasts, clients continue until the next one is due, so that each fault meets load.
  const allowed = () => faults[struck + 1]?.after ?? requests;
  const client = async () => {
    while (sent < requests) {
      if (sent >= allowed()) await sleep(5);
      else {
        sent += 1;
        await sendUntilEnd(newTask(sent, customers, random), { nodes, random, tally });
      }
    }
  };
  const chaos = async () => {
    for (const { after, kind } of faults) {
      while (sent < after) await sleep(5);
      await strike(kind, scene, chances);
      struck += 1;
      const { nodeKills, databaseKills, freezes } = tally.counts;
      onProgress(
        `${sent} of ${requests} requests; killed ${nodeKills} nodes and ${databaseKills} databases, froze ${freezes} nodes`,
      );
    }
  };
  await Promise.all([chaos(), ...Array.from({ length: clients }, client)]);
}

type Fault = 'node' | 'database' | 'freeze';

function planFaults({ requests, nodeKills, databaseKills, freezes }: FaultOptions, random: () => number) {
  const kinds = [
    ...Array<Fault>(nodeKills).fill('node'),
    ...Array<Fault>(databaseKills).fill('database'),
    ...Array<Fault>(freezes).fill('freeze'),
  ].map((kind) => ({ kind, order: random() }));
  kinds.sort((one, other) => one.order - other.order);
  return kinds.map(({ kind }, index) => ({
    kind,
    after: Math.floor(((index + 1) * requests) / (kinds.length + 1)),
  }));
}

async function strike(fault: Fault, { server, nodes, start, tally }: Scene, random: () => number): Promise<void> {
  const slot = Math.floor(random() * nodes.length);
  const node = nodes[slot];
  if (fault === 'database') {
    tally.counts.databaseKills += 1;
    await server.kill();
    await sleep(random() * 300);
    await server.start();
  } else if (node && fault === 'node') {
    tally.counts.nodeKills += 1;
    node.kill();
    nodes[slot] = await start();
  } else if (node) {
    tally.counts.freezes += 1;
    await node.freeze(ttlMs + freezeBeyondMs.least + random() * freezeBeyondMs.more);
  }
}

async function makeCustomers(url: string): Promise<Customer[]> {
  const node = startNode(url);
  const customers: Customer[] = [];
  for (let index = 0; index < customersCount; index++) customers.push(await addCustomer(node, url, 5n + BigInt(index)));
  await node.close();
  return customers;
}
