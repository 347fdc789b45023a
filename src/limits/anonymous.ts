import type { Logger } from 'pino';
import { type Failure, fail, type Result, succeed } from '../base/failure.ts';
import {
  type AnonymousRates,
  type AnonymousUsage,
  type Counted,
  createAnonymousTable,
  type Place,
} from './anonymous-table.ts';
import { pour, type Rate, unitsOf, waitFor } from './bucket.ts';
import { addressOf, networksOf } from './networks.ts';
import type { AnonymousBudget, AnonymousLimits, OpenConnection } from './types.ts';

export interface AnonymousOptions {
  limits: AnonymousLimits;
  /** Whole milliseconds of a monotonic clock. */
  now: () => number;
  log: Logger;
  /** How many addresses, and how many networks, to keep track of at once. */
  entriesMax: number;
  /** Called with what was refused, for metrics. */
  onRefused?: ((what: AnonymousRefusal) => void) | undefined;
}

/** What an address or its network had too much of. */
export type AnonymousRefusal =
  | Exclude<Counted, 'guesses'>
  | 'open connections'
  | 'streams'
  | 'known connections'
  | 'wasted connections';

export const defaultAnonymousLimits: AnonymousLimits = {
  ...{ connections: 256, connectionsPerMinute: 600, totalConnections: 8_000, streams: 32, streamsPerConnection: 16 },
  ...{ requestsPerMinute: 600, refusedPerMinute: 120, mebibytesPerMinute: 60, networkFactor: 4 },
  ownerConnections: 1_000,
};

/** A connection younger than this may still show a credential, so it is not closed for another. */
const youngMs = 3_000;
/** The burst of new connections, per connection that may stay open: a starting backend opens all of its connections at once. */
const connectionBurst = 4;
/** How many new connections one counts as that was cut off for what it sent: of 600 a minute, six may be such. */
const wastedConnections = 100;
/** When to retry if a slot is missing, since nobody knows when one will be free. */
const placeRetryMs = 1_000;
/** A network that continues is logged again after this long. */
const logEveryMs = 60_000;
/** How many networks are logged in that time; the metric counts them all. */
const loggedMax = 100;

const allowed = succeed(undefined);
const descriptions: Record<Counted, string> = {
  connections: 'new connections per minute',
  requests: 'requests per minute',
  kibibytes: 'bytes per minute',
  refused: 'refused credentials per minute',
  guesses: 'refused credentials per minute',
};

