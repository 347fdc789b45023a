/** Its own database with the real ledger, and the cost of recording events in it. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Caller } from '../../src/base/caller.ts';
import { unwrap } from '../../src/base/failure.ts';
import { createSeal } from '../../src/base/seal.ts';
import { connectDatabase, type Database, migrate, openConnection, startPrivateServer } from '../../src/db/index.ts';
import type { IncomingEvent, Pulse } from '../../src/pulse/index.ts';
import { createLedger, createWallets, type Ledger, sandboxPayments } from '../../src/wallet/index.ts';
import { callerOf, silent } from '../pulse/support.ts';

export interface Bench {
  db: Database;
  ledger: Ledger;
  databasePid: number | undefined;
  /** Adds accounts that can pay. */
  addAccounts(names: readonly string[]): Promise<void>;
}

export async function withServer(bufferPoolMb: number, work: (bench: Bench) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-pulse-'));
  const server = await startPrivateServer({ folder, log: silent });
  try {
    await migrate({ url: server.url, log: silent });
    const root = await openConnection(server.url);
    await root.query(`SET GLOBAL innodb_buffer_pool_size = ${bufferPoolMb * 1_048_576}`);
    await root.end();
    const db = connectDatabase({ url: server.url, log: silent });
    console.log(`${server.program.kind}, buffer pool ${bufferPoolMb} MiB, ${cpus().length} cores shared\n`);
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

export interface Ingested {
  perSecond: number;
  p50: number;
  p99: number;
  /** Microseconds of processor time per event, in this process and in the database's: unlike the rate, it does not depend on neighbours. */
  ownCpuUs: number;
  databaseCpuUs: number;
}

export async function ingest(
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
  // Generating events is the senders' work, but in the same thread here: it is subtracted.
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

/** Processor time of another process so far; NaN if there is no /proc. */
function cpuSecondsOf(pid: number | undefined): number {
  try {
    // Fields 14 and 15, in hundredths of a second, counted from after the name, which may contain spaces.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return Number.NaN;
  }
}

function payerOf(account: string): Caller {
  return { ...callerOf(account), key: { id: `key_${account}`, version: 1 } };
}
