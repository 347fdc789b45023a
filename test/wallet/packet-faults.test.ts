import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from 'mysql2/promise';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSeal } from '../../src/base/seal.ts';
import { openConnection } from '../../src/db/index.ts';
import { auditLedger, createLedger, createWallets, sandboxPayments } from '../../src/wallet/index.ts';
import { eachServer, freshDatabase, silent, type TestDatabase } from '../support/database.ts';
import {
  type CommandKind,
  type Fault,
  faults,
  type Hit,
  type PacketProxy,
  startPacketProxy,
} from '../support/packet-proxy.ts';
import { readBooks } from './packet-books.ts';
import { type Attempt, type Books, operations, type PacketOperation, type Told } from './packet-operations.ts';
import { type Node, print, startNode } from './support.ts';

/** The packets of a group, in the order sent. */
const packets = ['lock', 'write', 'commit'] as const;
const answerTimeoutMs = 300;
/** Cases run side by side, each with a database to itself, because reapers look at a whole database. */
const seatsCount = 16;
/** Far longer than any fault lasts, even if the server has to discover on its own that a connection is dead. */
const patienceMs = 30_000;

interface Case {
  title: string;
  plan: Hit[];
  /** Whether another wallet's settlement is in the same group. */
  inCompany: boolean;
}

const is = (wanted: CommandKind) => (kind: CommandKind) => kind === wanted;
const ofGroups = (kind: CommandKind) => kind !== 'kill' && kind !== 'setup';

/** What the packet after a lost COMMIT may meet; for it, the other faults are equivalent to one of these. */
const nextFaults: readonly Fault[] = ['cut before', 'answer lost', 'arrives late'];

function casesOf({ name, atOnce }: PacketOperation): Case[] {
  const cases: Case[] = [];
  const add = (title: string, ...plan: Hit[]) => {
    // Alternately alone and in company.
    cases.push({ title, plan, inCompany: atOnce && cases.length % 2 === 1 });
  };
  for (const packet of packets)
    for (const fault of faults) {
      const hit = { fault, on: is(packet) };
      add(`${packet}: ${fault}, once`, hit);
      add(`${packet}: ${fault}, twice in a row`, hit, hit);
      if (fault === 'arrives late') add(`${packet}: ${fault}, KILL lost`, hit, { fault: 'cut before', on: is('kill') });
      // Whatever the ledger sends next may be lost as well. After a lost lock that is another lock.
      const follow = packet === 'commit' ? nextFaults : packet === 'write' ? [fault] : [];
      for (const next of follow)
        add(`${packet}: ${fault}, the next packet: ${next}`, hit, { fault: next, on: ofGroups });
    }
  // How a connection is set up is independent of what is done on it.
  if (name === 'settle')
    for (const fault of faults)
      add(
        `commit: cut before, the next connection's set-up: ${fault}`,
        { fault: 'cut before', on: is('commit') },
        { fault, on: is('setup') },
      );
  return cases;
}

/** A database with a node on a good network. */
interface Seat {
  database: TestDatabase;
  near: Node;
  books: Connection;
}

eachServer((server) => {
  const seats: Seat[] = [];
  const free: Seat[] = [];
  const waiting: ((seat: Seat) => void)[] = [];

  beforeAll(async () => {
    seats.push(
      ...(await Promise.all(
        Array.from({ length: seatsCount }, async () => {
          const database = await freshDatabase(server, { poolMax: 2 });
          const near = startNode(database.url);
          return { database, near, books: await openConnection(database.url, { multipleStatements: true }) };
        }),
      )),
    );
    free.push(...seats);
  });

  afterAll(async () => {
    for (const { near, books, database } of seats) {
      await books.end();
      await near.close();
      await database.drop();
    }
  });

  async function onSeat<T>(work: (seat: Seat) => Promise<T>): Promise<T> {
    const seat = free.pop() ?? (await new Promise<Seat>((resolve) => waiting.push(resolve)));
    try {
      return await work(seat);
    } finally {
      const next = waiting.shift();
      if (next) next(seat);
      else free.push(seat);
    }
  }

  test.concurrent.for(operations)(
    '$name: whatever packet is lost, what was answered is what is stored',
    { timeout: 600_000 },
    async (operation, { expect }) => {
      const cases: Case[] = [{ title: 'no fault', plan: [], inCompany: false }, ...casesOf(operation)];
      const problems = await Promise.all(
        cases.map((each) =>
          onSeat(async (seat) => (await runCase(seat, operation, each)).map((problem) => `${each.title}: ${problem}`)),
        ),
      );
      expect(problems.flat()).toEqual([]);
    },
  );

  test('the audit finds nothing after all that', async () => {
    for (const { near } of seats) expect(await auditLedger(near.db)).toEqual([]);
  });
});

/** Runs one operation over a network with these faults; returns what was wrong. */
async function runCase(seat: Seat, operation: PacketOperation, one: Case, attempts = 5): Promise<string[]> {
  const problems = await tryCase(seat, operation, one);
  if (problems !== 'missed') return problems;
  // On a busy machine, an operation that may be refused can be given up before it reaches the fault.
  return attempts > 1 ? runCase(seat, operation, one, attempts - 1) : ['the fault did not happen'];
}

