/**
 * A customer who does nothing unusual: one chat after the other, at a steady pace, over connections opened earlier. Latencies are counted from
 * when a request was due, so that a stalled service is not sent fewer.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { goodAgent } from './watch.ts';

export interface GoodCallerReport {
  latenciesMs: number[];
  /** Answers other than 200, by status or by error. */
  failures: Record<string, number>;
}

export type GoodCallerOrder =
  | { kind: 'connect'; url: string; apiKey: string }
  | { kind: 'begin' }
  /** Waits for open requests, then reports everything since `begin`. */
  | { kind: 'report' };

const everyMs = 10;
const connections = 32;
const patienceMs = 20_000;
const body = JSON.stringify({
  model: 'steady',
  messages: [{ role: 'user', content: 'Which plan fits a small shop?' }],
  maxOutputTokens: 100,
});

let pool: Pool | undefined;
let headers: Record<string, string> = {};
let latenciesMs: number[] = [];
let failures: Record<string, number> = {};
let isOn = false;
let paced: Promise<void> = Promise.resolve();

process.on('disconnect', () => process.exit(0));
process.on('message', async (order: GoodCallerOrder) => {
  process.send?.(await obey(order));
});
process.send?.('ready');

async function obey(order: GoodCallerOrder): Promise<GoodCallerReport | 'done'> {
  switch (order.kind) {
    case 'connect':
      await pool?.destroy();
      pool = new Pool(order.url, { connections, keepAliveTimeout: 60_000, headersTimeout: patienceMs });
      headers = {
        'content-type': 'application/json',
        'user-agent': goodAgent,
        authorization: `Bearer ${order.apiKey}`,
      };
      await Promise.all(Array.from({ length: connections }, () => ask(performance.now())));
      return 'done';
    case 'begin':
      latenciesMs = [];
      failures = {};
      isOn = true;
      paced = pace();
      return 'done';
    case 'report':
      isOn = false;
      await paced;
      return { latenciesMs, failures };
  }
}

async function pace(): Promise<void> {
  const asked: Promise<void>[] = [];
  for (let due = performance.now(); isOn; due += everyMs) {
    await sleep(Math.max(0, due - performance.now()));
    asked.push(ask(due));
  }
  await Promise.all(asked);
}

async function ask(due: number): Promise<void> {
  let outcome: string;
  try {
    const reply = await pool?.request({ path: '/api/v1/assistant/chat', method: 'POST', body, headers });
    await reply?.body.text();
    outcome = String(reply?.statusCode);
  } catch (error) {
    outcome = String((error as { code?: string }).code ?? error);
  }
  latenciesMs.push(performance.now() - due);
  if (outcome !== '200') failures[outcome] = (failures[outcome] ?? 0) + 1;
}
