import type { Logger } from 'pino';
import { fail, type Result, succeed } from '../base/failure.ts';
import type { NanoUsd } from '../base/money.ts';
import type { Database, Queryable } from '../db/index.ts';
import {
  dropAlert,
  findAlert,
  findMovedAlerts,
  firstPosting,
  lockAlert,
  noteSeen,
  putAlert,
  readPosition,
} from './low-balance-store.ts';
import type { WalletKind } from './wallets.ts';
import { findWallet } from './wallets-store.ts';

/** A balance has fallen below its account's threshold. */
export interface LowBalance {
  accountId: string;
  walletId: string;
  kind: WalletKind;
  threshold: NanoUsd;
  /** The balance when it first was below. */
  balance: NanoUsd;
}

export interface LowBalanceAlert {
  /** 0: the account is not told. */
  threshold: NanoUsd;
  below: boolean;
}

/**
 * Finds balances that have fallen below the threshold that their owner set, from the postings themselves: charging does
 * nothing for it and waits for nothing. Each fall is announced once, also when the balance has recovered since, in the
 * transaction that remembers it. Any number of nodes may look.
 */
export interface LowBalanceAlerts {
  get(accountId: string, kind: WalletKind): Promise<Result<LowBalanceAlert>>;
  /** A balance that is below already is not announced. A threshold of 0 ends it. */
  set(accountId: string, kind: WalletKind, threshold: NanoUsd): Promise<Result<LowBalanceAlert>>;
  /** One look now; how many were announced. */
  check(): Promise<number>;
  /** Looks every few seconds until closed. */
  start(): void;
  close(): Promise<void>;
}

export interface LowBalanceDependencies {
  db: Database;
  log: Logger;
  /** Runs in the transaction that notes the fall, so that it is announced exactly once. */
  announce(tx: Queryable, low: LowBalance): Promise<void>;
  intervalMs?: number;
}

const batchMax = 500;
const batchesMax = 20;

export function createLowBalanceAlerts(dependencies: LowBalanceDependencies): LowBalanceAlerts {
  const { db, log, announce, intervalMs = 5_000 } = dependencies;
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<unknown> = Promise.resolve();

  /** Looks at what moved one wallet since the last look. True when it was announced. */
  async function look(walletId: string): Promise<boolean> {
    return db.transaction(async (tx) => {
      const alert = await lockAlert(tx, walletId);
      const wallet = alert && (await readPosition(tx, walletId));
      if (!wallet || wallet.seq <= alert.seen_seq) return false;
      const { threshold } = alert;
      const range = { walletId, threshold, to: wallet.seq };
      // After a fall that was announced, only a fall from above counts.
      const recovery =
        alert.below === 1 && (await firstPosting(tx, { ...range, after: alert.seen_seq, side: 'at least' }));
      const after = alert.below === 0 ? alert.seen_seq : recovery ? recovery.seq : undefined;
      const fall = after === undefined ? undefined : await firstPosting(tx, { ...range, after, side: 'below' });
      if (fall)
        await announce(tx, {
          ...{ walletId, threshold, accountId: alert.account_id },
          kind: wallet.kind,
          balance: fall.balance_after,
        });
      await noteSeen(tx, { walletId, seq: wallet.seq, below: wallet.posted < threshold });
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

  function startRound(): void {
    round = check()
      .catch((error: unknown) => log.warn({ err: error }, 'low balances could not be looked for'))
      .then(() => {
        if (timer) timer = setTimeout(startRound, intervalMs).unref();
      });
  }

  return {
    async get(accountId, kind) {
      const wallet = await findWallet(db, accountId, kind);
      if (!wallet) return fail({ kind: 'not_found', resource: 'wallet' });
      const alert = await findAlert(db, wallet.id);
      return succeed({
        threshold: alert?.threshold ?? 0n,
        below: alert !== undefined && wallet.posted < alert.threshold,
      });
    },
    async set(accountId, kind, threshold) {
      const wallet = await findWallet(db, accountId, kind);
      if (!wallet) return fail({ kind: 'not_found', resource: 'wallet' });
      const below = wallet.posted < threshold;
      if (threshold === 0n) await dropAlert(db, wallet.id);
      else await putAlert(db, { walletId: wallet.id, accountId, threshold, below, seq: wallet.seq });
      return succeed({ threshold, below });
    },
    check,
    start() {
      timer ??= setTimeout(startRound, intervalMs).unref();
    },
    async close() {
      clearTimeout(timer);
      timer = undefined;
      await round;
    },
  };
}