async function tryCase(
  seat: Seat,
  operation: PacketOperation,
  { plan, inCompany }: Case,
): Promise<string[] | 'missed'> {
  const { near, database, books } = seat;
  const proxy = await startPacketProxy(database.url);
  // Without a fault nothing may be sent twice, however busy the machine is.
  const far = startFarNode(near, proxy, plan.length > 0 ? answerTimeoutMs : 10_000);
  try {
    const world = { url: database.url, near, far };
    const attempts = [await prepare(operation, world)];
    if (inCompany) attempts.push(await prepare(settlement, world));
    const subjects: { attempt: Attempt; before: Books }[] = [];
    for (const attempt of attempts)
      subjects.push({ attempt, before: await readBooks(books, attempt.customer.accountId) });
    proxy.arm(plan);
    const told = await Promise.all(subjects.map(({ attempt, before }) => ask(attempt.act(before))));
    const problems: string[] = [];
    const check = async (answers: readonly (Told | string)[], when: string) => {
      for (const [index, { attempt, before }] of subjects.entries()) {
        const problem = await compare(books, attempt, before, answers[index]);
        if (problem) problems.push(`${index === 0 ? '' : 'in company, '}${when}: ${problem}`);
      }
    };
    await check(told, 'at the answer');
    if (plan.length === 0 && print(proxy.commands) !== print(packets)) problems.push(`was sent as ${proxy.commands}`);
    if (plan.length > 0 && proxy.hits === 0 && problems.length === 0) return 'missed';
    await proxy.settle();
    if (problems.length === 0) await check(told, 'later');
    let last = told;
    while (problems.length === 0 && last.some((answer) => typeof answer === 'object' && answer.next)) {
      last = await Promise.all(
        last.map((answer) => (typeof answer === 'object' && answer.next ? ask(answer.next()) : answer)),
      );
      await check(last, 'what came next');
    }
    return problems;
  } finally {
    await far.ledger.close();
    await proxy.close();
  }
}

const settlement = operations.find(({ name }) => name === 'settle') ?? raise('There is no operation of this name.');
const seal = createSeal({ current: 1, byVersion: new Map([[1, createHash('sha256').update('test').digest()]]) });

/** A node whose ledger has its own connection through the proxy; everything else uses the near node's. */
function startFarNode({ db }: Node, proxy: PacketProxy, answerTimeoutMs: number): Node {
  const settings = { answerTimeoutMs, closeMs: 1_000 };
  const ledger = createLedger({ db: { ...db, url: proxy.url }, seal, log: silent, settings });
  return { db, ledger, wallets: createWallets({ db, ledger, payments: sandboxPayments }), close: () => ledger.close() };
}

/** On a busy machine, the far node may time out before any fault: starts over with another customer. */
async function prepare(
  operation: PacketOperation,
  world: Parameters<PacketOperation['prepare']>[0],
  attempts = 10,
): Promise<Attempt> {
  try {
    return await operation.prepare(world);
  } catch (error) {
    if (attempts <= 1) throw error;
    await sleep(200);
    return prepare(operation, world, attempts - 1);
  }
}

/** The answer, or in words why there is none. */
async function ask(work: Promise<Told>): Promise<Told | string> {
  const cancel = new AbortController();
  const late = sleep(patienceMs, `no answer in ${patienceMs} ms`, cancel).catch(() => 'answered');
  try {
    return await Promise.race([work, late]);
  } catch (error) {
    return `rejected with ${error}`;
  } finally {
    cancel.abort();
  }
}

/** How long it may take until what was promised to nobody is taken back. */
const soonMs = 10_000;

/** What is wrong with the stored state after this answer, or undefined. */
async function compare(
  books: Connection,
  { customer }: Attempt,
  before: Books,
  told: Told | string | undefined,
): Promise<string | undefined> {
  if (told === undefined || typeof told === 'string') return told;
  const { answer, stored: allowed, soon = false } = told;
  if (allowed.length === 0) return `answered ${answer}, which is wrong`;
  const until = performance.now() + (soon ? soonMs : 0);
  for (;;) {
    const stored = await readBooks(books, customer.accountId);
    if (allowed.some((change) => print({ ...before, ...change }) === print(stored))) return undefined;
    if (performance.now() >= until)
      return `answered ${answer}, stored ${difference({ ...before, ...allowed[0] }, stored)}`;
    await sleep(50);
  }
}

/** The differences between what is stored and what must be. */
function difference(expected: Books, stored: Books): string {
  const names = Object.keys(expected) as (keyof Books)[];
  return names
    .filter((name) => print(expected[name]) !== print(stored[name]))
    .map((name) => `${name} ${print(stored[name])} instead of ${print(expected[name])}`)
    .join(', ');
}

function raise(message: string): never {
  throw new Error(message);
}
