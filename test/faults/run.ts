import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { migrate, openConnection, type PrivateServer, startPrivateServer, withDatabase } from '../../src/db/index.ts';
import { auditLedger, createCaretaker, type Violation } from '../../src/wallet/index.ts';
import { addCustomer, type Customer, run, startNode } from '../wallet/support.ts';
import { type Answer, seededRandom, type Task } from './protocol.ts';

export interface FaultOptions {
  seed: number;
  requests: number;
  nodeKills: number;
  databaseKills: number;
  /** Nodes that are stopped for a while and go on (SIGSTOP, SIGCONT). */
  freezes: number;
  clients?: number;
  /** Another server than a private one; it can't be killed, so `databaseKills` must be 0. */
  url?: string;
  onProgress?: (text: string) => void;
}

export interface FaultReport {
  seed: number;
  requests: number;
  acknowledged: number;
  replayed: number;
  released: number;
  refused: Record<string, number>;
  retries: number;
  nodeKills: number;
  databaseKills: number;
  freezes: number;
  topUps: number;
  /** Acknowledged charges whose hold was ahead of its commit. */
  ahead: number;
  /** Requests without an idempotency key of whose end nobody was told: their node died, or was silent. */
  unknown: number;
  /** Charges that are stored as settled for a key that a client was never told of. */
  unacknowledged: number;
  late: number;
  seconds: number;
  /** Everything that is wrong; must be empty. */
  problems: string[];
}

const silent = pino({ level: 'silent' });
const nodesCount = 2;
const customersCount = 40;
const ttlMs = 4_000;
const restAfterOutageMs = 2_000;
const attemptsMax = 400;

/**
 * Real nodes and a real database under load, killed again and again. Clients send each request with an idempotency
 * key until they are told its end, like a careful customer. At the end, what they were told must be what is stored.
 */
export async function runFaults(options: FaultOptions): Promise<FaultReport> {
  const { seed, requests, clients = 48, onProgress = () => undefined } = options;
  const random = seededRandom(seed);
  const began = performance.now();
  if (options.url !== undefined && options.databaseKills > 0) throw new Error('Only a private server can be killed.');
  const server = options.url === undefined ? await startOwn() : await borrow(options.url);
  const nodes: FaultyNode[] = [];
  try {
    await migrate({ url: server.url, log: silent });
    const customers = await makeCustomers(server.url);
    for (let index = 0; index < nodesCount; index++) nodes.push(await startFaultyNode(server.url));
    const tally = newTally();
    const faults = planFaults(options, random);
    let sent = 0;
    const client = async () => {
      while (sent < requests) {
        sent += 1;
        await sendUntilEnd(newTask(sent, customers, random), nodes, random, tally);
      }
    };
    let ended = false;
    const chaos = (async () => {
      for (const { after, kind } of faults) {
        while (sent < after && !ended) await sleep(5);
        if (ended) return;
        await strike(kind, { server, nodes, random, tally });
        onProgress(
          `${sent} of ${requests} requests, ${tally.nodeKills} nodes and ${tally.databaseKills} databases killed`,
        );
      }
    })();
    await Promise.all(Array.from({ length: clients }, client));
    ended = true;
    await chaos;
    onProgress('closing the nodes and ending what was left open');
    await Promise.all(nodes.map((node) => node.close()));
    const problems = [...tally.problems, ...(await verify(server.url, tally))];
    const { paid, problems: _, unknownKeys, ...counts } = tally;
    const seconds = (performance.now() - began) / 1_000;
    return { seed, requests, acknowledged: paid.size, unknown: unknownKeys.size, ...counts, seconds, problems };
  } finally {
    for (const node of nodes) node.kill();
    await server.close();
  }
}

type FaultyServer = Pick<PrivateServer, 'url' | 'kill' | 'start' | 'close'>;

async function startOwn(): Promise<FaultyServer> {
  const folder = mkdtempSync(join(tmpdir(), 'faults-'));
  const server = await startPrivateServer({ folder, log: silent, restart: false });
  const close = async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { url: server.url, kill: server.kill, start: server.start, close };
}

/** A database of our own on a server that is not ours. */
async function borrow(url: string): Promise<FaultyServer> {
  const name = `faults_${process.pid}`;
  await run(withDatabase(url, ''), `CREATE DATABASE ${name} CHARACTER SET utf8mb4`);
  const never = async () => undefined;
  const close = () => run(withDatabase(url, ''), `DROP DATABASE ${name}`);
  return { url: withDatabase(url, name), kill: never, start: never, close };
}

