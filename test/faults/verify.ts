import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { openConnection } from '../../src/db/index.ts';
import { auditLedger, createReaper } from '../../src/wallet/index.ts';
import { type Node, startNode } from '../wallet/support.ts';
import { doTask } from './do-task.ts';
import type { Tally } from './tally.ts';

/** What the database contains in the end. */
export interface Stored {
  charges: number;
  /** Keys that a retry took over from a charge whose hold had expired. */
  takeovers: number;
  superseded: number;
  /** Settled after their hold had expired. */
  late: number;
  /** Settled, although the client had given up after a refusal: a retry is answered with the stored reply. */
  replayable: number;
  problems: string[];
}

interface Charge {
  id: string;
  state: string;
  settled: bigint | null;
  captured: bigint;
  late: bigint;
  /** The task's key; `keyed` says whether it is an idempotency key or only a label. */
  k: string;
  keyed: bigint;
}

const silent = pino({ level: 'silent' });
const states = ['settled', 'released', 'expired', 'superseded'];

/** Ends what killed nodes left open, then compares what is stored with what clients were told, and audits. */
export async function verify(url: string, tally: Tally, ttlMs: number): Promise<Stored> {
  const node = startNode(url);
  const reaper = createReaper({ db: node.db, ledger: node.ledger, log: silent, restAfterOutageMs: 0 });
  await sleep(ttlMs + 500);
  await reaper.runOnce();
  try {
    return await compare(node, url, tally);
  } finally {
    await node.close();
  }
}

async function compare(node: Node, url: string, tally: Tally): Promise<Stored> {
  const { charges, topUps } = await readStored(url);
  const problems = [...findBrokenPromises(charges, tally), ...findLostTopUps(topUps, tally)];
  const byKey = Map.groupBy(charges, ({ k }) => k);
  let takeovers = 0;
  let replayable = 0;
  for (const [key, own] of byKey) {
    const paid = own.filter(isPaid);
    if (paid.length > 1) problems.push(`${key} was charged ${paid.length} times: ${describe(paid)}`);
    takeovers += own.length > 1 ? own.filter(({ state }) => state === 'expired' || state === 'superseded').length : 0;
    for (const charge of paid.length > 1 ? [] : paid) {
      if (tally.delivered.get(key)?.chargeId === charge.id) continue;
      if (charge.keyed) {
        replayable += 1;
        problems.push(...(await findUnanswered(node, charge, tally)));
      } else if (!tally.unknownKeys.has(key))
        problems.push(`${charge.id} of ${key} is paid, and its client was refused`);
    }
  }
  const violations = await auditLedger(node.db);
  problems.push(...violations.map(({ invariant, subject, detail }) => `audit: ${invariant} ${subject} ${detail}`));
  const superseded = charges.filter(({ state }) => state === 'superseded').length;
  const late = charges.filter((charge) => charge.late > 0n).length;
  return { charges: charges.length, takeovers, superseded, late, replayable, problems };
}

/** Everything acknowledged is stored, and nothing is left open or charged for nothing. */
function findBrokenPromises(charges: Charge[], { delivered }: Tally): string[] {
  const problems: string[] = [];
  const stored = new Map(charges.map((charge) => [charge.id, charge]));
  for (const [key, { chargeId, charged }] of delivered) {
    const row = stored.get(chargeId);
    if (row?.state !== 'settled' || row.settled !== charged || row.captured !== charged || row.k !== key)
      problems.push(
        `${key} was delivered for ${charged} of ${chargeId}; stored is ${row?.state} ${row?.settled}, captured ${row?.captured}`,
      );
  }
  for (const { id, state, k, keyed, captured } of charges) {
    if (!states.includes(state)) problems.push(`${id} of ${k} is ${state} in the end`);
    if (captured > 0n && state !== 'settled' && keyed) problems.push(`${id} of ${k} took ${captured} and is ${state}`);
  }
  return problems;
}

/** A client that asks again must get the reply that its key has paid for. */
async function findUnanswered(node: Node, { id, k, captured }: Charge, tally: Tally): Promise<string[]> {
  const task = tally.refusedTasks.get(k);
  if (!task) return [`${id} of ${k} is paid, and its client was told of another end`];
  const answer = await doTask(node, { ...task, workMs: 0 });
  const same = answer.kind === 'delivered' && answer.replayed && answer.chargeId === id;
  if (same && answer.charged === String(captured) && answer.due === answer.charged) return [];
  return [`${id} of ${k} is paid with ${captured}, and a retry is answered ${JSON.stringify(answer)}`];
}

function findLostTopUps(stored: Map<string, { state: string; credits: bigint }>, { topUps }: Tally): string[] {
  const problems: string[] = [];
  for (const [key, topUpId] of topUps) {
    const row = stored.get(topUpId);
    if (row?.state !== 'paid' || row.credits !== 1n)
      problems.push(`${key} was told of ${topUpId}; stored is ${row?.state}, credited ${row?.credits} times`);
  }
  return problems;
}

function describe(charges: Charge[]): string {
  return charges.map(({ id, state, captured }) => `${id} ${state} ${captured}`).join(', ');
}

function isPaid({ state, captured }: Charge): boolean {
  return state === 'settled' || captured > 0n;
}

async function readStored(url: string) {
  const connection = await openConnection(url);
  try {
    const [charges] = await connection.query(
      `SELECT c.id, c.state, c.settled, COALESCE(p.captured, 0) AS captured, COALESCE(p.late, 0) AS late,
         COALESCE(c.idempotency_key, m.value) AS k, c.idempotency_key IS NOT NULL AS keyed
       FROM charge c
       LEFT JOIN (SELECT source_id, CAST(SUM(amount) AS SIGNED) AS captured, CAST(SUM(step = 'late') AS SIGNED) AS late
         FROM posting WHERE source_type = 'charge' GROUP BY source_id) p ON p.source_id = c.id
       LEFT JOIN charge_metadata m ON m.wallet_id = c.wallet_id AND m.charge_id = c.id AND m.name = 'task'`,
    );
    const [topUps] = await connection.query(
      `SELECT t.id, t.state, COUNT(p.seq) AS credits
       FROM top_up t LEFT JOIN posting p ON p.source_type = 'top_up' AND p.source_id = t.id GROUP BY t.id, t.state`,
    );
    const rows = topUps as { id: string; state: string; credits: bigint }[];
    return { charges: charges as Charge[], topUps: new Map(rows.map((row) => [row.id, row])) };
  } finally {
    await connection.end();
  }
}
