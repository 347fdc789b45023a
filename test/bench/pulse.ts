/**
 * How many events a second are recorded, and how long a report takes as events grow.
 *
 *   npm run bench:pulse                       about a minute
 *   npm run bench:pulse -- --report 10000000  with a report over 10^7 events, some minutes more
 *
 * One process here, the database beside it, everything durable; batches of 1,000 events through `recordEvents`, with
 * checks, exactly-once ids, sessions and rollups, each batch held for and charged by the real ledger.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { v4, v7 } from 'uuid';
import type { Caller } from '../../src/base/caller.ts';
import { systemClock } from '../../src/base/clock.ts';
import { type Result, unwrap } from '../../src/base/failure.ts';
import { createSeal } from '../../src/base/seal.ts';
import { connectDatabase, type Database, migrate, openConnection, startPrivateServer } from '../../src/db/index.ts';
import type { IncomingEvent, Pulse } from '../../src/pulse/index.ts';
import { createLedger, createWallets, type Ledger, sandboxPayments } from '../../src/wallet/index.ts';
import { callerOf, silent, startPulse } from '../pulse/support.ts';

const { values: options } = parseArgs({
  options: {
    /** Events of each ingestion run. */
    events: { type: 'string', default: '300000' },
    /** Events that the largest report looks over. */
    report: { type: 'string', default: '1000000' },
    /** Declared properties, 0 to 8. */
    properties: { type: 'string', default: '8' },
    /** Leaves out the recording runs. */
    reportsOnly: { type: 'boolean', default: false },
    bufferPoolMb: { type: 'string', default: '1024' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (options.help) {
  console.log(`bench:pulse: recording events and reading reports, with the real ledger and a database of its own.

Options:
  --events N        events of each recording run (default 300000)
  --report N        events that the largest report looks over (default 1000000)
  --properties N    declared properties, 0 to 8, of 3 to 24 values (default 8)
  --reportsOnly     leaves out the recording runs
  --bufferPoolMb N  the database's buffer pool (default 1024)
  -h, --help        this text`);
  process.exit(0);
}

const batchSize = 1_000;
const steps = ['details', 'photos', 'price', 'terms', 'payment', 'review', 'confirm'];
const dayMs = 86_400_000;

interface Traffic {
  /** Sessions that are under way at one time; a batch holds events of up to that many. */
  liveSessions: number;
  eventId: () => string;
  /** Share of events that are sent a batch later than their neighbours. */
  lateShare: number;
  /** Over how long the events happened, until now. */
  spanMs: number;
}

/** Names and how many values each has; a session keeps its values. */
const properties = Object.entries({
  platform: 3,
  version: 12,
  country: 24,
  experiment: 2,
  browser: 6,
  plan: 4,
  channel: 8,
  device: 10,
});
const declared = properties.slice(0, Number(options.properties));

function propertiesOf(random: () => number): Record<string, string> {
  return Object.fromEntries(properties.map(([name, values]) => [name, `${name}-${Math.floor(random() * values)}`]));
}

/** Events of random sessions in the order of time, but for the late ones. */
function* batchesOf(count: number, traffic: Traffic): Generator<IncomingEvent[]> {
  const random = seededRandom(7);
  const began = Date.now() - traffic.spanMs;
  const tick = traffic.spanMs / count;
  const live: { id: string; place: number; properties: Record<string, string> }[] = [];
  let sessions = 0;
  let late: IncomingEvent[] = [];
  let batch: IncomingEvent[] = [];
  for (let i = 0; i < count; i++) {
    const slot = Math.floor(random() * traffic.liveSessions);
    let session = live[slot];
    if (!session || session.place >= steps.length * 2 || random() < 0.03) {
      session = { id: `session-${sessions++}`, place: 0, properties: propertiesOf(random) };
      live[slot] = session;
    }
    const failed = random() < 0.04;
    const next: IncomingEvent = {
      id: traffic.eventId(),
      journey: 'listing-publish',
      step: steps[session.place >> 1] ?? 'confirm',
      kind: failed ? 'error' : session.place % 2 === 0 ? 'entered' : 'completed',
      sessionId: session.id,
      userId: `user-${slot}`,
      occurredAt: new Date(began + i * tick).toISOString(),
      ...(failed ? { error: { code: `E${Math.floor(random() * 20)}`, message: 'It did not work.' } } : {}),
      properties: { ...session.properties, attempt: session.place },
    };
    if (!failed) session.place++;
    if (random() < traffic.lateShare) late.push(next);
    else batch.push(next);
    if (batch.length + late.length >= batchSize) {
      yield batch;
      batch = late;
      late = [];
    }
  }
  yield [...batch, ...late];
}

interface Ingested {
  perSecond: number;
  p50: number;
  p99: number;
  /** Microseconds of processor time an event, in this process and in the database's: unlike the rate, no neighbour slows it. */
  ownCpuUs: number;
  databaseCpuUs: number;
}

async function ingest(
  pulse: Pulse,
  accounts: string[],
  batches: Iterable<IncomingEvent[]>,
  databasePid: number | undefined,
): Promise<Ingested> {
  const times: number[] = [];
  let events = 0;
  const source = batches[Symbol.iterator]();
  const cpu = process.cpuUsage();
  const databaseCpu = cpuSecondsOf(databasePid);
  let making = 0;
  let makingCpuUs = 0;
  const began = performance.now();
  const sender = async (account: string) => {
    for (;;) {
      const madeAt = performance.now();
      const madeCpu = process.cpuUsage();
      const { value: batch, done } = source.next();
      making += performance.now() - madeAt;
      const madeWith = process.cpuUsage(madeCpu);
      makingCpuUs += madeWith.user + madeWith.system;
      if (done) return;
      if (batch.length === 0) continue;
      const sentAt = performance.now();
      const answer = unwrap(await pulse.recordEvents(payerOf(account), batch));
      if (answer.accepted !== batch.length) throw new Error(`stored ${answer.accepted} of ${batch.length}`);
      times.push(performance.now() - sentAt);
      events += batch.length;
    }
  };
  await Promise.all(accounts.map(sender));
  // Making events is the senders' work, in the same thread here: it is taken off the clock.
  const elapsed = performance.now() - began - making;
  const own = process.cpuUsage(cpu);
  times.sort((a, b) => a - b);
  return {
    perSecond: events / (elapsed / 1_000),
    p50: times[Math.floor(times.length / 2)] ?? 0,
    p99: times[Math.floor(times.length * 0.99)] ?? 0,
    ownCpuUs: (own.user + own.system - makingCpuUs) / events,
    databaseCpuUs: ((cpuSecondsOf(databasePid) - databaseCpu) * 1_000_000) / events,
  };
}

/** Processor time of another process so far; not a number where there is no /proc. */
function cpuSecondsOf(pid: number | undefined): number {
  try {
    // Fields 14 and 15, in hundredths of a second, counted from behind the name, which may hold blanks.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return Number.NaN;
  }
}

function payerOf(account: string): Caller {
  return { ...callerOf(account), key: { id: `key_${account}`, version: 1 } };
}

/** mulberry32: a small generator whose sequence is the same on every machine. */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Bench {
  db: Database;
  ledger: Ledger;
  databasePid: number | undefined;
  /** Adds accounts that can pay. */
  addAccounts(names: readonly string[]): Promise<void>;
}

async function withServer(work: (bench: Bench) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-pulse-'));
  const server = await startPrivateServer({ folder, log: silent });
  try {
    await migrate({ url: server.url, log: silent });
    const root = await openConnection(server.url);
    await root.query(`SET GLOBAL innodb_buffer_pool_size = ${Number(options.bufferPoolMb) * 1_048_576}`);
    await root.end();
    const db = connectDatabase({ url: server.url, log: silent });
    console.log(`${server.program.kind}, buffer pool ${options.bufferPoolMb} MiB, ${cpus().length} cores shared\n`);
    const ledger = createLedger({
      db,
      log: silent,
      seal: createSeal({ current: 1, byVersion: new Map([[1, randomBytes(32)]]) }),
    });
    const wallets = createWallets({ db, ledger, payments: sandboxPayments });
    const addAccounts = async (names: readonly string[]) => {
      const states = await openConnection(server.url);
      for (const name of new Set(names)) {
        await states.query('INSERT INTO credential_state (id, account_id, state, least_version) VALUES (?, ?, ?, 1)', [
          `key_${name}`,
          name,
          'active',
        ]);
        await wallets.create(name, 'api');
        unwrap(await wallets.topUps.create({ accountId: name, kind: 'api', amount: 1_000_000_000_000n }));
      }
      await states.end();
    };
    await work({ db, ledger, databasePid: server.pid(), addAccounts });
    await ledger.close();
    await db.close();
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function benchIngestion({ db, ledger, databasePid, addAccounts }: Bench): Promise<void> {
  const count = Number(options.events);
  const runs: [title: string, senders: string[], traffic: Traffic][] = [
    [
      '100 sessions live, UUIDv7, 1 account, 1 sender',
      ['a'],
      { liveSessions: 100, eventId: v7, lateShare: 0.01, spanMs: dayMs },
    ],
    [
      '100 sessions live, UUIDv7, 1 account, 8 senders',
      repeat('b', 8),
      { liveSessions: 100, eventId: v7, lateShare: 0.01, spanMs: dayMs },
    ],
    [
      '100 sessions live, UUIDv4, 1 account, 8 senders',
      repeat('c', 8),
      { liveSessions: 100, eventId: v4, lateShare: 0.01, spanMs: dayMs },
    ],
    [
      'every event another session, UUIDv7, 8 senders',
      repeat('d', 8),
      { liveSessions: 20_000, eventId: v7, lateShare: 0.01, spanMs: 3_600_000 },
    ],
    [
      '100 sessions live, UUIDv7, 4 accounts, 8 senders',
      ['e', 'f', 'g', 'h', 'e', 'f', 'g', 'h'],
      { liveSessions: 100, eventId: v7, lateShare: 0.01, spanMs: dayMs },
    ],
  ];
  console.log(
    `Recording ${count} events a run in batches of ${batchSize}, ${declared.length} properties declared (aim: 50,000 a second):`,
  );
  for (const [title, senders, traffic] of runs) {
    await addAccounts(senders);
    const pulse = startPulse(db, ledger, { clock: systemClock });
    await declareAll(pulse, senders);
    const result = await ingest(pulse, senders, batchesOf(count, traffic), databasePid);
    await pulse.close();
    const perCoreSecond = 1_000_000 / (result.ownCpuUs + result.databaseCpuUs);
    console.log(
      `  ${title.padEnd(50)} ${String(Math.round(result.perSecond)).padStart(7)} events/s, a batch p50 ${result.p50.toFixed(0)} ms, p99 ${result.p99.toFixed(0)} ms; an event takes ${result.ownCpuUs.toFixed(1)} us of processor here and ${result.databaseCpuUs.toFixed(1)} us in the database: ${Math.round(perCoreSecond)} a second and core`,
    );
  }
}

async function declareAll(pulse: Pulse, accounts: readonly string[]): Promise<void> {
  const names = declared.map(([name]) => name);
  for (const account of new Set(accounts)) unwrap(await pulse.declareProperties(account, names));
}

/** The medians of 5 of the questions about segments. */
async function segmentTimes(pulse: Pulse, accountId: string): Promise<string[]> {
  const toMs = Date.now();
  const request = { accountId, journey: 'listing-publish', fromMs: toMs - 29 * dayMs, toMs };
  const segment = { property: 'country', value: 'country-1' };
  const questions: [string, () => Promise<Result<unknown>>][] = [
    ['broken down by 24 values', () => pulse.readReport({ ...request, breakDownBy: 'country' })],
    ['one segment', () => pulse.readReport({ ...request, segment })],
    ['one segment by the day', () => pulse.readReport({ ...request, segment, groupBy: 'day' })],
    ['one segment by the hour', () => pulse.readReport({ ...request, segment, groupBy: 'hour' })],
    [
      'two compared',
      () => pulse.compareSegments({ ...request, property: 'country', first: 'country-1', second: 'country-2' }),
    ],
    ['what differs', () => pulse.findDifferences(request)],
  ];
  const times: string[] = [];
  for (const [title, ask] of questions) {
    const runs: number[] = [];
    for (let i = 0; i < 5; i++) {
      const began = performance.now();
      unwrap(await ask());
      runs.push(performance.now() - began);
    }
    times.push(`${title} ${runs.sort((a, b) => a - b)[2]?.toFixed(0)} ms`);
  }
  return times;
}

async function benchReports({ db, ledger, databasePid, addAccounts }: Bench): Promise<void> {
  console.log(
    '\nReports over the last 29 days of one journey (cold names, 5 runs each; aim: under 1,000 ms over 10^7 events):',
  );
  const pulse = startPulse(db, ledger, { clock: systemClock });
  for (let count = 10_000; count <= Number(options.report); count *= 10) {
    const account = `report-${count}`;
    await addAccounts([account]);
    await declareAll(pulse, [account]);
    const result = await ingest(
      pulse,
      repeat(account, 8),
      batchesOf(count, { liveSessions: 300, eventId: v7, lateShare: 0.01, spanMs: 29 * dayMs }),
      databasePid,
    );
    const times: string[] = [];
    for (const groupBy of [undefined, 'day', 'hour'] as const) {
      const runs: number[] = [];
      for (let run = 0; run < 5; run++) {
        const began = performance.now();
        const toMs = Date.now();
        const request = { accountId: account, journey: 'listing-publish', fromMs: toMs - 29 * dayMs, toMs };
        const report = unwrap(await pulse.readReport({ ...request, ...(groupBy ? { groupBy } : {}) }));
        runs.push(performance.now() - began);
        if (report.totals.sessions === 0) throw new Error('the report is empty');
      }
      times.push(`${groupBy ?? 'whole'} ${runs.sort((a, b) => a - b)[2]?.toFixed(0)} ms`);
    }
    // Fewer properties than that have no country.
    if (declared.length >= 3) times.push(...(await segmentTimes(pulse, account)));
    console.log(
      `  ${String(count).padStart(9)} events (recorded at ${Math.round(result.perSecond)}/s): median ${times.join(', ')}`,
    );
  }
  await pulse.close();
}

function repeat(account: string, times: number): string[] {
  return Array.from({ length: times }, () => account);
}

await withServer(async (bench) => {
  if (!options.reportsOnly) await benchIngestion(bench);
  await benchReports(bench);
});
