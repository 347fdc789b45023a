import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { formatUsd, parseUsd } from '../../../src/base/money.ts';
import { chatInvariants } from '../../../src/chat/index.ts';
import { auditLedger, createReaper, createUsageCatchUp } from '../../../src/wallet/index.ts';
import { workflowInvariants } from '../../../src/workflows/index.ts';
import { query, run, startNode } from '../../wallet/support.ts';
import type { Lane } from './lanes.ts';
import type { LaneCustomer } from './run.ts';

/** A reply that a client received. */
export interface Delivery {
  lane: Lane;
  chargeId: string;
  chargedUsd: string;
}

export interface LaneStored {
  charges: number;
  /** Charges whose key another charge paid for. */
  takenOver: number;
  problems: string[];
}

interface Heard {
  customers: readonly LaneCustomer[];
  delivered: ReadonlyMap<string, Delivery>;
  /** The URL of a live node. */
  nodeUrl: string;
}

/** Ends what killed nodes left open, then compares what is stored with what clients received and with usage, and audits. */
export async function verifyLanes(url: string, heard: Heard): Promise<LaneStored> {
  const log = pino({ level: 'silent' });
  const node = startNode(url);
  const reaper = createReaper({ db: node.db, ledger: node.ledger, log, restAfterOutageMs: 0 });
  const sums = createUsageCatchUp({ db: node.db, log });
  try {
    await run(url, "UPDATE charge SET expires_at_us = 1 WHERE state = 'held'");
    await sleep(500);
    await reaper.runOnce();
    await sums.runOnce();
    const stored = await compare(url, heard);
    const violations = await auditLedger(node.db, { more: [...chatInvariants, ...workflowInvariants] });
    const audit = violations.map(({ invariant, subject, detail }) => `audit: ${invariant} ${subject} ${detail}`);
    return { ...stored, problems: [...stored.problems, ...(await compareUsage(url, heard)), ...audit] };
  } finally {
    await sums.close();
    await reaper.close();
    await node.close();
  }
}

async function compare(url: string, { delivered }: Heard): Promise<LaneStored> {
  const problems: string[] = [];
  const charges = (await query(
    url,
    `SELECT c.id, c.state, c.idempotency_key AS k, CAST(COALESCE(SUM(p.amount), 0) AS CHAR) AS captured
     FROM charge c LEFT JOIN posting p ON p.source_type = 'charge' AND p.source_id = c.id
     GROUP BY c.id, c.state, c.idempotency_key`,
  )) as { id: string; state: string; k: string; captured: string }[];
  let takenOver = 0;
  for (const [key, own] of Map.groupBy(charges, ({ k }) => k)) {
    const paid = own.filter(({ state, captured }) => state === 'settled' || BigInt(captured) !== 0n);
    takenOver += own.length - 1;
    const had = delivered.get(key);
    if (paid.length > 1) problems.push(`${key} was charged ${paid.length} times`);
    if (paid.length > 0 && !had) problems.push(`${key} is paid, and its client had no reply`);
    if (own.some(({ state }) => state === 'held')) problems.push(`${key} is held in the end`);
  }
  const byId = new Map(charges.map((charge) => [charge.id, charge]));
  for (const [key, { chargeId, chargedUsd }] of delivered) {
    const charge = byId.get(chargeId);
    const captured = formatUsd(BigInt(charge?.captured ?? 0));
    if (charge?.state !== 'settled' || charge.k !== key || captured !== chargedUsd)
      problems.push(`${key} was delivered for ${chargedUsd}; stored is ${charge?.state} ${captured} of ${charge?.k}`);
  }
  return { charges: charges.length, takenOver, problems };
}

/** The usage reported to an account's owner equals what was charged, and what left the wallet. */
async function compareUsage(url: string, { customers, nodeUrl }: Heard): Promise<string[]> {
  const problems: string[] = [];
  for (const { accountId, managementKey } of customers) {
    // biome-ignore lint/suspicious/noExplicitAny: a parsed JSON body
    const ask = async (path: string): Promise<any> => {
      const reply = await fetch(`${nodeUrl}${path}`, { headers: { authorization: `Bearer ${managementKey}` } });
      return reply.json();
    };
    const { rows = [] } = await ask('/v1/usage?groupBy=operation');
    const told = rows as { charges: string; costUsd: string }[];
    const used = told.reduce((sum, { costUsd }) => sum + usdOf(costUsd), 0n);
    const count = told.reduce((sum, { charges }) => sum + Number(charges), 0);
    const [stored] = await query(
      url,
      `SELECT COUNT(*) AS count, CAST(COALESCE(SUM(c.settled), 0) AS CHAR) AS cost FROM charge c
       JOIN wallet w ON w.id = c.wallet_id WHERE w.account_id = '${accountId}' AND c.state = 'settled'`,
    );
    const { wallet } = await ask('/v1/wallet');
    const spent = usdOf('100') - usdOf(wallet.balanceUsd);
    if (used !== BigInt(String(stored?.cost)) || used !== spent || count !== Number(stored?.count))
      problems.push(
        `usage of ${accountId}: ${count} charges for ${used}; stored are ${stored?.count} for ${stored?.cost}, and ${spent} went`,
      );
  }
  return problems;
}

function usdOf(text: string): bigint {
  const parsed = parseUsd(text);
  if (typeof parsed === 'bigint') return parsed;
  throw new Error(`${text} is no amount`);
}
