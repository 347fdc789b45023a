/**
 * How many events are recorded per second, and how long a report takes as the number of events grows.
 *
 *   npm run bench:pulse                                     some minutes
 *   npm run bench:pulse -- --reportsOnly --report 10000000 --rollupsOnly   reports over 10^7 events, some minutes
 *
 * One process here, the database beside it, everything durable; batches of 1,000 events through `recordEvents`, with
 * checks, exactly-once ids, sessions and rollups, each batch held for and charged by the real ledger. Events always have 8
 * properties; each run is made twice in turn, with none and with `--properties` of them declared.
 */
import { parseArgs } from 'node:util';
import { v4, v7 } from 'uuid';
import { systemClock } from '../../src/base/clock.ts';
import { type Result, unwrap } from '../../src/base/failure.ts';
import type { Pulse } from '../../src/pulse/index.ts';
import { startPulse } from '../pulse/support.ts';
import { loadRollups } from './pulse-load.ts';
import { type Bench, type Ingested, ingest, withServer } from './pulse-server.ts';
import { batchesOf, batchSize, dayMs, journeyName, properties, type Traffic } from './pulse-traffic.ts';

const { values: options } = parseArgs({
  options: {
    /** Events of each ingestion run. */
    events: { type: 'string', default: '300000' },
    /** Events covered by the largest report. */
    report: { type: 'string', default: '1000000' },
    /** Declared properties, 0 to 8. */
    properties: { type: 'string', default: '8' },
    /** Only the recording run of this number, from 1. */
    run: { type: 'string' },
    /** How often each recording run is made with and without declared properties. */
    turns: { type: 'string', default: '1' },
    /** Writes the rollups of the largest reports without their events. */
    rollupsOnly: { type: 'boolean', default: false },
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
  --run N           only the recording run of this number, 1 to 5
  --turns N         how often each recording run is made, without and with declared properties (default 1)
  --rollupsOnly     writes the rollups of more than 100,000 events without the events: the same reports, sooner
  --reportsOnly     leaves out the recording runs
  --bufferPoolMb N  the database's buffer pool (default 1024)
  -h, --help        this text`);
  process.exit(0);
}

const declared = properties.slice(0, Number(options.properties));

const traffic: Traffic = { liveSessions: 100, eventId: v7, lateShare: 0.01, spanMs: dayMs };
const runs: [title: string, senders: number, accounts: number, traffic: Traffic][] = [
  ['100 sessions live, UUIDv7, 1 account, 1 sender', 1, 1, traffic],
  ['100 sessions live, UUIDv7, 1 account, 8 senders', 8, 1, traffic],
  ['100 sessions live, UUIDv4, 1 account, 8 senders', 8, 1, { ...traffic, eventId: v4 }],
  ['every event another session, UUIDv7, 8 senders', 8, 1, { ...traffic, liveSessions: 20_000, spanMs: 3_600_000 }],
  ['100 sessions live, UUIDv7, 4 accounts, 8 senders', 8, 4, traffic],
];

async function benchIngestion(bench: Bench): Promise<void> {
  console.log(`Recording ${options.events} events a run in batches of ${batchSize} (aim: 50,000 a second):`);
  for (const [place, [title, senders, accounts, traffic]] of runs.entries()) {
    if (options.run !== undefined && Number(options.run) !== place + 1) continue;
    console.log(`  ${title}`);
    const ratios: number[] = [];
    for (let turn = 0; turn < Number(options.turns); turn++) {
      const names = (kind: string) =>
        Array.from({ length: senders }, (_, i) => `${kind}-${place}-${turn}-${i % accounts}`);
      const without = await record(bench, names('plain'), 0, traffic);
      if (declared.length === 0) continue;
      const having = await record(bench, names('segments'), declared.length, traffic);
      ratios.push(cpuOf(having) / cpuOf(without));
    }
    if (ratios.length > 0)
      console.log(`    processor time with / without: ${ratios.map((ratio) => ratio.toFixed(2)).join(', ')}`);
  }
}

async function record(bench: Bench, senders: string[], count: number, traffic: Traffic): Promise<Ingested> {
  const { db, ledger, databasePid, addAccounts } = bench;
  await addAccounts(senders);
  const pulse = startPulse(db, ledger, { clock: systemClock });
  await declare(pulse, senders, count);
  const result = await ingest(pulse, senders, batchesOf(Number(options.events), traffic), databasePid);
  await pulse.close();
  const perCoreSecond = Math.round(1_000_000 / cpuOf(result));
  console.log(
    `    ${count} declared: ${Math.round(result.perSecond)} events/s, a batch p50 ${result.p50.toFixed(0)} ms, p99 ${result.p99.toFixed(0)} ms; an event takes ${result.ownCpuUs.toFixed(1)} us of processor here and ${result.databaseCpuUs.toFixed(1)} us in the database: ${perCoreSecond} a second and core`,
  );
  return result;
}

function cpuOf({ ownCpuUs, databaseCpuUs }: Ingested): number {
  return ownCpuUs + databaseCpuUs;
}

async function declare(pulse: Pulse, accounts: readonly string[], count: number): Promise<void> {
  const names = declared.slice(0, count).map(([name]) => name);
  for (const account of new Set(accounts)) unwrap(await pulse.declareProperties(account, names));
}

/** The median of 5 runs of each query over the last 29 days. */
async function questionTimes(pulse: Pulse, accountId: string): Promise<string[]> {
  const toMs = Date.now();
  const request = { accountId, journey: journeyName, fromMs: toMs - 29 * dayMs, toMs };
  const segment = { property: 'country', value: 'country-1' };
  const questions: [string, () => Promise<Result<unknown>>][] = [
    ['whole', () => pulse.readReport(request)],
    ['by the day', () => pulse.readReport({ ...request, groupBy: 'day' })],
    ['by the hour', () => pulse.readReport({ ...request, groupBy: 'hour' })],
  ];
  // With fewer properties there is no country.
  if (declared.length >= 3)
    questions.push(
      ['broken down by 24 values', () => pulse.readReport({ ...request, breakDownBy: 'country' })],
      ['one segment', () => pulse.readReport({ ...request, segment })],
      ['one segment by the day', () => pulse.readReport({ ...request, segment, groupBy: 'day' })],
      ['one segment by the hour', () => pulse.readReport({ ...request, segment, groupBy: 'hour' })],
      [
        'two compared',
        () => pulse.compareSegments({ ...request, property: 'country', first: 'country-1', second: 'country-2' }),
      ],
      ['what differs', () => pulse.findDifferences(request)],
    );
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

/** This many events are always recorded in full. */
const recordedMax = 100_000;

async function benchReports({ db, ledger, databasePid, addAccounts }: Bench): Promise<void> {
  console.log('\nReports over the last 29 days of one journey (medians of 5; aim: under 1,000 ms over 10^7 events):');
  const pulse = startPulse(db, ledger, { clock: systemClock });
  const traffic: Traffic = { liveSessions: 300, eventId: v7, lateShare: 0.01, spanMs: 29 * dayMs };
  for (let count = 10_000; count <= Number(options.report); count *= 10) {
    const account = `report-${count}`;
    await addAccounts([account]);
    await declare(pulse, [account], declared.length);
    const recorded = options.rollupsOnly ? Math.min(count, recordedMax) : count;
    const senders = Array.from({ length: 8 }, () => account);
    const { perSecond } = await ingest(pulse, senders, batchesOf(recorded, traffic), databasePid);
    if (count > recorded) await loadRollups(db, account, batchesOf(count - recorded, traffic));
    const toMs = Date.now();
    const asked = { accountId: account, journey: journeyName, fromMs: toMs - 29 * dayMs, toMs };
    const { totals } = unwrap(await pulse.readReport(asked));
    if (totals.sessions < count / 50) throw new Error('the report has too few sessions');
    const how = count > recorded ? 'rollups alone' : `recorded at ${Math.round(perSecond)}/s`;
    const times = await questionTimes(pulse, account);
    console.log(`  ${String(count).padStart(9)} events of ${totals.sessions} sessions (${how}): ${times.join(', ')}`);
  }
  await pulse.close();
}

await withServer(Number(options.bufferPoolMb), async (bench) => {
  if (!options.reportsOnly) await benchIngestion(bench);
  await benchReports(bench);
});