/** See `AnonymousBudget`. Kept in one node's memory, because a flood hits a single node. */
export function createAnonymousBudget(options: AnonymousOptions): AnonymousBudget {
  const { limits, now, log, entriesMax, onRefused } = options;
  const { networkFactor } = limits;
  /** An address, the network around it, and the next larger network. */
  const tables = [
    createAnonymousTable('address', ratesOf(limits, 1), now, entriesMax),
    createAnonymousTable('network', ratesOf(limits, networkFactor), now, entriesMax),
    createAnonymousTable('network', ratesOf(limits, networkFactor ** 2), now, entriesMax),
  ];
  const open = new Set<Place>();
  const owners = new Map<string, number>();
  let logged = new Map<string, true>();
  let loggedSince = now();

  function levelsOf(peer: string): AnonymousUsage[] {
    return keysOf(peer).flatMap((key, level) => tables[level]?.of(key) ?? []);
  }

  /** Counts `units` at every level, or at none and reports which one is short. */
  function count(peer: string, levels: readonly AnonymousUsage[], counted: Counted, units: number): Result<void> {
    for (const usage of levels) {
      const wait = waitFor(usage.bucket(counted), usage.limits.rates[counted], units);
      if (wait > 0)
        return refuse(peer, usage, counted === 'guesses' ? 'refused' : counted, descriptions[counted], wait);
    }
    for (const usage of levels) pour(usage.bucket(counted), units);
    return allowed;
  }

  /** Counts bytes already transferred, whether or not they were too many. */
  function tookBytes(peer: string, levels: readonly AnonymousUsage[], bytes: number): boolean {
    for (const usage of levels) pour(usage.bucket('kibibytes'), Math.ceil(bytes / 1024));
    const isOver = levels.some((usage) => waitFor(usage.bucket('kibibytes'), usage.limits.rates.kibibytes, 0) > 0);
    if (isOver) note(peer, 'kibibytes');
    return !isOver;
  }

  function roomFor(peer: string, counted: Counted): Result<void> {
    for (const [level, key] of keysOf(peer).entries()) {
      const usage = tables[level]?.find(key);
      const bucket = usage?.known(counted);
      const wait = usage && bucket ? waitFor(bucket, usage.limits.rates[counted], 1) : 0;
      if (usage && wait > 0) return fail(limited(descriptions[counted], usage, wait));
    }
    return allowed;
  }

  function refuse(
    peer: string,
    usage: Pick<AnonymousUsage, 'level'>,
    what: AnonymousRefusal,
    description: string,
    retryAfterMs: number,
  ): { ok: false; failure: Failure } {
    note(peer, what);
    return fail(limited(description, usage, retryAfterMs));
  }

  function note(peer: string, what: AnonymousRefusal): void {
    onRefused?.(what);
    if (now() - loggedSince >= logEveryMs) {
      loggedSince = now();
      logged = new Map();
    }
    const [address, network = address] = keysOf(peer);
    if (network === undefined || logged.has(network) || logged.size >= loggedMax) return;
    logged.set(network, true);
    log.warn({ network, over: what }, 'a network is over what callers without a credential may use');
  }

  function connect(peer: string, close: () => void): OpenConnection | undefined {
    const levels = levelsOf(peer);
    if (!count(peer, levels, 'connections', 1).ok) return undefined;
    makeRoom(peer, levels);
    let place: Place | undefined = {
      openedAt: now(),
      close: () => {
        leavePlace();
        close();
      },
    };
    let owner: string | undefined;
    let streams = 0;
    open.add(place);
    for (const usage of levels) usage.connections.add(place);

    function leavePlace(): void {
      if (!place) return;
      open.delete(place);
      for (const usage of levels) usage.connections.delete(place);
      place = undefined;
    }
    return {
      get anonymous() {
        return place !== undefined;
      },
      moved: (bytes) => place === undefined || tookBytes(peer, levels, bytes),
      enterStream() {
        if (streams >= limits.streamsPerConnection) return undefined;
        streams += 1;
        return () => {
          streams -= 1;
        };
      },
      identified(name) {
        if (!place) return;
        const held = owners.get(name) ?? 0;
        if (held >= limits.ownerConnections) {
          note(peer, 'known connections');
          return;
        }
        owners.set(name, held + 1);
        owner = name;
        leavePlace();
        for (const usage of levels) pour(usage.bucket('connections'), -1);
      },
      wasted() {
        // Those of an identified connection may have been forgotten meanwhile.
        for (const usage of levelsOf(peer)) {
          const bucket = usage.bucket('connections');
          const { burst, perMinute } = usage.limits.rates.connections;
          // However many there were, the address has to wait for little more than a minute.
          if (unitsOf(bucket) < burst + perMinute) pour(bucket, wastedConnections);
        }
        note(peer, 'wasted connections');
      },
      closed() {
        leavePlace();
        if (owner === undefined) return;
        const held = owners.get(owner) ?? 0;
        if (held > 1) owners.set(owner, held - 1);
        else owners.delete(owner);
        owner = undefined;
      },
    };
  }

  /**
   * Closes the oldest connection in favour of the new one, which may belong to someone with a credential: whoever has one shows
   * it at once. If a network is full, the newcomer's own address gives way first.
   */
  function makeRoom(peer: string, levels: readonly AnonymousUsage[]): void {
    const own = levels[0]?.connections;
    for (const { connections, limits: most } of levels)
      if (connections.size >= most.connections) giveWay(peer, own, connections);
    if (open.size >= limits.totalConnections) giveWay(peer, own, open);
  }

  function giveWay(peer: string, ...candidates: readonly (ReadonlySet<Place> | undefined)[]): void {
    for (const places of candidates) {
      const oldest = places?.values().next().value;
      if (!oldest || now() - oldest.openedAt < youngMs) continue;
      note(peer, 'open connections');
      oldest.close();
      return;
    }
  }

  return {
    connect,
    enter(peer, connection) {
      const levels = levelsOf(peer);
      const counted = count(peer, levels, 'requests', 1);
      if (!counted.ok) return counted;
      const full = levels.find((usage) => usage.streams >= usage.limits.streams);
      if (full) return refuse(peer, full, 'streams', 'concurrent requests', placeRetryMs);
      const leave = connection?.enterStream();
      if (connection && !leave)
        return refuse(peer, { level: 'address' }, 'streams', 'concurrent requests of one connection', placeRetryMs);
      for (const usage of levels) usage.streams += 1;
      let left = false;
      return succeed(() => {
        if (left) return;
        left = true;
        leave?.();
        for (const usage of levels) usage.streams -= 1;
      });
    },
    countRefused: (peer) => count(peer, levelsOf(peer), 'refused', 1),
    mayTry: (peer) => roomFor(peer, 'refused'),
    lookUps: {
      may: (peer) => roomFor(peer, 'guesses'),
      failed: (peer) => {
        // Lookups already in flight when the limit was reached count as well.
        for (const usage of levelsOf(peer)) pour(usage.bucket('guesses'), 1);
      },
    },
  };
}

/** The keys under which a peer is counted, each in a table of its own. */
function keysOf(peer: string): string[] {
  const address = addressOf(peer);
  return [address, ...networksOf(address)];
}

function limited(what: string, { level }: Pick<AnonymousUsage, 'level'>, retryAfterMs: number): Failure {
  return { kind: 'rate_limited', limit: `${what} of the ${level}`, retryAfterMs };
}

/** Limits for an address, multiplied by `factor` for a network. */
function ratesOf(limits: AnonymousLimits, factor: number): AnonymousRates {
  const kibibytes = limits.mebibytesPerMinute * 1024 * factor;
  return {
    rates: {
      connections: {
        perMinute: limits.connectionsPerMinute * factor,
        burst: limits.connections * factor * connectionBurst,
      },
      requests: rateOf(limits.requestsPerMinute, factor),
      // A whole minute's worth at once: a flood of bytes is no worse for coming early.
      kibibytes: { perMinute: kibibytes, burst: kibibytes },
      refused: rateOf(limits.refusedPerMinute, factor),
      guesses: rateOf(limits.refusedPerMinute, factor),
    },
    connections: limits.connections * factor,
    streams: limits.streams * factor,
  };
}

function rateOf(perMinute: number, factor: number): Rate {
  return { perMinute: perMinute * factor, burst: Math.max(5, Math.ceil(perMinute / 6)) * factor };
}
