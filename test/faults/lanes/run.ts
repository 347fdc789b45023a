import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { migrate } from '../../../src/db/index.ts';
import { strictEmbeddings } from '../../support/strict-embeddings.ts';
import { strictRerank } from '../../support/strict-rerank.ts';
import { completion, startUpstream, streamedCompletion, type Upstream } from '../../support/upstream.ts';
import { run } from '../../wallet/support.ts';
import { seededRandom } from '../protocol.ts';
import { type FaultyServer, startOwn } from '../servers.ts';
import { askOnce, type Lane, type LaneTask, lanes, pieces } from './lanes.ts';
import { type LaneNode, operatorToken, startLaneNode } from './node.ts';
import { type Delivery, type LaneStored, verifyLanes } from './verify.ts';

export interface LaneOptions {
  seed: number;
  requests: number;
  nodeKills: number;
  databaseKills: number;
  clients: number;
  /** Where a MySQL is unpacked, to run instead of the machine's own server program. */
  mysqldRoot?: string;
  onProgress?: (text: string) => void;
}

export interface LaneReport extends LaneStored {
  seed: number;
  requests: number;
  /** Requests whose client received the reply, by lane. */
  delivered: Record<Lane, number>;
  retries: Record<string, number>;
  nodeKills: number;
  databaseKills: number;
  seconds: number;
}

export interface LaneCustomer {
  accountId: string;
  managementKey: string;
  apiKey: string;
}

const nodesCount = 2;
const customersCount = 8;
const attemptsMax = 2_400;
/** This long after a node died, its holds are ended; on their own they would last for minutes. */
const holdsEndMs = 1_500;

