import type { Logger } from 'pino';
import { type Result, succeed } from '../../base/failure.ts';
import type { NanoUsd } from '../../base/money.ts';
import { createRounds } from '../../base/rounds.ts';
import type { Database, Queryable } from '../../db/index.ts';
import { findOne } from '../rows-store.ts';
import { walletTable } from '../tables.ts';
import type { WalletKind } from '../wallets/wallets.ts';
import { requireWallet } from '../wallets/wallets-store.ts';
import { alertTable, dropAlert, findMovedAlerts, firstPosting, lockAlert, putAlert } from './low-balance-store.ts';

/** A balance has fallen below its account's threshold. */
export interface LowBalance {
  accountId: string;
  walletId: string;
  kind: WalletKind;
  threshold: NanoUsd;
  /** The balance when it first fell below. */
  balance: NanoUsd;
}

export interface LowBalanceAlert {
  /** 0 disables the alert. */
  threshold: NanoUsd;
  below: boolean;
}

/**
 * Finds balances that have fallen below their owner's threshold, from the postings themselves, so charging does no extra work and
 * never waits. Each fall is announced once, even if the balance has recovered since, in the transaction that records it. Any
 * number of nodes may check.
 */
export interface LowBalanceAlerts {
  get(accountId: string, kind: WalletKind): Promise<Result<LowBalanceAlert>>;
  /** A balance that is already below is not announced. A threshold of 0 disables the alert. */
  set(accountId: string, kind: WalletKind, threshold: NanoUsd): Promise<Result<LowBalanceAlert>>;
  /** Checks once now; returns how many were announced. */
  check(): Promise<number>;
  /** Checks every few seconds until closed. */
  start(): void;
  close(): Promise<void>;
}

export interface LowBalanceDependencies {
  db: Database;
  log: Logger;
  /** Runs in the transaction that records the fall, so that it is announced exactly once. */
  announce(tx: Queryable, low: LowBalance): Promise<void>;
  intervalMs?: number;
}

const batchMax = 500;
const batchesMax = 20;

export function createLowBalanceAlerts(dependencies: LowBalanceDependencies): LowBalanceAlerts {
  const { db, log, announce, intervalMs = 5_000 } = dependencies;
  /** Checks one wallet's postings since the last check. True if a fall was announced. */
  async function look(walletId: string): Promise<boolean> {
    return db.transaction(async (tx) => {
      const alert = await lockAlert(tx, walletId);
      // Without a lock, so that no charge waits.
      const wallet = alert && (await findOne(tx, walletTable, { id: walletId }));
      if (!wallet || wallet.seq <= alert.seenSeq) return false;
      const { threshold, accountId, seenSeq } = alert;
      const range = { walletId, threshold, to: wallet.seq };
      // After an announced fall, only a new fall from above counts.
      const recovery = alert.below ? await firstPosting(tx, { ...range, after: seenSeq, side: 'at least' }) : undefined;
      const after = alert.below ? recovery?.seq : seenSeq;
      const fall = after === undefined ? undefined : await firstPosting(tx, { ...range, after, side: 'below' });
      if (fall) await announce(tx, { accountId, walletId, kind: wallet.kind, threshold, balance: fall.balanceAfter });
      await putAlert(tx, { walletId, accountId, threshold, below: wallet.posted < threshold, seenSeq: wallet.seq });
      return fall !== undefined;
    });
  }

  async function check(): Promise<number> {
    let announced = 0;
    for (let batch = 0; batch < batchesMax; batch++) {
      const moved = await findMovedAlerts(db, batchMax);
      for (const walletId of moved) announced += (await look(walletId)) ? 1 : 0;
      if (moved.length < batchMax) break;
    }
    return announced;
  }

  const rounds = createRounds({
    everyMs: intervalMs,
    run: check,
    onError: (error) => log.warn({ err: error }, 'low balances could not be looked for'),
  });

  return {
    async get(accountId, kind) {
      const wallet = await requireWallet(db, accountId, kind);
      if (!wallet.ok) return wallet;
      const { id: walletId, posted } = wallet.value;
      const { threshold = 0n } = (await findOne(db, alertTable, { walletId })) ?? {};
      return succeed({ threshold, below: posted < threshold });
    },
    async set(accountId, kind, threshold) {
      const wallet = await requireWallet(db, accountId, kind);
      if (!wallet.ok) return wallet;
      const { id: walletId, posted, seq: seenSeq } = wallet.value;
      const below = posted < threshold;
      if (threshold === 0n) await dropAlert(db, walletId);
      else await putAlert(db, { walletId, accountId, threshold, below, seenSeq });
      return succeed({ threshold, below });
    },
    check,
    ...rounds,
  };
}
