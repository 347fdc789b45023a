import type { Logger } from 'pino';
import type { Caller } from '../base/caller.ts';
import type { Clock } from '../base/clock.ts';
import { type Result, succeed } from '../base/failure.ts';
import { type AnonymousRefusal, createAnonymousBudget, defaultAnonymousLimits } from './anonymous.ts';
import { createLocalLimits } from './local.ts';
import { createOwners, type Levels, type Owner, paymentOwners } from './owners.ts';
import { createSharedLimits } from './shared.ts';
import type { Admission, AnonymousLimits, Limits, LimitsInForce, TokenReservation } from './types.ts';

export { type AnonymousRefusal, defaultAnonymousLimits } from './anonymous.ts';
export { addressOf } from './networks.ts';
export type { Levels } from './owners.ts';
export type {
  Admission,
  AnonymousBudget,
  AnonymousLimits,
  LevelLimits,
  LimitInForce,
  LimitState,
  Limits,
  OpenConnection,
  TokenReservation,
} from './types.ts';
export { createUnpaidWork, type UnpaidWork, unpaidMost } from './unpaid.ts';

export interface LimitsOptions {
  clock: Clock;
  log: Logger;
  levels: Levels;
  /** Those not named keep their defaults. */
  anonymous?: Partial<AnonymousLimits>;
  /** Called with what callers without a credential had too much of. */
  onAnonymousRefused?: (what: AnonymousRefusal) => void;
  /** Valkey or Redis shared by all nodes; absent: this node counts on its own. */
  redisUrl?: string | undefined;
  /** How long the shared server may take to answer; after that, this node counts alone. */
  sharedTimeoutMs?: number | undefined;
  /** The minimum number of nodes; each enforces its share while the shared server is unavailable. */
  nodes?: number;
  /** How many owners, and how many addresses, to keep track of at once. */
  ownersMax?: number;
}

/** How many addresses, and how many networks of either size, to keep track of at once: about 30 MB if all of them are busy. */
const addressesMax = 32_768;

/**
 * Requests and tokens per minute, and requests and streams in flight: for accounts, keys and end users; and for addresses that
 * show no credential. Never more than limit + burst in any minute.
 */
export function createLimits(options: LimitsOptions): Limits {
  const { clock, log, redisUrl, sharedTimeoutMs, nodes = 1, ownersMax = 100_000 } = options;
  const now = () => Math.floor(clock.monotonic());
  const ownersOf = createOwners(options.levels);
  const local = createLocalLimits(now, ownersMax);
  const anonymous = createAnonymousBudget({
    limits: { ...defaultAnonymousLimits, ...options.anonymous },
    ...{ now, log, entriesMax: Math.min(ownersMax, addressesMax), onRefused: options.onAnonymousRefused },
  });
  const shared =
    redisUrl === undefined
      ? undefined
      : createSharedLimits({ redisUrl, nodes, log, local, commandTimeoutMs: sharedTimeoutMs });
  const share = () => shared?.nodes() ?? 1;

  function admitOwners(
    owners: readonly Owner[],
    kind: 'unary' | 'stream',
  ): Result<Admission> | Promise<Result<Admission>> {
    if (owners.length === 0) return unlimited;
    if (!shared?.ready()) return local.admit(owners, kind, share());
    return shared.admit(owners, kind).catch(() => local.admit(owners, kind, share()));
  }

  function admitStream(caller: Caller): Result<() => void> | Promise<Result<() => void>> {
    const owners = ownersOf(caller);
    if (owners.length === 0) return nothingTaken;
    if (!shared?.ready()) return local.admitStream(owners, share());
    return shared.admitStream(owners).catch(() => local.admitStream(owners, share()));
  }

  function reserveTokens(caller: Caller, tokens: number): Result<TokenReservation> | Promise<Result<TokenReservation>> {
    const owners = ownersOf(caller);
    if (owners.length === 0) return unlimitedTokens;
    if (!shared?.ready()) return local.reserveTokens(owners, tokens, share());
    return shared.reserveTokens(owners, tokens).catch(() => local.reserveTokens(owners, tokens, share()));
  }

  function admitItem(caller: Caller): Result<void> | Promise<Result<void>> {
    const owners = ownersOf(caller);
    if (owners.length === 0) return counted;
    if (!shared?.ready()) return local.admitItem(owners, share());
    return shared.admitItem(owners).catch(() => local.admitItem(owners, share()));
  }

  async function inForce(caller: Caller): Promise<LimitsInForce> {
    const owners = ownersOf(caller);
    const together = shared?.ready() ? await shared.inForce(owners).catch(() => undefined) : undefined;
    return { limits: together ?? local.inForce(owners, share()), shared: together !== undefined };
  }

  return {
    inForce,
    admit: (caller, kind) => admitOwners(ownersOf(caller), kind),
    admitPayment: (caller) => admitOwners(paymentOwners(caller), 'unary'),
    reserveTokens,
    admitStream,
    admitItem,
    anonymous,
    close: async () => shared?.close(),
  };
}

const unlimited = succeed<Admission>({ requests: undefined, tokens: undefined, release: () => {} });
const counted = succeed(undefined);
const nothingTaken = succeed<() => void>(() => {});
const unlimitedTokens = succeed<TokenReservation>({ settle: () => {} });
