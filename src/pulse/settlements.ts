import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import type { NanoUsd } from '../base/money.ts';
import { createRounds } from '../base/rounds.ts';
import type { Database } from '../db/index.ts';
import type { Hold, Ledger, SpendingCap } from '../wallet/index.ts';
import { postponeUnsettled, readUnsettled, removeUnsettled, type UnsettledRow } from './pulse-store.ts';

/**
 * The cost of stored events that may not have been charged yet. The row is written in the events' own transaction, so events
 * without a row are paid for, and a row means that the ledger must settle. It settles only once: for a second settlement of
 * the same hold it returns the first receipt.
 */
export interface Settlements {
  /** The row to store with the events. */
  rowOf(hold: Hold, cost: NanoUsd, events: number, reply: object): UnsettledRow;
  /** Notes that the ledger has settled; the next flush removes the row. */
  done(chargeId: string): void;
  /**
   * Whether this node has lately settled all that was left behind; if not, does it now, and answers within two seconds. Before that,
   * a request with a key must not hold: it could take over the key of events that are stored and not yet charged, and find only
   * duplicates.
   */
  caughtUp(): Promise<boolean>;
  /** Settles what a dead node left behind. Returns how many charges it settled. */
  recover(): Promise<number>;
  /** Removes the rows of all completed settlements. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

const removeEveryMs = 500;
const recoverEveryMs = 10_000;
/** Younger rows belong to requests in progress. Settling one of those would do no harm, only extra work. */
const leftBehindAfterSeconds = 30;
const recoverAtOnceMax = 200;
/** How long a node has caught up for. What is left behind after that has a hold that lasts longer. */
const caughtUpForMs = 30_000;
const catchUpMaxMs = 2_000;
/** The most of these per round, so that rounds end; the next one continues. */
const recoverBatchesMax = 25;

export function createSettlements(deps: {
  db: Database;
  ledger: Pick<Ledger, 'settle'>;
  clock: Pick<Clock, 'monotonic'>;
  log: Logger;
  leftBehindAfterSeconds?: number;
}): Settlements {
  const { db, ledger, clock, log } = deps;
  const ageSeconds = deps.leftBehindAfterSeconds ?? leftBehindAfterSeconds;
  let settled: string[] = [];
  let flushing: Promise<void> = Promise.resolve();
  let recovering: Promise<number> = Promise.resolve(0);
  let caughtUpAt = Number.NEGATIVE_INFINITY;
  let catchingUp: Promise<boolean> | undefined;

  function flush(): Promise<void> {
    flushing = flushing.then(async () => {
      const ids = settled;
      if (ids.length === 0) return;
      settled = [];
      try {
        await removeUnsettled(db, ids);
      } catch (error) {
        // Left to `recover`, which will find them settled.
        log.warn({ err: error }, 'rows of settled pulse charges stay for a while');
      }
    });
    return flushing;
  }

  /** All of them, if possible: requests with an idempotency key wait for it. */
  async function settleLeftBehind(): Promise<number> {
    let settledCount = 0;
    for (let batch = 0; batch < recoverBatchesMax; batch++) {
      const readAt = clock.monotonic();
      const rows = await readUnsettled(db, ageSeconds, recoverAtOnceMax);
      settledCount += await settleRows(rows);
      if (rows.length < recoverAtOnceMax) {
        caughtUpAt = readAt;
        break;
      }
    }
    return settledCount;
  }

  async function settleRows(rows: readonly UnsettledRow[]): Promise<number> {
    let settledCount = 0;
    for (const row of rows) {
      try {
        await settleRow(row);
        settledCount++;
      } catch (error) {
        log.error({ err: error, chargeId: row.chargeId }, 'a pulse charge that was left behind could not be settled');
        // To the end of the queue, so that it holds up no others.
        await postponeUnsettled(db, row.chargeId);
      }
    }
    return settledCount;
  }

  async function settleRow(row: UnsettledRow): Promise<void> {
    const receipt = await ledger.settle(decodeHold(row.hold), {
      cost: row.cost,
      usage: { events: row.events },
      delivered: true,
      reply: Buffer.from(row.reply),
    });
    await removeUnsettled(db, [row.chargeId]);
    log.info(
      { chargeId: row.chargeId, state: receipt.state },
      'settled the pulse charge of a request that was cut off',
    );
  }

  function recover(): Promise<number> {
    recovering = recovering.catch(() => 0).then(settleLeftBehind);
    return recovering;
  }

  const isCaughtUp = () => clock.monotonic() - caughtUpAt <= caughtUpForMs;

  async function catchUp(): Promise<boolean> {
    try {
      // Those that cannot be settled are postponed, and would be read again and again.
      while (!isCaughtUp() && (await recover()) > 0);
    } catch (error) {
      onError(error);
    }
    return isCaughtUp();
  }

  const onError = (error: unknown) => log.warn({ err: error }, 'pulse charges left behind could not be read');
  const rounds = [
    createRounds({ everyMs: removeEveryMs, run: flush, onError }),
    createRounds({ everyMs: recoverEveryMs, run: recover, onError }),
  ];
  for (const { start } of rounds) start();

  return {
    rowOf: (hold, cost, events, reply) => ({
      chargeId: hold.chargeId,
      hold: encodeHold(hold),
      cost,
      events,
      reply: JSON.stringify(reply),
    }),
    async caughtUp() {
      if (isCaughtUp()) return true;
      catchingUp ??= catchUp().finally(() => {
        catchingUp = undefined;
      });
      return Promise.race([catchingUp, sleep(catchUpMaxMs, false, { ref: false })]);
    },
    done: (chargeId) => void settled.push(chargeId),
    recover,
    flush,
    close: async () => {
      await Promise.all(rounds.map(({ close }) => close()));
      await recovering.catch(() => 0);
      await flush();
    },
  };
}

interface StoredHold extends Omit<Hold, 'amount' | 'ceiling' | 'balance' | 'caps' | 'idempotency'> {
  amount: string;
  /** Absent in rows of earlier versions, which charged at most the amount. */
  ceiling?: string;
  balance: string;
  caps: { owner: string; limit: string }[];
  idempotency?: { scope: string; key: string; fingerprint: string };
}

function encodeHold({ amount, ceiling, balance, caps, idempotency, ...rest }: Hold): string {
  const stored: StoredHold = {
    ...rest,
    amount: amount.toString(),
    ceiling: ceiling.toString(),
    balance: balance.toString(),
    caps: caps.map(({ owner, limit }) => ({ owner, limit: limit.toString() })),
  };
  if (idempotency) {
    stored.idempotency = { ...idempotency, fingerprint: Buffer.from(idempotency.fingerprint).toString('base64') };
  }
  return JSON.stringify(stored);
}

function decodeHold(text: string): Hold {
  const { amount, ceiling = amount, balance, caps, idempotency, ...rest } = JSON.parse(text) as StoredHold;
  const decodedCaps: SpendingCap[] = caps.map(({ owner, limit }) => ({ owner, limit: BigInt(limit) }));
  const hold: Hold = {
    ...rest,
    amount: BigInt(amount),
    ceiling: BigInt(ceiling),
    balance: BigInt(balance),
    caps: decodedCaps,
  };
  if (idempotency) hold.idempotency = { ...idempotency, fingerprint: Buffer.from(idempotency.fingerprint, 'base64') };
  return hold;
}
