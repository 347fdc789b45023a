import type { Logger } from 'pino';
import type { Caller } from '../base/caller.ts';
import type { Clock } from '../base/clock.ts';
import { type Result, succeed } from '../base/failure.ts';
import { createAddresses } from './addresses.ts';
import { createLocalLimits } from './local.ts';
import { createOwners, type Levels, type Owner, paymentOwners } from './owners.ts';
import { createSharedLimits } from './shared.ts';
import type { AddressLimits, Admission, Limits, TokenReservation } from './types.ts';

export { networkOf } from './addresses.ts';
export type { Levels } from './owners.ts';
export type { AddressLimits, Admission, LevelLimits, LimitState, Limits, TokenReservation } from './types.ts';

export interface LimitsOptions {
  clock: Clock;
  log: Logger;
  levels: Levels;
  addresses?: AddressLimits;
  /** Valkey or Redis that all nodes share; absent: this node counts for itself. */
  redisUrl?: string | undefined;
  /** How many nodes there are at least; each enforces its part when the shared server is away. */
  nodes?: number;
  /** Owners, and addresses, that are kept in mind at one time. */
  ownersMax?: number;
}

const defaultAddresses: AddressLimits = { anonymousPerMinute: 600, refusedPerMinute: 120 };

/**
 * Requests and tokens a minute, requests and streams in flight: for accounts, keys and end users; and for addresses
 * that show no credential. Never more than limit + burst in any minute.
 */
export function createLimits(options: LimitsOptions): Limits {
  const { clock, log, redisUrl, nodes = 1, ownersMax = 100_000 } = options;
  const now = () => Math.floor(clock.monotonic());
  const ownersOf = createOwners(options.levels);
  const local = createLocalLimits(now, ownersMax);
  const addresses = createAddresses(options.addresses ?? defaultAddresses, now, ownersMax);
  const shared = redisUrl === undefined ? undefined : createSharedLimits({ redisUrl, nodes, log, local });
  const share = () => shared?.nodes() ?? 1;

  function admitOwners(
    owners: readonly Owner[],
    kind: 'unary' | 'stream',
  ): Result<Admission> | Promise<Result<Admission>> {
    if (owners.length === 0) return unlimited;
    if (!shared?.ready()) return local.admit(owners, kind, share());
    return shared.admit(owners, kind).catch(() => local.admit(owners, kind, share()));
  }

  function reserveTokens(caller: Caller, tokens: number): Result<TokenReservation> | Promise<Result<TokenReservation>> {
    const owners = ownersOf(caller);
    if (owners.length === 0) return unlimitedTokens;
    if (!shared?.ready()) return local.reserveTokens(owners, tokens, share());
    return shared.reserveTokens(owners, tokens).catch(() => local.reserveTokens(owners, tokens, share()));
  }

  return {
    admit: (caller, kind) => admitOwners(ownersOf(caller), kind),
    admitPayment: (caller) => admitOwners(paymentOwners(caller), 'unary'),
    reserveTokens,
    admitAddress: addresses.admit,
    countRefused: addresses.countRefused,
    mayTry: addresses.mayTry,
    lookUps: addresses.lookUps,
    close: async () => shared?.close(),
  };
}

const unlimited = succeed<Admission>({ requests: undefined, tokens: undefined, release: () => {} });
const unlimitedTokens = succeed<TokenReservation>({ settle: () => {} });