interface Tally {
  /** By idempotency key: what the client was told. */
  paid: Map<string, { chargeId: string; charged: bigint; state: string }>;
  replayed: number;
  released: number;
  refused: Record<string, number>;
  retries: number;
  nodeKills: number;
  databaseKills: number;
  freezes: number;
  topUps: number;
  ahead: number;
  unknownKeys: Set<string>;
  unacknowledged: number;
  late: number;
  problems: string[];
}

function newTally(): Tally {
  return {
    paid: new Map(),
    replayed: 0,
    released: 0,
    refused: {},
    retries: 0,
    nodeKills: 0,
    databaseKills: 0,
    freezes: 0,
    topUps: 0,
    ahead: 0,
    unknownKeys: new Set(),
    unacknowledged: 0,
    late: 0,
    problems: [],
  };
}

type Fault = 'node' | 'database' | 'freeze';

function planFaults({ requests, nodeKills, databaseKills, freezes }: FaultOptions, random: () => number) {
  const kinds: Fault[] = [
    ...Array<Fault>(nodeKills).fill('node'),
    ...Array<Fault>(databaseKills).fill('database'),
    ...Array<Fault>(freezes).fill('freeze'),
  ];
  kinds.sort(() => random() - 0.5);
  return kinds.map((kind, index) => ({ kind, after: Math.floor(((index + 1) * requests) / (kinds.length + 1)) }));
}

async function strike(
  fault: Fault,
  { server, nodes, random, tally }: { server: FaultyServer; nodes: FaultyNode[]; random: () => number; tally: Tally },
): Promise<void> {
  const slot = Math.floor(random() * nodes.length);
  const node = nodes[slot];
  if (fault === 'database') {
    tally.databaseKills += 1;
    await server.kill();
    await sleep(random() * 300);
    await server.start();
  } else if (node && fault === 'node') {
    tally.nodeKills += 1;
    node.kill();
    nodes[slot] = await startFaultyNode(server.url);
  } else if (node) {
    tally.freezes += 1;
    await node.freeze(ttlMs + 1_500);
  }
}

function newTask(id: number, customers: Customer[], random: () => number): Task {
  // The square makes some wallets hot.
  const customer = customers[Math.floor(random() ** 2 * customers.length)];
  if (!customer) throw new Error('No customer.');
  const dice = random();
  const kind = dice < 0.01 ? 'top_up' : dice < 0.06 ? 'release' : dice < 0.12 ? 'extend' : 'pay';
  const cost = kind === 'top_up' ? 5_000_000_000 + Math.floor(random() * 1_000) : Math.floor(random() * 60_000_000);
  return {
    id,
    kind,
    customer,
    key: `k${id}`,
    ceiling: String(1 + Math.floor(random() * 50_000_000)),
    cost: String(cost),
    workMs: random() < 0.2 ? Math.floor(random() * 30) : 0,
    ahead: (kind === 'pay' || kind === 'release') && random() < 0.4,
  };
}

/** As a careful client: the same key again after everything that is not an end. */
async function sendUntilEnd(task: Task, nodes: FaultyNode[], random: () => number, tally: Tally): Promise<void> {
  if (task.ahead) return sendOnce(task, nodes, random, tally);
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    const node = nodes[Math.floor(random() * nodes.length)];
    const answer = await node?.ask(task);
    if (answer && record(task, answer, tally)) return;
    tally.retries += 1;
    await sleep(20 + random() * 100);
  }
  tally.problems.push(`request ${task.key} had no end after ${attemptsMax} attempts`);
}

/** Without an idempotency key a second try would be a second request. A refusal is an end: it must not be charged. */
async function sendOnce(task: Task, nodes: FaultyNode[], random: () => number, tally: Tally): Promise<void> {
  const answer = await nodes[Math.floor(random() * nodes.length)]?.ask(task);
  if (!answer || (answer.kind === 'failed' && answer.failure.startsWith('error'))) tally.unknownKeys.add(task.key);
  if (!answer || record(task, answer, tally) || answer.kind !== 'failed') return;
  tally.refused[answer.failure] = (tally.refused[answer.failure] ?? 0) + 1;
}

/** Whether the answer ends the request. */
function record(task: Task, answer: Answer, tally: Tally): boolean {
  switch (answer.kind) {
    case 'paid': {
      const { chargeId, charged, state } = answer;
      tally.paid.set(task.key, { chargeId, charged: BigInt(charged), state });
      if (answer.replayed) tally.replayed += 1;
      if (answer.ahead) tally.ahead += 1;
      return true;
    }
    case 'released':
      tally.released += 1;
      return true;
    case 'topped_up':
      tally.topUps += 1;
      return true;
    case 'failed':
      if (
        answer.failure.startsWith('error') &&
        !/connect|closed|lost|ECONN|EPIPE|ENOENT|shutdown/i.test(answer.failure)
      )
        tally.problems.push(`${task.key}: ${answer.failure}`);
      if (answer.failure !== 'insufficient_credit') return false;
      tally.refused[answer.failure] = (tally.refused[answer.failure] ?? 0) + 1;
      return true;
  }
}

