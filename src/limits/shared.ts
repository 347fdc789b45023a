import { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { type Result, succeed } from '../base/failure.ts';
import { newId } from '../base/ids.ts';
import { remaining, resetMs, windowMs } from './bucket.ts';
import { limitsInForce } from './in-force.ts';
import { itemBurst, type LocalLimits, limited } from './local.ts';
import type { Owner } from './owners.ts';
import { admitScript, itemScript, presenceScript, renewScript, tokensScript, usageScript } from './scripts.ts';
import type { Admission, LimitInForce, LimitState, TokenReservation } from './types.ts';

/**
 * Limits that several nodes share through one Valkey or Redis. Each answer takes a round trip. Rejects if the server does not
 * answer in time; the caller then counts on this node alone.
 */
export interface SharedLimits {
  /** Whether it makes sense to ask now. */
  ready(): boolean;
  /** How many nodes split the limits while the server is unavailable. */
  nodes(): number;
  admit(owners: readonly Owner[], kind: 'unary' | 'stream'): Promise<Result<Admission>>;
  admitStream(owners: readonly Owner[]): Promise<Result<() => void>>;
  admitItem(owners: readonly Owner[]): Promise<Result<void>>;
  reserveTokens(owners: readonly Owner[], tokens: number): Promise<Result<TokenReservation>>;
  /** The usage of each owner's limits across all nodes. Counts nothing. */
  inForce(owners: readonly Owner[]): Promise<LimitInForce[]>;
  close(): Promise<void>;
}

export interface SharedLimitsOptions {
  redisUrl: string;
  /** The configured number of nodes; more are counted if they appear. */
  nodes: number;
  log: Logger;
  /** Gets what the shared limits admit through this node, so that its own count is accurate when it is alone. */
  local: LocalLimits;
  commandTimeoutMs?: number | undefined;
}

type Script = (keys: string[], args: (string | number)[]) => Promise<unknown>;

/** A dead node's slots are released after this long. */
const leaseMs = 60_000;
const renewEveryMs = 20_000;
const presenceEveryMs = 2_000;
const nodeSilentMs = 10_000;
/** After a failed command, this node counts alone for a while, instead of letting each request wait for the timeout. */
const restMs = 500;
const quotas = ['requests', 'tokens', 'concurrent-requests', 'concurrent-streams'] as const;

/** What `admitScript` is asked for. */
const [asUnary, asStream, onlyStream] = [0, 1, 2];

interface Lease {
  id: string;
  keys: readonly string[];
}

export function createSharedLimits(options: SharedLimitsOptions): SharedLimits {
  const { redisUrl, log, local, commandTimeoutMs = 250 } = options;
  const redis = new Redis(redisUrl, {
    commandTimeout: commandTimeoutMs,
    connectTimeout: 1_000,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (times) => Math.min(times * 100, 1_000),
  });
  const nodeId = newId('nod');
  const leases = new Map<string, Lease>();
  let nodesSeen = options.nodes;
  let restUntil = 0;
  let leaseCount = 0;
  let isAway = false;

  redis.on('error', (error) => {
    if (!isAway) log.warn({ err: error }, 'the shared limits are away: this node enforces its part of them alone');
    isAway = true;
  });
  redis.on('ready', () => {
    if (isAway) log.info('the shared limits are back');
    isAway = false;
    void announce();
  });

  const admitCommand = script('admitUse', admitScript);
  const itemCommand = script('admitItem', itemScript);
  const tokensCommand = script('countTokens', tokensScript);
  const usageCommand = script('readUsage', usageScript);
  const renewCommand = script('renewLeases', renewScript);
  const presenceCommand = script('announceNode', presenceScript);

  /** Runs a script by its digest; the first time, and after a server restart, by its source. */
  function script(name: string, lua: string): Script {
    redis.defineCommand(name, { lua });
    const commands = redis as unknown as Record<string, (...args: (string | number)[]) => Promise<unknown>>;
    return async (keys, args) => {
      try {
        return await commands[name]?.(keys.length, ...keys, ...args);
      } catch (error) {
        restUntil = performance.now() + restMs;
        throw error;
      }
    };
  }

  async function admit(owners: readonly Owner[], kind: 'unary' | 'stream'): Promise<Result<Admission>> {
    const { answer, keys, id } = await ask(owners, kind === 'stream' ? asStream : asUnary);
    if (answer[0] !== 1) return refusal(answer, owners);
    const lease = { id, keys: keys.filter((_key, index) => index % 3 === 1 || (index % 3 === 2 && kind === 'stream')) };
    leases.set(id, lease);
    return succeed(admissionOf(owners, answer, local.note(owners, kind), () => giveBack(lease)));
  }

  async function admitStream(owners: readonly Owner[]): Promise<Result<() => void>> {
    const { answer, keys, id } = await ask(owners, onlyStream);
    if (answer[0] !== 1) return refusal(answer, owners);
    const lease = { id, keys: keys.filter((_key, index) => index % 3 === 2) };
    leases.set(id, lease);
    const leaveHere = local.noteStream(owners);
    return succeed(() => {
      if (!leases.has(id)) return;
      leaveHere();
      giveBack(lease);
    });
  }

  async function admitItem(owners: readonly Owner[]): Promise<Result<void>> {
    const rates = owners.flatMap(({ limits: { requests, tokens } }) => [
      requests.perMinute,
      itemBurst(requests.burst),
      tokens.perMinute,
    ]);
    const answer = numbersOf(await itemCommand(owners.map(usageKey), rates));
    if (answer[0] !== 1) return refusal(answer, owners);
    local.noteItem(owners);
    return succeed(undefined);
  }

  async function ask(owners: readonly Owner[], as: number) {
    leaseCount += 1;
    const id = `${nodeId}:${leaseCount}`;
    const keys: string[] = [];
    const args: (string | number)[] = [id, leaseMs, as];
    for (const owner of owners) {
      const { requests, tokens, concurrent, streams } = owner.limits;
      keys.push(...keysOf(owner));
      args.push(requests.perMinute, requests.burst, tokens.perMinute, tokens.burst, concurrent, streams);
    }
    return { answer: numbersOf(await admitCommand(keys, args)), keys, id };
  }

  async function reserveTokens(owners: readonly Owner[], tokens: number): Promise<Result<TokenReservation>> {
    const keys = owners.map(usageKey);
    const rates = owners.flatMap(({ limits }) => [
      limits.requests.perMinute,
      limits.tokens.perMinute,
      limits.tokens.burst,
    ]);
    const answer = numbersOf(await tokensCommand(keys, [tokens, 1, ...rates]));
    if (answer[0] !== 1) return refusal(answer, owners);
    local.noteTokens(owners, tokens, 1);
    let settled = false;
    return succeed({
      settle(used) {
        if (settled) return;
        settled = true;
        local.noteTokens(owners, used - tokens, 1);
        tokensCommand(keys, [used - tokens, 0, ...rates]).catch(() => {});
      },
    });
  }

  async function inForce(owners: readonly Owner[]): Promise<LimitInForce[]> {
    const rates = owners.flatMap(({ limits }) => [limits.requests.perMinute, limits.tokens.perMinute]);
    const answer = numbersOf(await usageCommand(owners.flatMap(keysOf), rates));
    return owners.flatMap(({ level, limits }, index) => {
      const [requests = 0, tokens = 0, concurrent = 0, streams = 0] = answer.slice(index * 4, index * 4 + 4);
      return limitsInForce(level, limits, { requests, tokens, concurrent, streams });
    });
  }

  function giveBack({ id, keys }: Lease): void {
    leases.delete(id);
    if (redis.status !== 'ready') return;
    // What can't be given back now is released when its lease ends.
    for (const key of keys) redis.zrem(key, id).catch(() => {});
  }

  async function renew(): Promise<void> {
    const byKeys = new Map<string, Lease[]>();
    for (const lease of leases.values()) {
      const name = lease.keys.join(' ');
      const same = byKeys.get(name);
      if (same) same.push(lease);
      else byKeys.set(name, [lease]);
    }
    for (const same of byKeys.values())
      await renewCommand([...(same[0]?.keys ?? [])], [leaseMs, ...same.map(({ id }) => id)]);
  }

  async function announce(): Promise<void> {
    try {
      const seen = Number(await presenceCommand(['limit:nodes'], [nodeId, nodeSilentMs]));
      nodesSeen = Math.max(options.nodes, seen);
    } catch {
      // Already logged when the connection was lost; the last known count still applies.
    }
  }

  const timers = [
    setInterval(() => void announce(), presenceEveryMs),
    setInterval(() => void renew().catch(() => {}), renewEveryMs),
  ];
  for (const timer of timers) timer.unref();

  return {
    ready: () => redis.status === 'ready' && performance.now() >= restUntil,
    nodes: () => nodesSeen,
    admit,
    admitStream,
    admitItem,
    reserveTokens,
    inForce,
    async close() {
      for (const timer of timers) clearInterval(timer);
      if (redis.status === 'ready') await redis.zrem('limit:nodes', nodeId).catch(() => {});
      redis.disconnect();
    },
  };
}

/** The keys stored for an owner: its usage, places and streams. */
function keysOf(owner: Owner): string[] {
  return [usageKey(owner), `limit:places:${owner.id}`, `limit:streams:${owner.id}`];
}

function usageKey(owner: Owner): string {
  return `limit:usage:${owner.id}`;
}

function numbersOf(answer: unknown): number[] {
  if (!Array.isArray(answer)) throw new Error('the shared limits gave no answer');
  return answer.map(Number);
}

function refusal(answer: readonly number[], owners: readonly Owner[]) {
  const [, index = 1, reason = 1, retryAfterMs = 1_000, drops] = answer;
  const owner = owners[index - 1];
  const name = quotas[reason - 1];
  if (!owner || !name) throw new Error('the shared limits refused for a limit that was not asked for');
  return limited(name, owner, owner.limits, { retryAfterMs, ...(drops !== undefined && { bucket: { drops, at: 0 } }) });
}

function admissionOf(
  owners: readonly Owner[],
  answer: readonly number[],
  here: Admission,
  giveBack: () => void,
): Admission {
  let requests: LimitState | undefined;
  let tokens: LimitState | undefined;
  for (const [index, { limits }] of owners.entries()) {
    requests = stricter(requests, limits.requests, answer[index * 2 + 1] ?? 0);
    tokens = stricter(tokens, limits.tokens, answer[index * 2 + 2] ?? 0);
  }
  let released = false;
  return {
    requests,
    tokens,
    release() {
      if (released) return;
      released = true;
      here.release();
      giveBack();
    },
  };
}

function stricter(
  known: LimitState | undefined,
  rate: Owner['limits']['requests'],
  drops: number,
): LimitState | undefined {
  const bucket = { drops, at: 0 };
  const left = remaining(bucket, rate);
  if (known && known.remaining <= left) return known;
  return { limit: rate.burst, windowMs: windowMs(rate), remaining: left, resetMs: resetMs(bucket, rate) };
}