/** The whole service under load on its HTTP lanes, with its nodes and its database killed repeatedly. */
export async function runLanes(options: LaneOptions): Promise<LaneReport> {
  const began = performance.now();
  const closers: (() => unknown)[] = [];
  try {
    const server = await startOwn(options.mysqldRoot);
    closers.push(server.close);
    await migrate({ url: server.url, log: pino({ level: 'silent' }) });
    const upstream = await startProvider();
    closers.push(upstream.close);
    const folder = makeFolder(upstream.url);
    closers.push(() => rmSync(folder, { recursive: true, force: true }));
    const start = () => startLaneNode({ folder, url: server.url });
    // The first one creates the secrets that the others read.
    const nodes: LaneNode[] = [await start()];
    closers.push(() => Promise.all(nodes.map((node) => node.kill())));
    while (nodes.length < nodesCount) nodes.push(await start());
    const customers: LaneCustomer[] = [];
    for (let index = 0; index < customersCount; index++) customers.push(await onboard(nodes[0]?.url ?? ''));
    const scene: Scene = {
      ...{ server, nodes, start, customers, delivered: new Map(), retries: {}, problems: new Set() },
      counts: { nodeKills: 0, databaseKills: 0 },
    };
    await sendUnderFaults(options, scene);
    options.onProgress?.('what is stored is compared with what clients had');
    const { problems, ...stored } = await verifyLanes(server.url, {
      ...{ customers, delivered: scene.delivered },
      nodeUrl: nodes[0]?.url ?? '',
    });
    return {
      ...{ seed: options.seed, requests: options.requests, delivered: countByLane(scene.delivered) },
      ...{ retries: scene.retries, ...scene.counts, ...stored },
      seconds: Math.round((performance.now() - began) / 1_000),
      problems: [...scene.problems, ...problems],
    };
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

interface Scene {
  server: FaultyServer;
  nodes: LaneNode[];
  start(): Promise<LaneNode>;
  customers: LaneCustomer[];
  /** By key. */
  delivered: Map<string, Delivery>;
  retries: Record<string, number>;
  problems: Set<string>;
  counts: { nodeKills: number; databaseKills: number };
}

async function sendUnderFaults(options: LaneOptions, scene: Scene): Promise<void> {
  const { seed, requests, clients, nodeKills, databaseKills, onProgress = () => undefined } = options;
  const random = seededRandom(seed);
  const kinds = [...Array<'node'>(nodeKills).fill('node'), ...Array<'database'>(databaseKills).fill('database')]
    .map((kind) => ({ kind, order: random() }))
    .toSorted((one, other) => one.order - other.order);
  const faults = kinds.map(({ kind }, at) => ({ kind, after: Math.floor(((at + 1) * requests) / (kinds.length + 1)) }));
  let sent = 0;
  let struck = 0;
  // While a fault lasts, clients continue until the next one is due, so that each fault meets load.
  const allowed = () => faults[struck + 1]?.after ?? requests;
  const client = async () => {
    while (sent < requests) {
      if (sent >= allowed()) await sleep(5);
      else {
        sent += 1;
        await sendUntilEnd(newTask(sent, scene.customers, random), scene, random);
      }
    }
  };
  const chaos = async () => {
    for (const { kind, after } of faults) {
      while (sent < after) await sleep(5);
      await strike(kind, scene, random);
      struck += 1;
      onProgress(`${sent} of ${requests}: ${JSON.stringify(scene.counts)}`);
    }
  };
  await Promise.all([chaos(), ...Array.from({ length: clients }, client)]);
}

function newTask(number: number, customers: readonly LaneCustomer[], random: () => number): LaneTask {
  const lane = lanes[number % lanes.length] ?? 'chat';
  const customer = customers[Math.floor(random() ** 2 * customers.length)];
  return { lane, key: `${lane}-${number}`, apiKey: customer?.apiKey ?? '', number };
}

/** Retries with the same key at another node, after silence or any answer that is not final. */
async function sendUntilEnd(task: LaneTask, scene: Scene, random: () => number): Promise<void> {
  const { nodes, delivered, retries, problems } = scene;
  let slot = Math.floor(random() * nodes.length);
  let why = '';
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const heard = await askOnce(nodes[slot % nodes.length]?.url ?? '', task);
    if (heard.kind === 'delivered') {
      delivered.set(task.key, { ...heard, lane: task.lane });
      return;
    }
    why = heard.why;
    if (heard.kind !== 'again') break;
    retries[why] = (retries[why] ?? 0) + 1;
    slot += 1;
    await sleep(50 + random() * 200);
  }
  problems.add(`${task.key} had no end: ${why}`);
}

async function strike(kind: 'node' | 'database', scene: Scene, random: () => number): Promise<void> {
  const { server, nodes, start, counts } = scene;
  if (kind === 'database') {
    counts.databaseKills += 1;
    await server.kill();
    await sleep(random() * 300);
    await server.start();
    return;
  }
  counts.nodeKills += 1;
  const slot = Math.floor(random() * nodes.length);
  await nodes[slot]?.kill();
  // Including those of the surviving node: it continues beyond them.
  const ending = sleep(holdsEndMs).then(() => endHolds(server.url));
  nodes[slot] = await start();
  await ending;
}

async function endHolds(url: string): Promise<void> {
  await run(url, "UPDATE charge SET expires_at_us = 1 WHERE state = 'held'");
}

function countByLane(delivered: ReadonlyMap<string, Delivery>): Record<Lane, number> {
  const counts = Object.fromEntries(lanes.map((lane) => [lane, 0])) as Record<Lane, number>;
  for (const { lane } of delivered.values()) counts[lane] += 1;
  return counts;
}

async function startProvider(): Promise<Upstream> {
  const upstream = await startUpstream();
  const usage = { prompt_tokens: 10, completion_tokens: 6, total_tokens: 16 };
  const embed = strictEmbeddings(8);
  const rank = strictRerank('jina');
  upstream.answer((request) => {
    upstream.seen.length = 0;
    if (request.path.endsWith('/embeddings')) return embed(request);
    if (request.path.endsWith('/rerank')) return rank(request);
    if (request.body.stream === true) return { pieces: streamedCompletion(pieces, usage), pauseMs: 15 };
    return { body: completion(pieces.join(''), usage), delayMs: request.body.model === 'm' ? 10 : 0 };
  });
  return upstream;
}

function makeFolder(upstreamUrl: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'lanes-'));
  mkdirSync(join(folder, 'data'), { mode: 0o700 });
  const price = '{ inputPerMillionUsd: "1", outputPerMillionUsd: "2" }';
  writeFileSync(
    join(folder, 'config.yaml'),
    `
payments: { provider: sandbox, allowSandbox: true }
providers: [{ id: up, kind: openai-compatible, baseUrl: "${upstreamUrl}/v1", apiKeyEnv: UPSTREAM_KEY }]
models:
  - { id: m, provider: up, quality: 50, contextTokens: 65536, price: ${price} }
  - { id: e, provider: up, quality: 50, contextTokens: 8192, price: { inputPerMillionUsd: "1" }, embedding: { dimensions: 8 } }
  - { id: r, provider: up, quality: 50, contextTokens: 8192, price: { inputPerMillionUsd: "1" }, rerank: { api: jina } }
limits: { requestsPerMinute: 1000000, tokensPerMinute: 1000000000, concurrent: 500, concurrentStreams: 500 }
chat: { resumable: { accountMebibytes: 1024 } }

`,
  );
  return folder;
}

async function onboard(url: string): Promise<LaneCustomer> {
  // biome-ignore lint/suspicious/noExplicitAny: a parsed JSON body
  const ask = async (path: string, credential: string, body: object): Promise<any> => {
    const reply = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${credential}` },
      body: JSON.stringify(body),
    });
    if (!reply.ok) throw new Error(`${path} answered ${reply.status}: ${await reply.text()}`);
    return reply.json();
  };
  const { account, managementKey } = await ask('/v1/accounts', operatorToken, { displayName: 'lanes' });
  const { secret } = await ask('/v1/keys', managementKey, { displayName: 'backend', purpose: 'a test' });
  await ask('/v1/wallet/top-ups', managementKey, { amountUsd: '100.00' });
  return { accountId: account.accountId, managementKey, apiKey: secret };
}
