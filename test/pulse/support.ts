import { pino } from 'pino';
import type { Caller } from '../../src/base/caller.ts';
import type { Clock } from '../../src/base/clock.ts';
import { fail, type Result, succeed } from '../../src/base/failure.ts';
import { newId } from '../../src/base/ids.ts';
import type { Database } from '../../src/db/index.ts';
import { createPulse, type IncomingEvent, type Pulse, type PulseDeps } from '../../src/pulse/index.ts';
import type { Hold, HoldOutcome, HoldRequest, Ledger, Receipt, Settlement } from '../../src/wallet/index.ts';

export const silent = pino({ level: 'silent' });

/** 2026-05-01, a Friday, at noon. */
export const noon = Date.UTC(2026, 4, 1, 12);

export function fixedClock(now: number): Clock & { set(now: number): void } {
  let at = now;
  const set = (next: number) => {
    at = next;
  };
  return { now: () => at, monotonic: () => at, set };
}

/** One node of pulse over a database. */
export function startPulse(db: Database, ledger: PulseDeps['ledger'], more: Partial<PulseDeps> = {}): Pulse {
  return createPulse({
    db,
    ledger,
    price: () => ({ version: 7, perThousandEvents: 10_000_000n }),
    announce: async () => {},
    clock: fixedClock(noon),
    log: silent,
    secret: Buffer.alloc(32, 1),
    ...more,
  });
}

export function callerOf(accountId: string): Caller {
  return {
    credential: 'api_key',
    name: 'key_1',
    accountId,
    key: { id: 'key_1', version: 1 },
    scopes: new Set(['pulse']),
  };
}

export function event(fields: Partial<IncomingEvent> & { at?: number } = {}): IncomingEvent {
  const { at = noon - 3_600_000, ...rest } = fields;
  return {
    id: newId('evt'),
    journey: 'publish',
    step: 'photos',
    kind: 'entered',
    sessionId: 's1',
    userId: '',
    occurredAt: new Date(at).toISOString(),
    ...rest,
  };
}

/** A ledger in memory with the promises of the real one that pulse builds on; it can be told to die. */
export class MemoryLedger implements Pick<Ledger, 'hold' | 'settle' | 'release'> {
  balance: bigint;
  readonly holds = new Map<string, Hold>();
  readonly receipts = new Map<string, Receipt>();
  readonly settlements: Settlement[] = [];
  readonly replies = new Map<string, { receipt: Receipt; reply: Uint8Array | undefined }>();
  /** Set: the next settlement never happens, as if the process died before it. */
  dieBeforeSettle = false;

  constructor(balance = 5_000_000_000n) {
    this.balance = balance;
  }

  async hold(request: Readonly<HoldRequest>): Promise<Result<HoldOutcome>> {
    const stored = request.idempotency && this.replies.get(request.idempotency.key);
    if (stored) return succeed({ kind: 'replayed', ...stored });
    if (this.balance < request.minimum) {
      return fail({ kind: 'insufficient_credit', balance: this.balance, held: 0n, needed: request.minimum });
    }
    const hold: Hold = {
      walletId: 'wal_1',
      chargeId: newId('chg'),
      amount: request.ceiling,
      ceiling: request.ceiling,
      balance: this.balance,
      expiresAtMs: noon + 60_000,
      ttlMs: 60_000,
      caps: request.caps ?? [],
      ...(request.idempotency ? { idempotency: request.idempotency } : {}),
    };
    this.holds.set(hold.chargeId, hold);
    return succeed({ kind: 'held', hold });
  }

  async settle(hold: Readonly<Hold>, settlement: Readonly<Settlement>): Promise<Receipt> {
    if (this.dieBeforeSettle) {
      this.dieBeforeSettle = false;
      throw new ProcessDied();
    }
    const before = this.receipts.get(hold.chargeId);
    if (before) return before;
    if (!this.holds.delete(hold.chargeId)) throw new Error('settled what was not held');
    this.balance -= settlement.cost;
    const receipt: Receipt = {
      chargeId: hold.chargeId,
      state: 'settled',
      charged: settlement.cost,
      owed: 0n,
      balance: this.balance,
    };
    this.receipts.set(hold.chargeId, receipt);
    this.settlements.push(settlement);
    if (hold.idempotency) this.replies.set(hold.idempotency.key, { receipt, reply: settlement.reply });
    return receipt;
  }

  async release(hold: Readonly<Hold>): Promise<void> {
    this.holds.delete(hold.chargeId);
  }

  get charged(): bigint {
    return this.settlements.reduce((sum, { cost }) => sum + cost, 0n);
  }

  get eventsCharged(): number {
    return this.settlements.reduce((sum, { usage }) => sum + (usage.events ?? 0), 0);
  }
}

export class ProcessDied extends Error {}
