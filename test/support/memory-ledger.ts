import { fail, succeed } from '../../src/base/failure.ts';
import { newId } from '../../src/base/ids.ts';
import { minOf, type NanoUsd } from '../../src/base/money.ts';
import type { Hold, Ledger, Settlement } from '../../src/wallet/index.ts';

export interface MemoryLedger extends Ledger {
  balance: NanoUsd;
  held: NanoUsd;
  settlements: (Settlement & { charged: NanoUsd })[];
  releases: string[];
}

/** One wallet in memory with the ledger's own promises, for tests of what calls it. */
export function memoryLedger(balance: NanoUsd): MemoryLedger {
  const done = new Map<string, { charged: NanoUsd; chargeId: string; reply: Uint8Array | undefined }>();
  const holds = new Map<string, NanoUsd>();
  const ledger: MemoryLedger = {
    balance,
    held: 0n,
    settlements: [],
    releases: [],
    async hold(request) {
      const stored = request.idempotency && done.get(`${request.idempotency.scope} ${request.idempotency.key}`);
      if (stored)
        return succeed({
          kind: 'replayed',
          reply: stored.reply,
          receipt: { chargeId: stored.chargeId, state: 'settled', charged: stored.charged, balance: ledger.balance },
        });
      const available = ledger.balance - ledger.held;
      if (available < request.minimum)
        return fail({
          kind: 'insufficient_credit',
          balance: ledger.balance,
          held: ledger.held,
          needed: request.minimum,
        });
      const amount = minOf(available, request.ceiling);
      ledger.held += amount;
      const hold: Hold = {
        walletId: 'wal_1',
        chargeId: newId('chg'),
        amount,
        balance: ledger.balance,
        expiresAtMs: Date.now() + (request.ttlMs ?? 60_000),
        ttlMs: request.ttlMs ?? 60_000,
        caps: request.caps ?? [],
        ...(request.idempotency ? { idempotency: request.idempotency } : {}),
      };
      holds.set(hold.chargeId, amount);
      return succeed({ kind: 'held', hold });
    },
    async extend(hold, more, minimum = 1n) {
      const available = ledger.balance - ledger.held;
      if (available < minimum)
        return fail({ kind: 'insufficient_credit', balance: ledger.balance, held: ledger.held, needed: minimum });
      const added = minOf(available, more);
      ledger.held += added;
      holds.set(hold.chargeId, (holds.get(hold.chargeId) ?? 0n) + added);
      return succeed({ ...hold, amount: hold.amount + added });
    },
    async recordProgress() {},
    async settle(hold, settlement) {
      const amount = holds.get(hold.chargeId);
      if (amount === undefined) throw new Error('settled twice');
      holds.delete(hold.chargeId);
      const charged = minOf(settlement.cost, amount);
      ledger.held -= amount;
      ledger.balance -= charged;
      ledger.settlements.push({ ...settlement, charged });
      if (hold.idempotency)
        done.set(`${hold.idempotency.scope} ${hold.idempotency.key}`, {
          charged,
          chargeId: hold.chargeId,
          reply: settlement.reply,
        });
      return { chargeId: hold.chargeId, state: 'settled', charged, balance: ledger.balance };
    },
    async release(hold, reason) {
      ledger.held -= holds.get(hold.chargeId) ?? 0n;
      holds.delete(hold.chargeId);
      ledger.releases.push(reason);
    },
    async close() {},
  };
  return ledger;
}
