import { LRUCache } from 'lru-cache';
import type { Result } from '../base/failure.ts';
import type { NanoUsd } from '../base/money.ts';
import type { WalletRow } from './group-state.ts';
import type { HoldRequest } from './ledger.ts';
import type { HoldDecision } from './operation.ts';

/** What the last commits said about wallets and credentials, to tell which holds are as good as sure. */
export interface Foresight {
  /** Takes in wallets as a group left them. */
  sawWallets(rows: Iterable<WalletRow>): void;
  /** Takes in whether a credential passed. */
  sawHold(request: Readonly<HoldRequest>, decided: Result<HoldDecision>): void;
  /**
   * Whether the next commit will give this hold in full, as far as this node can know: the same credential and wallet
   * passed a moment ago, all that is ahead of its commit is a small part of what was free then, and nothing else can
   * refuse it (an idempotency key may be taken, a cap may be full).
   */
  expects(walletId: string, request: Readonly<HoldRequest>): boolean;
  /** A hold of this much is ahead of its commit. */
  began(walletId: string, ceiling: NanoUsd): void;
  /** It is no longer: committed, refused, or given up. */
  ended(walletId: string, ceiling: NanoUsd): void;
}

/** How old knowledge may be. What is wrong by then costs one upstream call, never the customer's money. */
const trustedMs = 30_000;
/** Of the free credit, one part in so many may be ahead of its commits. */
const partAhead = 4n;
const walletsMax = 20_000;
const credentialsMax = 50_000;

interface KnownWallet {
  free: NanoUsd;
  ahead: NanoUsd;
  at: number;
}

export function createForesight(now: () => number = () => performance.now()): Foresight {
  const wallets = new LRUCache<string, KnownWallet>({ max: walletsMax });
  const credentials = new LRUCache<string, number>({ max: credentialsMax });

  return {
    sawWallets(rows) {
      const at = now();
      for (const { id, posted, held, owed, openDisputes } of rows) {
        const free = owed > 0n || openDisputes > 0 ? 0n : posted - held;
        const known = wallets.get(id);
        if (known) {
          known.free = free;
          known.at = at;
        } else wallets.set(id, { free, ahead: 0n, at });
      }
    },
    sawHold(request, decided) {
      if (decided.ok) credentials.set(credentialOf(request), now());
      else credentials.delete(credentialOf(request));
    },
    expects(walletId, request) {
      if (request.idempotency || (request.caps && request.caps.length > 0)) return false;
      const wallet = wallets.get(walletId);
      const passedAt = credentials.get(credentialOf(request));
      const oldest = now() - trustedMs;
      if (!wallet || passedAt === undefined || wallet.at < oldest || passedAt < oldest) return false;
      return (wallet.ahead + request.ceiling) * partAhead <= wallet.free;
    },
    began(walletId, ceiling) {
      const wallet = wallets.get(walletId);
      if (wallet) wallet.ahead += ceiling;
    },
    ended(walletId, ceiling) {
      const wallet = wallets.get(walletId);
      // A wallet that was forgotten meanwhile starts from 0.
      if (wallet) wallet.ahead = wallet.ahead > ceiling ? wallet.ahead - ceiling : 0n;
    },
  };
}

function credentialOf({ keyId, keyVersion, tokenId = '', deviceId = '' }: Readonly<HoldRequest>): string {
  return `${keyId} ${keyVersion} ${tokenId} ${deviceId}`;
}
