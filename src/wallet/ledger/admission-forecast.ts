import { LRUCache } from 'lru-cache';
import type { Result } from '../../base/failure.ts';
import { maxOf, type NanoUsd } from '../../base/money.ts';
import type { WalletRow } from '../tables.ts';
import type { HoldRequest } from './ledger.ts';

/** What recent commits said about wallets and credentials, used to predict which holds are almost certain to succeed. */
export interface AdmissionForecast {
  /** Records wallets as a group left them. */
  sawWallets(rows: Iterable<WalletRow>): void;
  /** Records whether a credential passed. */
  sawHold(request: Readonly<HoldRequest>, decided: Result<unknown>): void;
  /** A hold that was expected to be granted has been refused: for ten minutes none is expected of this wallet. */
  wasWrong(walletId: string): void;
  /**
   * Whether, as far as this node knows, the next commit will grant this hold in full: the same credential and wallet passed a
   * moment ago, all deferred holds together are a small part of what was free then, and nothing else can refuse it (an
   * idempotency key may be taken, a cap may be full).
   */
  expects(walletId: string, request: Readonly<HoldRequest>): boolean;
  /** Whether the same credential passed a moment ago, and the wallet had the request's minimum free then. */
  affords(walletId: string, request: Readonly<HoldRequest>): boolean;
  /** Adds to the deferred total; `more` is negative when a hold is committed, refused or given up. */
  defer(walletId: string, more: NanoUsd): void;
}

/** How old the knowledge may be. Stale knowledge costs one upstream call, never the customer's money. */
const trustedMs = 30_000;
/** A wrong guess costs the operator an upstream call; whoever spends a wallet over several nodes could bring them about again and again. */
const cautiousMs = 600_000;
/** One part in this many of the free credit may be promised to deferred holds. */
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
  /** When a guess about a wallet was last wrong. */
  const wrongAt = new LRUCache<string, number>({ max: walletsMax });

  /** The wallet, if both it and the credential were seen recently. */
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
    wasWrong(walletId) {
      wrongAt.set(walletId, now());
    },
    expects(walletId, request) {
      if (request.idempotency || (request.caps && request.caps.length > 0)) return false;
      const wrong = wrongAt.get(walletId);
      if (wrong !== undefined && now() - wrong < cautiousMs) return false;
      const wallet = known(walletId, request);
      return wallet !== undefined && (wallet.deferred + request.ceiling) * partDeferred <= wallet.free;
    },
    affords(walletId, request) {
      const wallet = known(walletId, request);
      return wallet !== undefined && wallet.deferred + request.minimum <= wallet.free;
    },
    defer(walletId, more) {
      const wallet = wallets.get(walletId);
      // A wallet that was forgotten in the meantime starts from 0.
      if (wallet) wallet.deferred = maxOf(wallet.deferred + more, 0n);
    },
  };
}

function credentialOf({ keyId, keyVersion, tokenId = '', deviceId = '' }: Readonly<HoldRequest>): string {
  return `${keyId} ${keyVersion} ${tokenId} ${deviceId}`;
}
