import { LRUCache } from 'lru-cache';
import type { Result } from '../../base/failure.ts';
import { maxOf, type NanoUsd } from '../../base/money.ts';
import type { WalletRow } from '../tables.ts';
import type { HoldRequest } from './ledger.ts';

/** What the last commits said about wallets and credentials, to tell which holds are as good as sure. */
export interface AdmissionForecast {
  /** Takes in wallets as a group left them. */
  sawWallets(rows: Iterable<WalletRow>): void;
  /** Takes in whether a credential passed. */
  sawHold(request: Readonly<HoldRequest>, decided: Result<unknown>): void;
  /**
   * Whether the next commit will give this hold in full, as far as this node can know: the same credential and wallet
   * passed a moment ago, all deferred holds together are a small part of what was free then, and nothing else can
   * refuse it (an idempotency key may be taken, a cap may be full).
   */
  expects(walletId: string, request: Readonly<HoldRequest>): boolean;
  /** Whether the same credential passed a moment ago, and the wallet had the request's minimum free then. */
  affords(walletId: string, request: Readonly<HoldRequest>): boolean;
  /** So much more is deferred; or less, below 0, when a hold is committed, refused or given up. */
  defer(walletId: string, more: NanoUsd): void;
}

/** How old knowledge may be. What is wrong by then costs one upstream call, never the customer's money. */
const trustedMs = 30_000;
/** Of the free credit, one part in so many may be promised to deferred holds. */
const partDeferred = 4n;
const walletsMax = 20_000;
const credentialsMax = 50_000;

interface KnownWallet {
  free: NanoUsd;
  deferred: NanoUsd;
  at: number;
}

export function createAdmissionForecast(now: () => number = () => performance.now()): AdmissionForecast {
  const wallets = new LRUCache<string, KnownWallet>({ max: walletsMax });
  const credentials = new LRUCache<string, number>({ max: credentialsMax });

  /** The wallet, where both it and the credential were seen a moment ago. */
  function known(walletId: string, request: Readonly<HoldRequest>): KnownWallet | undefined {
    const wallet = wallets.get(walletId);
    const passedAt = credentials.get(credentialOf(request));
    const oldest = now() - trustedMs;
    if (!wallet || passedAt === undefined || wallet.at < oldest || passedAt < oldest) return undefined;
    return wallet;
  }

  return {
    sawWallets(rows) {
      const at = now();
      for (const { id, posted, held, owed, openDisputes } of rows) {
        const free = owed > 0n || openDisputes > 0n ? 0n : posted - held;
        const before = wallets.get(id);
        if (before) {
          before.free = free;
          before.at = at;
        } else wallets.set(id, { free, deferred: 0n, at });
      }
    },
    sawHold(request, decided) {
      if (decided.ok) credentials.set(credentialOf(request), now());
      else credentials.delete(credentialOf(request));
    },
    expects(walletId, request) {
      if (request.idempotency || (request.caps && request.caps.length > 0)) return false;
      const wallet = known(walletId, request);
      return wallet !== undefined && (wallet.deferred + request.ceiling) * partDeferred <= wallet.free;
    },
    affords(walletId, request) {
      const wallet = known(walletId, request);
      return wallet !== undefined && wallet.deferred + request.minimum <= wallet.free;
    },
    defer(walletId, more) {
      const wallet = wallets.get(walletId);
      // A wallet that was forgotten meanwhile starts from 0.
      if (wallet) wallet.deferred = maxOf(wallet.deferred + more, 0n);
    },
  };
}

function credentialOf({ keyId, keyVersion, tokenId = '', deviceId = '' }: Readonly<HoldRequest>): string {
  return `${keyId} ${keyVersion} ${tokenId} ${deviceId}`;
}