async function makeCustomers(url: string): Promise<Customer[]> {
  const node = startNode(url);
  const customers: Customer[] = [];
  for (let index = 0; index < customersCount; index++) customers.push(await addCustomer(node, url, 5n + BigInt(index)));
  await node.close();
  return customers;
}

/** Ends what killed nodes left open, then compares what is stored with what clients were told, and audits. */
async function verify(url: string, tally: Tally): Promise<string[]> {
  const problems: string[] = [];
  const node = startNode(url);
  const caretaker = createCaretaker({ db: node.db, ledger: node.ledger, log: silent });
  await sleep(ttlMs + 500);
  await caretaker.runOnce();
  const connection = await openConnection(url);
  const [rows] = await connection.query(
    `SELECT c.id, c.state, c.settled, COALESCE(c.idempotency_key, m.value) AS k, (SELECT COUNT(*) FROM posting p WHERE p.source_type = 'charge' AND p.source_id = c.id AND p.step = 'late') AS late
     FROM charge c LEFT JOIN charge_metadata m ON m.wallet_id = c.wallet_id AND m.charge_id = c.id AND m.name = 'task'`,
  );
  const told = new Set([...tally.paid.values()].map(({ chargeId }) => chargeId));
  const stored = new Map((rows as StoredCharge[]).map((row) => [row.id, row]));
  for (const [key, { chargeId, charged, state }] of tally.paid) {
    const row = stored.get(chargeId);
    if (row?.state !== state || row.settled !== charged || row.k !== key)
      problems.push(`${key} was told ${state} ${charged} of ${chargeId}; stored is ${row?.state} ${row?.settled}`);
  }
  const settledByKey = new Map<string, number>();
  for (const row of stored.values()) {
    if (row.state === 'held') problems.push(`${row.id} is still held`);
    if (row.late > 0n) tally.late += 1;
    if (row.state !== 'settled') continue;
    settledByKey.set(row.k, (settledByKey.get(row.k) ?? 0) + 1);
    if (!told.has(row.id)) {
      tally.unacknowledged += 1;
      if (row.late === 0n && !tally.unknownKeys.has(row.k))
        problems.push(`${row.id} is settled, and its client was never told`);
    }
  }
  for (const [key, count] of settledByKey)
    if (count > 1 + tally.late) problems.push(`${key} was charged ${count} times`);
  await connection.end();
  const violations: Violation[] = await auditLedger(node.db);
  problems.push(...violations.map(({ invariant, subject, detail }) => `audit: ${invariant} ${subject} ${detail}`));
  await node.close();
  return problems;
}

interface StoredCharge {
  id: string;
  state: string;
  settled: bigint | null;
  k: string;
  late: bigint;
}

interface FaultyNode {
  /** Undefined when the node died or was silent for too long. */
  ask(task: Task): Promise<Answer | undefined>;
  kill(): void;
  freeze(ms: number): Promise<void>;
  close(): Promise<void>;
}

const answerMaxMs = 15_000;

async function startFaultyNode(url: string): Promise<FaultyNode> {
  const child: ChildProcess = fork(
    new URL('./node.ts', import.meta.url),
    [url, String(ttlMs), String(restAfterOutageMs)],
    {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    },
  );
  const waiting = new Map<number, (answer: Answer | undefined) => void>();
  const finish = (id: number, answer: Answer | undefined) => {
    waiting.get(id)?.(answer);
    waiting.delete(id);
  };
  let dead = false;
  const exit = once(child, 'exit').then(() => {
    dead = true;
    for (const id of [...waiting.keys()]) finish(id, undefined);
  });
  child.on('error', () => undefined);
  await once(child, 'message');
  child.on('message', (answer: Answer) => finish(answer.id, answer));
  return {
    ask: (task) =>
      new Promise((resolve) => {
        if (dead || !child.connected) return resolve(undefined);
        const timer = setTimeout(() => finish(task.id, undefined), answerMaxMs);
        waiting.set(task.id, (answer) => {
          clearTimeout(timer);
          resolve(answer);
        });
        child.send(task, (error) => {
          if (error) finish(task.id, undefined);
        });
      }),
    kill: () => void child.kill('SIGKILL'),
    async freeze(ms) {
      child.kill('SIGSTOP');
      await sleep(ms);
      child.kill('SIGCONT');
    },
    async close() {
      if (!dead && child.connected) child.send('close');
      const timer = setTimeout(() => child.kill('SIGKILL'), 20_000);
      await exit;
      clearTimeout(timer);
    },
  };
}
